import { Modal, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { reasonOf } from '../../session/login-flow.ts';
import { Button } from '../../ui/button.tsx';
import { MessageLine } from '../../ui/message-line.tsx';
import { useSubmission } from '../../ui/use-submission.ts';
import { settingsBody, settingsIssue, settingsOf } from './channel-draft.ts';
import { channelName } from './channel-words.ts';
import { SettingsFields } from './settings-fields.tsx';
import type { OwnChannel } from './use-channels.ts';

/** See `ChangeChannel`. */
export interface ChangeChannelProps {
  channel: OwnChannel;
  onChanged: () => void;
  onClose: () => void;
}

/** Changes what a channel is about and when it is quiet. */
export function ChangeChannel({ channel, onChanged, onClose }: ChangeChannelProps) {
  const [settings, setSettings] = useState(() => settingsOf(channel));
  const [{ busy, issue, failed }, submitCall] = useSubmission<'save'>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void submitCall('save', settingsIssue(settings), async () => {
      await api.changeChannel({ params: { id: channel.id }, body: settingsBody(settings) });
      onChanged();
    });
  };
  return (
    <Modal opened onClose={onClose} title="Change Channel" size="md" classNames={{ content: 'fl-dialog' }} zIndex={300}>
      <form noValidate className="account-form" autoComplete="off" onSubmit={submit}>
        <p className="account-hint">{channelName(channel)}. To send somewhere else, add another channel.</p>
        <TextInput
          label="Name"
          maxLength={60}
          value={settings.name}
          onChange={({ currentTarget: { value } }) => setSettings((before) => ({ ...before, name: value }))}
        />
        <SettingsFields settings={settings} onChange={(changes) => setSettings((before) => ({ ...before, ...changes }))} />
        <MessageLine
          tone="error"
          text={issue?.text ?? (failed === null ? null : 'Failed to change the channel')}
          detail={failed === null ? null : reasonOf(failed.error)}
        />
        <div className="fl-dialog-actions">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={busy !== null}>
            Save Changes
          </Button>
        </div>
      </form>
    </Modal>
  );
}
