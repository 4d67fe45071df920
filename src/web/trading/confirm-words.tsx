import { closeAllWords } from '#contract/trading-states.ts';
import { TextInput } from '@mantine/core';

/** The words that have to be typed before everything is closed. */
export function ConfirmWords({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextInput
      className="trading-words"
      label={`Type ${closeAllWords}`}
      autoComplete="off"
      autoCapitalize="characters"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
