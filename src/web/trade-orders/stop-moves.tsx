import { CardPanel } from '../ui/card-panel.tsx';
import { Fact } from '../ui/fact.tsx';
import { formatPrice, quoteOf } from '../ui/money.ts';
import { formatTimeOfDay } from '../ui/moment.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';

/** Where the stop of a trade was moved to, newest first; nothing for one that was never moved. */
export function StopMoves({ trade }: { trade: TradeOrders }) {
  if (trade.stop_moves.length === 0) return null;
  return (
    <CardPanel title="Moves of Its Stop">
      <dl className="orders-costs fl-number">
        {trade.stop_moves.toReversed().map(({ at, price }, place) => (
          <Fact key={`${at} ${place}`} name={formatTimeOfDay(at)}>
            {formatPrice(price, quoteOf(trade.symbol), trade.price_tick)}
          </Fact>
        ))}
      </dl>
    </CardPanel>
  );
}
