// oxlint-disable react/static-components -- what `late` gives is one component, the same at each drawing once it is there
import type { SelectProps } from '@mantine/core';
import { InputBase } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { useId, useState } from 'react';
import { late } from './late.ts';

/** One choice: what is kept and what is read. */
export interface Option<Value extends string = string> {
  value: Value;
  label: string;
  disabled?: boolean; // shown, not choosable
}

/** What both select boxes are given. */
export interface ChoiceProps<Value extends string> {
  label: string;
  hideLabel?: boolean; // read aloud only
  options: readonly (Option<Value> | Value)[];
  placeholder?: string;
  disabled?: boolean;
  searchable?: boolean;
  className?: string;
  title?: string; // e.g. why it is disabled
  hint?: string; // a line below, e.g. what it waits for
  invalid?: boolean; // its value failed a check
}

/** See `SelectBox`. */
export interface SelectBoxProps<Value extends string> extends ChoiceProps<Value> {
  value: Value | null;
  onChange: (value: Value) => void;
}

const hintBelow: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

const nothing = 'No options available';

/** How many options are drawn where typing narrows them; thousands would take a third of a second. */
const optionsMax = 100;

const select = late<SelectProps>(async () => (await import('./select.ts')).Select);

/** Whether somebody is at a select box that waits for its code: has its focus, or has asked for its options. */
type Wish = 'none' | 'focus' | 'open';

/**
 * A select box for one choice. Without options it says so. Until its code is there, which comes when somebody points at it or goes to it, it
 * looks the same and keeps in mind what was asked of it.
 */
export function SelectBox<Value extends string>({ value, onChange, ...choice }: SelectBoxProps<Value>) {
  const Select = select.use();
  const [wish, setWish] = useState<Wish>('none');
  const id = useId();
  const choiceProps = useChoiceProps(choice);
  if (Select === null) return <WaitingSelect choice={choice} id={id} value={value} wish={wish} onWish={setWish} />;
  return (
    <Select
      {...choiceProps}
      id={id}
      autoFocus={wish !== 'none'}
      defaultDropdownOpened={wish === 'open'}
      value={value}
      allowDeselect={false}
      withCheckIcon={false}
      onChange={(next) => {
        if (next !== null) onChange(next as Value);
      }}
    />
  );
}

interface WaitingSelectProps {
  choice: ChoiceProps<string>;
  id: string;
  value: string | null;
  wish: Wish;
  onWish: (wish: Wish) => void;
}

/** Stands for a select box whose code is not there yet. */
function WaitingSelect({ choice, id, value, wish, onWish }: WaitingSelectProps) {
  const load = () => void select.load();
  const ask = (next: Wish) => {
    onWish(next);
    load();
  };
  return (
    <InputBase
      {...lookProps(choice)}
      __staticSelector="Select"
      id={id}
      size="xs"
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      autoComplete="off"
      readOnly
      pointer={choice.searchable !== true}
      value={optionsOf(choice).find((option) => option.value === value)?.label ?? ''}
      onPointerMove={load} // not when it appears under a pointer that rests, as after a press on Sign In
      onPointerDown={(event) => ask(event.pointerType === 'mouse' ? 'open' : 'focus')}
      onFocus={() => ask(wish === 'open' ? 'open' : 'focus')}
      onBlur={() => onWish('none')}
      onClick={() => ask('open')}
      onKeyDown={(event) => {
        if (!['ArrowDown', 'ArrowUp', 'Enter', ' '].includes(event.key)) return;
        event.preventDefault();
        ask('open');
      }}
    />
  );
}

/** The same before and after the code is there. */
const chevron = (
  <svg className="fl-chevron" viewBox="0 0 15 15" aria-hidden>
    <path d="M4.5 6 7.5 3 10.5 6M4.5 9 7.5 12 10.5 9" fill="none" stroke="currentColor" strokeLinecap="round" strokeLinejoin="round" />
  </svg>
);

/** How a choice of one or of several looks while it is closed. */
function lookProps<Value extends string>(choice: ChoiceProps<Value>) {
  const { label, hideLabel = false, placeholder, disabled = false, className, title, hint, invalid = false } = choice;
  return {
    ...(hideLabel ? { 'aria-label': label } : { label }),
    ...(className === undefined ? {} : { className }),
    ...(title === undefined ? {} : { title }),
    ...(hint === undefined ? {} : { description: hint, inputWrapperOrder: hintBelow }),
    ...(invalid ? { error: true } : {}),
    placeholder: placeholder ?? '',
    disabled,
    rightSection: chevron,
    rightSectionPointerEvents: 'none' as const,
  };
}

function optionsOf<Value extends string>({ options }: Pick<ChoiceProps<Value>, 'options'>): Option<Value>[] {
  return options.map((option) => (typeof option === 'string' ? { value: option, label: option } : option));
}

/**
 * What Mantine receives about a choice of one or of several. Only the box that somebody is at holds its options: those of all others would be
 * drawn again, unseen, whenever their form is. It holds them before it opens, because an arrow key opens it and looks for the chosen one at once.
 */
export function useChoiceProps<Value extends string>(choice: ChoiceProps<Value>) {
  const [isAt, setIsAt] = useState(false);
  const { searchable = false } = choice;
  return {
    ...lookProps(choice),
    data: optionsOf(choice),
    searchable,
    ...(searchable ? { limit: optionsMax } : {}),
    nothingFoundMessage: nothing,
    maxDropdownHeight: 320,
    comboboxProps: { keepMounted: isAt, transitionProps: { duration: 0 } },
    onFocus: () => setIsAt(true),
    onBlur: () => setIsAt(false),
    // Enter takes what was found first; where nothing was, it sends no form.
    selectFirstOptionOnChange: searchable,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Enter') event.preventDefault();
    },
  };
}
