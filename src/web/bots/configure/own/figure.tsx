import { TextInput } from '@mantine/core';

/** See `Figure`. */
export interface FigureProps {
  label: string;
  text: string;
  invalid: boolean;
  unit?: string;
  placeholder?: string;
  onChange: (text: string) => void;
  onLeave?: () => void;
}

/** A field for a figure: digits and a dot; a comma becomes one. */
export function Figure(props: FigureProps) {
  const { label, text, invalid, unit, placeholder, onChange, onLeave } = props;
  return (
    <TextInput
      aria-label={label}
      inputMode="decimal"
      autoComplete="off"
      placeholder={placeholder ?? ''}
      value={text}
      error={invalid}
      {...(unit === undefined ? {} : { rightSection: <span className="bot-label">{unit}</span> })}
      onChange={(event) => onChange(event.currentTarget.value.replaceAll(',', '.').replaceAll(/[^\d.]/gu, ''))}
      {...(onLeave === undefined ? {} : { onBlur: onLeave })}
    />
  );
}
