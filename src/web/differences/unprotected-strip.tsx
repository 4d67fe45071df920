import { IconShieldOff } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { formatMoment, formatTimeOfDay } from '../ui/moment.ts';
import { noStopWords } from '../ui/no-stop-words.ts';
import { amountText } from './amount-text.ts';
import { TryStop } from '../live/try-stop.tsx';
import { useCancellableCall } from '../live/use-cancellable-call.ts';
import type { Unprotected } from '../live/use-differences.ts';

/** A position without a stop at the exchange, and the buttons that have its stop tried now, or close it. */
export function UnprotectedStrip({ trade, onAsked }: { trade: Unprotected; onAsked: () => Promise<unknown> }) {
  const [isAsking, setAsking] = useState(false);
  const { symbol, direction, amount, since, close_asked_at: askedAt } = trade;
  const name = `${symbol} ${direction}`;
  const { title, text } = noStopWords(trade);
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
      {isAsking ? <CloseQuestion trade={trade} name={name} onAsked={onAsked} onClose={() => setAsking(false)} /> : null}
    </section>
  );
}

/** See `CloseQuestion`. */
interface CloseQuestionProps {
  trade: Unprotected;
  name: string;
  onAsked: () => Promise<unknown>;
  onClose: () => void;
}

function CloseQuestion({ trade, name, onAsked, onClose }: CloseQuestionProps) {
  const asked = useCancellableCall({
    name: 'Close Trade',
    call: (options) => api.closeTrade({ params: { id: trade.trade_id } }, options),
    onAnswer: async () => {
      await onAsked();
      onClose();
    },
    onClose,
  });
  const { failure, isUnsure } = asked;
  return (
    <ConfirmDialog
      opened
      title="Close Trade"
      message="Are you sure you want to close this trade at market?"
      cancelLabel={isUnsure ? 'Close' : 'Cancel'}
      destructive
      loading={asked.isBusy}
      onConfirm={asked.send}
      onCancel={asked.cancel}
    >
      <ModeBand mode="live" exchangeId={trade.exchange_id} />
      <p className="differences-seen fl-number">
        {trade.nickname}, {name}: {amountText(trade.amount, trade.symbol)}.
        {trade.too_small === 'to-sell' ? ' It is too small to sell: the trade ends, and what it holds stays in the account.' : ''}
      </p>
      {failure === null ? null : (
        <MessageLine tone="error" text={isUnsure ? failure.text : `Failed to close the trade: ${failure.text}`} detail={failure.detail} />
      )}
    </ConfirmDialog>
  );
}
