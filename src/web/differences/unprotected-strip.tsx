import { IconShieldOff } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { formatMoment, formatTimeOfDay } from '../ui/moment.ts';
import { noStopWords } from '../ui/no-stop-words.ts';
import { useSubmission } from '../ui/use-submission.ts';
import { amountText } from './amount-text.ts';
import { TryStop } from '../live/try-stop.tsx';
import type { Unprotected } from '../live/use-differences.ts';

/** A position without a stop at the exchange, and the buttons that have its stop tried now, or close it. */
export function UnprotectedStrip({ trade, onAsked }: { trade: Unprotected; onAsked: () => Promise<unknown> }) {
  const [isAsking, setAsking] = useState(false);
  const [{ busy, failed }, submit] = useSubmission<'close'>();
  const { symbol, direction, amount, since, close_asked_at: askedAt } = trade;
  const name = `${symbol} ${direction}`;
  const { title, text } = noStopWords(trade);
  const close = () =>
    void submit('close', null, async () => {
      await api.closeTrade({ params: { id: trade.trade_id } });
      await onAsked();
      setAsking(false);
    });
  return (
    <section className="differences-unprotected" aria-label={`${title}: ${name}`}>
      <IconShieldOff size={20} aria-hidden />
      <div>
        <h2>{trade.too_small === null ? `${name} has no stop at the exchange` : `${name} is ${title.toLowerCase()}`}</h2>
        <p className="fl-number">
          {amountText(amount, symbol)}, unprotected since {formatMoment(since)} UTC.{' '}
          {askedAt === null ? text : `Closing at market, asked ${formatTimeOfDay(askedAt)}.`}
        </p>
      </div>
      {askedAt === null && trade.next_stop === 'pausing' ? <TryStop tradeId={trade.trade_id} name={name} onAsked={onAsked} /> : null}
      {askedAt === null ? (
        <Button variant="secondary" aria-label={`Close now: ${name}`} onClick={() => setAsking(true)}>
          Close now
        </Button>
      ) : null}
      <ConfirmDialog
        opened={isAsking}
        title="Close Trade"
        message="Are you sure you want to close this trade at market?"
        destructive
        loading={busy !== null}
        onConfirm={close}
        onCancel={() => setAsking(false)}
      >
        <ModeBand mode="live" exchangeId={trade.exchange_id} />
        <p className="differences-seen fl-number">
          {trade.nickname}, {name}: {amountText(amount, symbol)}.
          {trade.too_small === 'to-sell' ? ' It is too small to sell: the trade ends, and what it holds stays in the account.' : ''}
        </p>
        <MessageLine tone="error" text={failed === null ? null : `Failed to close the trade: ${messageOf(failed.error)}`} />
      </ConfirmDialog>
    </section>
  );
}
