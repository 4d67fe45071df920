import { Select } from '@mantine/core';
import type { KeyboardEvent } from 'react';

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

/** A select box for one choice. Without options it says so. */
export function SelectBox<Value extends string>({ value, onChange, ...choice }: SelectBoxProps<Value>) {
  return (
    <Select
      {...choiceProps(choice)}
      value={value}
      allowDeselect={false}
      withCheckIcon={false}
      onChange={(next) => {
        if (next !== null) onChange(next);
      }}
    />
  );
}

/** What Mantine is told about a choice of one or of several. */
export function choiceProps<Value extends string>(choice: ChoiceProps<Value>) {
  const { label, hideLabel = false, options, placeholder, disabled = false, className, title, hint, invalid = false } = choice;
  const { searchable = false } = choice;
  return {
    ...(hideLabel ? { 'aria-label': label } : { label }),
    ...(className === undefined ? {} : { className }),
    ...(title === undefined ? {} : { title }),
    ...(hint === undefined ? {} : { description: hint, inputWrapperOrder: hintBelow }),
    ...(invalid ? { error: true } : {}),
    data: options.map((option) => (typeof option === 'string' ? { value: option, label: option } : option)),
    placeholder: placeholder ?? '',
    disabled,
    searchable,
    ...(searchable ? { limit: optionsMax } : {}),
    nothingFoundMessage: nothing,
    maxDropdownHeight: 320,
    comboboxProps: { transitionProps: { duration: 0 } },
    // Enter takes what was found first; where nothing was, it sends no form.
    selectFirstOptionOnChange: searchable,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Enter') event.preventDefault();
    },
  };
}
