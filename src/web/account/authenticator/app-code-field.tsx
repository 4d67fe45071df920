import { TextInput } from '@mantine/core';

/** The six digits that an authenticator app shows. */
export function AppCodeField({ label, value, onChange }: { label: string; value: string; onChange: (code: string) => void }) {
  return (
    <TextInput
      label={label}
      inputMode="numeric"
      autoComplete="one-time-code"
      data-autofocus
      value={value}
      classNames={{ input: 'account-code' }}
      onChange={(event) => onChange(event.currentTarget.value.replaceAll(/\D/gu, '').slice(0, 6))}
    />
  );
}
