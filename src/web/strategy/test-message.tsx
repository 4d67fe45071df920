import { IconCircleCheck, IconCircleX, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { formatMoment } from '../ui/moment.ts';
import type { Strategy } from './strategy-fields.ts';

/** See `TestMessage`. */
export interface TestMessageProps {
  strategy: Strategy;
  isPending: boolean; // another webhook was typed and not saved
  reload: () => Promise<void>;
}

/** How the last message to the chat went, and a way to send one now. */
export function TestMessage({ strategy, isPending, reload }: TestMessageProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null); // of the call, not of the delivery
  const hasWebhook = strategy.encrypted_webhook !== null;
  const send = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await api.testWebhook({ params: { id: strategy.id } });
      await reload();
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <div className="strategy-test">
      <Button
        variant="secondary"
        icon={<IconSend size={14} aria-hidden />}
        loading={isBusy}
        disabled={!hasWebhook || isPending}
        title={!hasWebhook ? 'No webhook is set' : isPending ? 'Save the webhook first' : ''}
        onClick={() => void send()}
      >
        {isBusy ? 'Sending...' : 'Send Test Message'}
      </Button>
      {failure === null ? <LastResult strategy={strategy} /> : <MessageLine tone="error" text={failure} />}
    </div>
  );
}

function LastResult({ strategy: { webhook_result: result, encrypted_webhook: webhook } }: { strategy: Strategy }) {
  if (result === null) return <span className="strategy-hint">{webhook === null ? 'No webhook is set' : 'No message was sent yet'}</span>;
  const moment = formatMoment(result.at);
  if (result.error === null) {
    return (
      <p className="strategy-delivered" role="status">
        <IconCircleCheck size={13} aria-hidden /> Last message delivered {moment} UTC
      </p>
    );
  }
  return (
    <p className="strategy-refused" role="status">
      <IconCircleX size={13} aria-hidden /> Last message failed {moment} UTC: {result.error}
    </p>
  );
}
