import { IconCircleCheck, IconCircleX, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { messageOf } from '../api/api-error.ts';
import { Button } from '../ui/button.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { formatMoment } from '../ui/moment.ts';
import type { Strategy } from './strategy-fields.ts';

/** See `DeliveryTest`. */
export interface DeliveryTestProps {
  action: string; // 'Send Test Message'
  what: string; // 'message'
  delivered: string; // 'delivered'
  result: Strategy['webhook_result'];
  obstacle: string | null; // why nothing can be sent now
  noTarget: string | null; // that there is no place to send to
  send: () => Promise<unknown>;
  reload: () => Promise<void>;
}

/** How the last message to a place went, and a way to send one now. */
export function DeliveryTest({ action, what, delivered, result, obstacle, noTarget, send, reload }: DeliveryTestProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null); // of the call, not of the delivery
  const tryOut = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await send();
      await reload();
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  const reason = noTarget ?? obstacle;
  return (
    <div className="strategy-test">
      <Button
        variant="secondary"
        icon={<IconSend size={14} aria-hidden />}
        loading={isBusy}
        disabled={reason !== null}
        title={reason ?? ''}
        onClick={() => void tryOut()}
      >
        {isBusy ? 'Sending...' : action}
      </Button>
      {failure !== null ? (
        <MessageLine tone="error" text={failure} />
      ) : result === null ? (
        <span className="strategy-hint">{noTarget ?? `No ${what} was sent yet`}</span>
      ) : (
        <LastResult what={what} delivered={delivered} result={result} />
      )}
    </div>
  );
}

function LastResult({ what, delivered, result }: { what: string; delivered: string; result: { at: string; error: string | null } }) {
  const moment = formatMoment(result.at);
  if (result.error === null) {
    return (
      <p className="strategy-delivered" role="status">
        <IconCircleCheck size={13} aria-hidden /> Last {what} {delivered} {moment} UTC
      </p>
    );
  }
  return (
    <p className="strategy-refused" role="status">
      <IconCircleX size={13} aria-hidden /> Last {what} failed {moment} UTC: {result.error}
    </p>
  );
}
