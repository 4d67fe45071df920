import { PasswordInput, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { useExchanges } from '../api/use-exchanges.ts';
import { useSending } from '../live/use-sending.ts';
import { reasonOf } from '../session/login-flow.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import type { Issue } from '../ui/first-issue.ts';
import { MessageLine } from '../ui/message-line.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { useSubmission } from '../ui/use-submission.ts';
import { needsPassphrase } from './api-key-text.ts';

/** See `AddApiKey`. */
export interface AddApiKeyProps {
  opened: boolean;
  onAdded: () => void;
  onClose: () => void;
}

/** Takes a key of an exchange. It is checked there before it is stored. */
export function AddApiKey({ opened, ...form }: AddApiKeyProps) {
  return (
    <Dialog
      opened={opened}
      onClose={form.onClose}
      title="Add API Key"
      size="md"
      classNames={{ content: 'fl-dialog' }}
      closeOnClickOutside={false}
    >
      <KeyForm {...form} />
    </Dialog>
  );
}

interface Entries {
  exchange_id: string;
  label: string;
  key: string;
  secret: string;
  passphrase: string;
}

function issueOf({ exchange_id, key, secret, passphrase }: Entries): Issue | null {
  if (exchange_id === '') return { text: 'Exchange is required', field: 'exchange_id' };
  if (key.trim() === '' || secret.trim() === '') return { text: 'Enter both the API key and its secret', field: 'key' };
  if (needsPassphrase[exchange_id] === true && passphrase.trim() === '')
    return { text: 'This exchange gives a passphrase with each key. Enter it too.', field: 'passphrase' };
  return null;
}

function KeyForm({ onAdded, onClose }: Omit<AddApiKeyProps, 'opened'>) {
  const exchanges = useExchanges().data ?? [];
  const [entries, setEntries] = useState<Entries>({ exchange_id: '', label: '', key: '', secret: '', passphrase: '' });
  const [{ busy, issue, failed }, submitCall] = useSubmission<'add' | 'sandbox'>();
  const sending = useSending('The key may be stored already: check the list.');
  const change = (changes: Partial<Entries>) => setEntries((before) => ({ ...before, ...changes }));
  const isSandbox = entries.exchange_id === 'sandbox';
  const failure = failed === null || (failed.button === 'sandbox' && !isSandbox) ? null : failed; // another exchange may be chosen meanwhile

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { label, passphrase, ...needed } = entries;
    void submitCall('add', issueOf(entries), async () => {
      const optional = { ...(label.trim() === '' ? {} : { label }), ...(passphrase.trim() === '' ? {} : { passphrase }) };
      await sending.send((signal) => api.addApiKey({ body: { ...needed, ...optional } }, { signal }));
      onAdded();
    });
  };
  const takeSandboxKey = () =>
    void submitCall('sandbox', null, async () => {
      const key = await api.newSandboxKey({});
      setEntries((before) => (before.exchange_id === 'sandbox' ? { ...before, ...key } : before)); // another one may be chosen meanwhile
    });

  return (
    <form noValidate className="account-form" autoComplete="off" onSubmit={submit}>
      <p className="account-hint">
        Give the key the right to trade, not to withdraw, and bind it to this server’s address where the exchange offers that. It is stored
        encrypted; it is never shown again.
      </p>
      <MessageLine
        tone="error"
        text={issue?.text ?? (failure === null ? null : 'Failed to add the API key')}
        detail={failure === null ? null : reasonOf(failure.error)}
      />
      <SelectBox
        label="Exchange"
        placeholder="Select exchange"
        options={exchanges.map(({ id, name }) => ({ value: id, label: name }))}
        value={entries.exchange_id === '' ? null : entries.exchange_id}
        onChange={(value) => change({ exchange_id: value, key: '', secret: '', passphrase: '' })}
      />
      {isSandbox ? (
        <div className="account-buttons">
          <Button variant="secondary" loading={busy === 'sandbox'} disabled={busy === 'add'} onClick={takeSandboxKey}>
            Get a Sandbox Key
          </Button>
        </div>
      ) : null}
      <TextInput
        label="Label"
        placeholder="For example: main account"
        maxLength={120}
        value={entries.label}
        onChange={(event) => change({ label: event.currentTarget.value })}
      />
      <TextInput
        label="API Key"
        autoComplete="off"
        spellCheck={false}
        value={entries.key}
        onChange={(event) => change({ key: event.currentTarget.value })}
      />
      <Secret label="Secret" value={entries.secret} onChange={(secret) => change({ secret })} />
      {needsPassphrase[entries.exchange_id] === false || entries.exchange_id === '' ? null : (
        <Secret label="Passphrase" value={entries.passphrase} onChange={(passphrase) => change({ passphrase })} />
      )}
      <div className="fl-dialog-actions">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={busy === 'add'} disabled={busy === 'sandbox'}>
          Add Key
        </Button>
      </div>
    </form>
  );
}

function Secret({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <PasswordInput
      label={label}
      autoComplete="new-password"
      size="sm"
      value={value}
      visibilityToggleButtonProps={{ 'aria-label': `Show or hide ${label.toLowerCase()}`, tabIndex: 0 }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
