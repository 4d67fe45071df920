import { AsOf } from '../live/as-of.tsx';
import type { OpenProfit } from '../live/use-open-profit.ts';
import { formatPrice, quoteOf } from '../ui/money.ts';

/** See `CurrentPrice`. */
interface CurrentPriceProps {
  open: Pick<OpenProfit, 'price' | 'times'> | null;
  trade: { symbol: string; price_tick: number | null };
}

/** The newest price of a pair, of a trade or of one that is to be entered, and how old it is. */
export function CurrentPrice({ open, trade }: CurrentPriceProps) {
  if (open === null || open.price === null) return 'not known';
  return (
    <>
      {formatPrice(open.price, quoteOf(trade.symbol), trade.price_tick)} <AsOf times={open.times} />
    </>
  );
}
