import { PasswordInput, TextInput } from '@mantine/core';
import { Button } from '../../../ui/button.tsx';
import { SelectBox } from '../../../ui/select-box.tsx';
import { useStoredKeys } from '../use-stored-keys.ts';
import type { FieldsProps } from './form-fields.ts';

/** The choice of a key that is entered now. */
const typed = { value: '', label: 'Enter a key' };

/** The key of a live bot. What is stored is shown masked; to change any of it, key and secret are entered again. */
export function KeySettings({ form, invalid }: FieldsProps) {
  const { entries, stored, change } = form;
  const { keys, sharing, isGetting, getSandboxKey } = useStoredKeys(form);
  const hint =
    'Give the key the right to trade, not to withdraw. It is checked at the exchange and stored encrypted; it is never shown again.';
  return (
    <fieldset className="bot-fields bot-key">
      <legend>API Key Settings</legend>
      <p className="bot-hint-line">
        {(stored?.api_key ?? null) === null
          ? hint
          : `A key is stored. To replace it, enter key and secret; fields left masked are not sent. A live bot is paused then. ${hint}`}
      </p>
      {keys.length === 0 ? null : (
        <SelectBox
          label="Stored Key"
          options={[(stored?.api_key ?? null) === null ? typed : { ...typed, label: 'Keep or enter a key' }, ...keys]}
          value={entries.storedKey}
          onChange={(storedKey) => change({ storedKey })}
        />
      )}
      {getSandboxKey === null ? null : (
        <div>
          <Button variant="secondary" loading={isGetting} onClick={() => void getSandboxKey()}>
            Get a Sandbox Key
          </Button>
        </div>
      )}
      {sharing === null ? null : <p className="bot-hint-line">{`Shares its account with ${sharing}.`}</p>}
      {entries.storedKey === '' ? <TypedKey form={form} invalid={invalid} /> : null}
    </fieldset>
  );
}

function TypedKey({ form: { entries, change }, invalid }: FieldsProps) {
  return (
    <>
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
    </>
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
