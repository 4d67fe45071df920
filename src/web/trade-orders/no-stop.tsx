import { IconShieldOff } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { TryStop } from '../live/try-stop.tsx';
import { formatMoment } from '../ui/moment.ts';
import { noStopWords } from '../ui/no-stop-words.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';
import { tradeOrdersKey } from '../live/use-trade-orders.ts';

/**
 * Says that nothing at the exchange limits what an open trade can lose, since when, and why as far as that is known; whoever may close the
 * trade may have its stop tried now.
 */
export function NoStop({ trade }: { trade: TradeOrders }) {
  const queryClient = useQueryClient();
  const { no_stop: bare, trade_id: tradeId, symbol, direction } = trade;
  if (bare === null) return null;
  const { title, text } = noStopWords(bare);
  return (
    <section className="orders-no-stop fl-number" aria-label={title}>
      <IconShieldOff size={20} aria-hidden />
      <p>
        <b>
          {title} since {formatMoment(bare.since)} UTC.
        </b>{' '}
        {text}
      </p>
      {trade.may_close && bare.next_stop === 'pausing' ? (
        <TryStop
          tradeId={tradeId}
          name={`${symbol} ${direction}`}
          onAsked={() => queryClient.invalidateQueries({ queryKey: tradeOrdersKey(tradeId) })}
        />
      ) : null}
    </section>
  );
}
