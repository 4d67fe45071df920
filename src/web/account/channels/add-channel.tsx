import { useState } from 'react';
import { api } from '../../api/api.ts';
import { useSending } from '../../live/use-sending.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useSubmission } from '../../ui/use-submission.ts';
import { subscribeBrowser, unsubscribeBrowser } from './browser-subscription.ts';
import type { TargetDraft } from './channel-draft.ts';
import { newSettings, settingsBody, settingsIssue, targetBody, targetIssue } from './channel-draft.ts';
import { ChannelForm } from './channel-form.tsx';
import { ShownSecret } from './shown-secret.tsx';
import { TargetFields } from './target-fields.tsx';

/** See `AddChannel`. */
export interface AddChannelProps {
  onAdded: () => void;
  onClose: () => void;
}

/** Takes a new channel. The secret of a webhook is shown here once, and the dialog stays until the person says that it is stored. */
export function AddChannel({ onAdded, onClose }: AddChannelProps) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={secret === null ? 'Add Channel' : 'Secret of the Webhook'}
      size="md"
      closeOnClickOutside={false}
      stays={secret !== null}
      classNames={{ content: 'fl-dialog' }}
    >
      {secret === null ? (
        <NewChannel
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
    </Dialog>
  );
}

function NewChannel({ onAdded, onClose }: { onAdded: (secret: string | null) => void; onClose: () => void }) {
  const [target, setTarget] = useState<TargetDraft>({ kind: 'telegram', address: '', token: '', chat: '' });
  const [settings, setSettings] = useState(newSettings);
  const [submission, submit] = useSubmission<'save'>();
  const sending = useSending('The channel may be added already: check the list.');
  const add = () =>
    void submit('save', targetIssue(target) ?? settingsIssue(settings), async () => {
      const rest = settingsBody(settings);
      const { secret } = await sending.send((signal) =>
        target.kind === 'browser' ? addBrowser(rest, signal) : api.addChannel({ body: { ...targetBody(target), ...rest } }, { signal }),
      );
      onAdded(secret);
    });
  return (
    <ChannelForm
      hint="Whoever reads the channel reads what your bots do. Where it leads is stored encrypted and never shown again."
      settings={settings}
      onSettings={setSettings}
      submission={submission}
      failedText="Failed to add the channel"
      confirmLabel="Add Channel"
      onSave={add}
      onClose={onClose}
    >
      <TargetFields target={target} onChange={(changes) => setTarget((before) => ({ ...before, ...changes }))} />
    </ChannelForm>
  );
}

/** Adds this browser. Without the channel its subscription is of no use, so it is ended when the call fails or is cancelled. */
async function addBrowser(settings: ReturnType<typeof settingsBody>, signal: AbortSignal) {
  const target = await subscribeBrowser();
  try {
    signal.throwIfAborted(); // while the browser asked
    return await api.addChannel({ body: { ...target, ...settings } }, { signal });
  } catch (error) {
    await unsubscribeBrowser();
    throw error;
  }
}
