import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

/** See `NumberField`. */
export interface NumberFieldProps {
  label: string;
  value: string;
  unit?: ReactNode;
  hint: string;
  invalid: boolean;
  onChange: (text: string) => void;
  onLeave: (text: string) => void; // what is left there is put right
}

/** A field that takes digits, a period and the keys that move about. A comma is the period of many keyboards: dropped, it would make 15 of 1,5. */
export function NumberField({ label, value, unit, hint, invalid, onChange, onLeave }: NumberFieldProps) {
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      autoComplete="off"
      value={value}
      error={invalid}
      description={hint}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...(unit === undefined ? {} : { rightSection: <span className="bot-label">{unit}</span>, rightSectionWidth: 56 })}
      onKeyDown={(event) => {
        const isTyped = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
        if (isTyped && !/[\d.,]/u.test(event.key)) event.preventDefault();
      }}
      onChange={(event) => onChange(event.currentTarget.value.replaceAll(',', '.').replaceAll(/[^\d.]/gu, ''))}
      onBlur={() => onLeave(value)}
    />
  );
}
