import { Loader } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { baseOf, formatAmount, formatPnl, settleOf, toneOf } from '../ui/money.ts';
import { formatTimeOfDay } from '../ui/moment.ts';
import { Fact } from '../ui/fact.tsx';
import { useCancellableCall } from '../live/use-cancellable-call.ts';
import { useOpenProfit } from '../live/use-open-profit.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';
import { tradeOrdersKey } from '../live/use-trade-orders.ts';
import { CurrentPrice } from './current-price.tsx';

/** After so long a person should know what a wish still waits for, in ms. */
const soonMs = 10_000;

/** Closes an open trade at market, after a question; then says that it is being closed until it is. */
export function CloseTrade({ trade }: { trade: TradeOrders }) {
  const [isAsking, setAsking] = useState(false);
  if (trade.status !== 'open') return null;
  if (trade.close_asked_at !== null) return <Closing {...trade} askedAt={trade.close_asked_at} />;
  if (!trade.may_close) return null;
  return (
    <>
      <Button variant="destructive" icon={<IconX size={14} aria-hidden />} className="orders-close" onClick={() => setAsking(true)}>
        Close now
      </Button>
      {isAsking ? <CloseQuestion trade={trade} onCancel={() => setAsking(false)} /> : null}
    </>
  );
}

/** Says that a trade is being closed. */
export function Closing({ askedAt, time }: { askedAt: string; time: string }) {
  const isLong = Date.parse(time) - Date.parse(askedAt) > soonMs;
  return (
    <p role="status" className="orders-close orders-closing fl-number">
      <Loader size={12} color="currentColor" aria-hidden />
      <span>
        Closing at market, asked {formatTimeOfDay(askedAt)}.
        {isLong ? ' Not closed yet: its bot closes it as soon as it runs and the exchange answers.' : ''}
      </span>
    </p>
  );
}

/** Asks whether a trade should be closed, and has it closed. Who shows it sees by the trade that it was. */
export function CloseQuestion({ trade, onCancel }: { trade: TradeOrders; onCancel: () => void }) {
  const queryClient = useQueryClient();
  const open = useOpenProfit(trade);
  const asked = useCancellableCall({
    name: 'Close Trade',
    call: (options) => api.closeTrade({ params: { id: trade.trade_id } }, options),
    onAnswer: () => queryClient.invalidateQueries({ queryKey: tradeOrdersKey(trade.trade_id) }),
    onClose: onCancel,
  });
  const { failure, isUnsure } = asked;
  const currency = settleOf(trade.symbol);
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
      <ModeBand mode={trade.mode === 'paper' ? 'paper' : 'live'} exchangeId={trade.exchange_id} />
      <dl className="orders-costs fl-number">
        <Fact name="Bot">{trade.nickname}</Fact>
        <Fact name="Trade">
          {trade.symbol} {trade.direction}
        </Fact>
        <Fact name="Position">
          {formatAmount(trade.amount)} {baseOf(trade.symbol)}
        </Fact>
        <Fact name="Current price">
          <CurrentPrice open={open} trade={trade} />
        </Fact>
        <Fact name="Estimated result">
          {open === null ? (
            'not known'
          ) : (
            <b className={`fl-${toneOf(open.unrealizedPnl, currency)}`}>{formatPnl(open.unrealizedPnl, currency)}</b>
          )}
        </Fact>
      </dl>
      <p className="orders-question-note">
        Its open orders are cancelled first. The final result depends on the fill price. The bot may enter again with its next signal: pause
        it to prevent that.
      </p>
      {failure === null ? null : (
        <MessageLine tone="error" text={isUnsure ? failure.text : `Failed to close the trade: ${failure.text}`} detail={failure.detail} />
      )}
    </ConfirmDialog>
  );
}
