import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import type { PriceTimes } from './as-of.tsx';
import type { TradeOrders } from './use-trade-orders.ts';

/** How often what an open trade would bring is asked for, in ms. */
const pollMs = 5_000;

/** What an open trade would bring now. */
export interface OpenProfit {
  unrealizedPnl: number; // after fees, in stake currency, with what was taken out of it
  takenOut: number; // of that, by the parts that were taken out
  price: number | null; // quote currency
  times: PriceTimes; // of that price
}

/** The newest price of a pair. */
export interface PairPrice extends Pick<OpenProfit, 'price' | 'times'> {
  priceTick: number | null; // of its market
}

/** What an open trade would bring at the newest price, which may be old; null for one that is not open, and while it is not known. */
export function useOpenProfit({ bot_id, symbol, status }: Pick<TradeOrders, 'bot_id' | 'symbol' | 'status'>): OpenProfit | null {
  const known = usePnl(bot_id, symbol, status === 'open');
  if (known === null || known.pnl.position_size === null) return null;
  const { pnl, times } = known;
  return { unrealizedPnl: pnl.unrealized_pnl, takenOut: pnl.profit_terms?.taken_out ?? 0, price: pnl.current_price, times };
}

/** The newest price of a pair of a bot, which may be old; null while it is not known, and for no pair. */
export function usePairPrice(botId: string, symbol: string | null): PairPrice | null {
  const known = usePnl(botId, symbol ?? '', symbol !== null);
  return known === null ? null : { price: known.pnl.current_price, times: known.times, priceTick: known.pnl.price_tick ?? null };
}

function usePnl(bot_id: string, symbol: string, isWanted: boolean): { pnl: CallReply<'pnlMetrics'>; times: PriceTimes } | null {
  const query = useQuery({
    queryKey: ['open-profit', bot_id, symbol],
    queryFn: ({ signal }) => api.pnlMetrics({ query: { bot_id, symbol, range: 'daily' } }, { signal }),
    enabled: isWanted,
    refetchInterval: pollMs,
    gcTime: 0,
    meta: { what: 'PnL' },
  });
  const pnl = isWanted ? heldData(query) : undefined;
  if (pnl === undefined) return null;
  return { pnl, times: { time: pnl.price_time, ageMs: pnl.price_age_ms ?? 0, receivedAt: query.dataUpdatedAt, everyMs: pollMs } };
}
