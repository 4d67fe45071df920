import { MultiSelect, Select } from '@mantine/core';
import type { KeyboardEvent } from 'react';

/** One choice: what is kept and what is read. */
export interface Option<Value extends string = string> {
  value: Value;
  label: string;
  disabled?: boolean; // shown, not choosable
}

interface Shared<Value extends string> {
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
export type SelectBoxProps<Value extends string> = Shared<Value> &
  (
    | { multiple?: false; value: Value | null; onChange: (value: Value) => void }
    | { multiple: true; value: readonly Value[]; onChange: (value: Value[]) => void }
  );

const hintBelow: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

const nothing = 'No options available';

/** How many options are drawn where typing narrows them; thousands would take a third of a second. */
const optionsMax = 100;

/** A select box for one choice or several. Without options it says so. */
export function SelectBox<Value extends string>(props: SelectBoxProps<Value>) {
  const { label, hideLabel = false, options, placeholder, disabled = false, className, title, hint, invalid = false } = props;
  const searchable = props.searchable ?? props.multiple === true; // several are chosen by typing too
  const shared = {
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
  if (props.multiple === true) {
    return <MultiSelect {...shared} value={[...props.value]} onChange={(values) => props.onChange(values)} hidePickedOptions />;
  }
  return (
    <Select
      {...shared}
      value={props.value}
      allowDeselect={false}
      withCheckIcon={false}
      onChange={(value) => {
        if (value !== null) props.onChange(value);
      }}
    />
  );
}
