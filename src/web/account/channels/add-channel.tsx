import { Modal, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { reasonOf } from '../../session/login-flow.ts';
import { Button } from '../../ui/button.tsx';
import { MessageLine } from '../../ui/message-line.tsx';
import { useSubmission } from '../../ui/use-submission.ts';
import type { TargetDraft } from './channel-draft.ts';
import { newSettings, settingsBody, settingsIssue, targetBody, targetIssue } from './channel-draft.ts';
import { SettingsFields } from './settings-fields.tsx';
import { ShownSecret } from './shown-secret.tsx';
import { TargetFields } from './target-fields.tsx';

/** See `AddChannel`. */
export interface AddChannelProps {
  onAdded: () => void;
  onClose: () => void;
}

/** Takes a new channel. The secret of a webhook is shown here once, and the dialog stays until it is closed. */
export function AddChannel({ onAdded, onClose }: AddChannelProps) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      title={secret === null ? 'Add Channel' : 'Secret of the Webhook'}
      size="md"
      closeOnClickOutside={false}
      closeOnEscape={secret === null}
      classNames={{ content: 'fl-dialog' }}
      zIndex={300}
    >
      {secret === null ? (
        <ChannelForm
          onClose={onClose}
          onAdded={(newSecret) => {
            onAdded();
            if (newSecret === null) onClose();
            else setSecret(newSecret);
          }}
        />
      ) : (
        <ShownSecret secret={secret} onClose={onClose} />
      )}
    </Modal>
  );
}

function ChannelForm({ onAdded, onClose }: { onAdded: (secret: string | null) => void; onClose: () => void }) {
  const [target, setTarget] = useState<TargetDraft>({ kind: 'telegram', address: '', token: '', chat: '' });
  const [settings, setSettings] = useState(newSettings);
  const [{ busy, issue, failed }, submitCall] = useSubmission<'add'>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void submitCall('add', targetIssue(target) ?? settingsIssue(settings), async () => {
      const { secret } = await api.addChannel({ body: { ...targetBody(target), ...settingsBody(settings) } });
      onAdded(secret);
    });
  };
  return (
    <form noValidate className="account-form" autoComplete="off" onSubmit={submit}>
      <p className="account-hint">
        Whoever reads the channel reads what your bots do. Where it leads is stored encrypted and never shown again.
      </p>
      <TargetFields target={target} onChange={(changes) => setTarget((before) => ({ ...before, ...changes }))} />
      <TextInput
        label="Name"
        placeholder="For example: my phone"
        maxLength={60}
        value={settings.name}
        onChange={({ currentTarget: { value } }) => setSettings((before) => ({ ...before, name: value }))}
      />
      <SettingsFields settings={settings} onChange={(changes) => setSettings((before) => ({ ...before, ...changes }))} />
      <MessageLine
        tone="error"
        text={issue?.text ?? (failed === null ? null : 'Failed to add the channel')}
        detail={failed === null ? null : reasonOf(failed.error)}
      />
      <div className="fl-dialog-actions">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={busy !== null}>
          Add Channel
        </Button>
      </div>
    </form>
  );
}
