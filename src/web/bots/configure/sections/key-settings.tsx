import { PasswordInput, TextInput } from '@mantine/core';
import type { FieldsProps } from './form-fields.ts';

/** The key of a live bot. What is stored is shown masked; to change any of it, key and secret are entered again. */
export function KeySettings({ form: { entries, stored, change }, invalid }: FieldsProps) {
  const hint = 'Give the key the right to trade, not to withdraw. It is checked at the exchange, stored sealed and never shown again.';
  return (
    <fieldset className="bot-fields bot-key">
      <legend>API Key Settings</legend>
      <p className="bot-hint-line">
        {(stored?.api_key ?? null) === null
          ? hint
          : `A key is stored. To replace it, enter key and secret; fields left masked are not sent. ${hint}`}
      </p>
      <TextInput
        label="Label"
        maxLength={120}
        autoComplete="off"
        value={entries.label}
        onChange={(event) => change({ label: event.currentTarget.value })}
      />
      <div data-field="key">
        <Masked label="Key" invalid={invalid === 'key'} value={entries.key} onChange={(key) => change({ key })} />
      </div>
      <Masked label="Secret" invalid={invalid === 'key'} value={entries.secret} onChange={(secret) => change({ secret })} />
      <Masked label="Passphrase (optional)" invalid={false} value={entries.passphrase} onChange={(passphrase) => change({ passphrase })} />
    </fieldset>
  );
}

function Masked({ label, value, invalid, onChange }: { label: string; value: string; invalid: boolean; onChange: (text: string) => void }) {
  return (
    <PasswordInput
      label={label}
      autoComplete="new-password"
      spellCheck={false}
      error={invalid}
      value={value}
      visibilityToggleButtonProps={{ 'aria-label': `Show or hide ${label.toLowerCase()}`, tabIndex: 0 }}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
