import { useState } from 'react';
import { api } from '../../api/api.ts';
import { useSending } from '../../live/use-sending.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useSubmission } from '../../ui/use-submission.ts';
import { settingsBody, settingsIssue, settingsOf } from './channel-draft.ts';
import { ChannelForm } from './channel-form.tsx';
import { channelName } from './channel-words.ts';
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
  const [submission, submit] = useSubmission<'save'>();
  const sending = useSending('The channel may be changed already: check the list.');
  const save = () =>
    void submit('save', settingsIssue(settings), async () => {
      const input = { params: { id: channel.id }, body: settingsBody(settings) };
      await sending.send((signal) => api.changeChannel(input, { signal }));
      onChanged();
    });
  return (
    <Dialog opened onClose={onClose} title="Change Channel" size="md" classNames={{ content: 'fl-dialog' }}>
      <ChannelForm
        hint={`${channelName(channel)}. To send somewhere else, add another channel.`}
        settings={settings}
        onSettings={setSettings}
        submission={submission}
        failedText="Failed to change the channel"
        confirmLabel="Save Changes"
        onSave={save}
        onClose={onClose}
      />
    </Dialog>
  );
}
