import { MultiSelect } from '@mantine/core';
import type { ChoiceProps } from './select-box.tsx';
import { useChoiceProps } from './select-box.tsx';

/** See `MultiSelectBox`. */
export interface MultiSelectBoxProps<Value extends string> extends Omit<ChoiceProps<Value>, 'searchable'> {
  value: readonly Value[];
  onChange: (value: Value[]) => void;
}

/** A select box for several choices, which are found by typing. */
export function MultiSelectBox<Value extends string>({ value, onChange, ...choice }: MultiSelectBoxProps<Value>) {
  const choiceProps = useChoiceProps({ ...choice, searchable: true });
  return <MultiSelect {...choiceProps} value={[...value]} onChange={onChange} hidePickedOptions />;
}
