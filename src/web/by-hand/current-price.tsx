import { AsOf } from '../live/as-of.tsx';
import type { OpenProfit } from '../live/use-open-profit.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';
import { formatPrice, quoteOf } from '../ui/money.ts';

/** The newest price of a trade's pair, and how old it is. */
export function CurrentPrice({ open, trade }: { open: OpenProfit | null; trade: Pick<TradeOrders, 'symbol' | 'price_tick'> }) {
  if (open === null || open.price === null) return 'not known';
  return (
    <>
      {formatPrice(open.price, quoteOf(trade.symbol), trade.price_tick)} <AsOf times={open.times} />
    </>
  );
}
