import type { CallReply } from '#contract/client.ts';
import { isDollar, settleOf } from '../ui/money.ts';

/** A paper trade. */
export type PaperTrade = CallReply<'listTrades'>[number];

/** What the trades can be sorted by. */
export const sortFields = ['timestamp', 'direction', 'entry_price', 'outcome', 'pnl'] as const;

/** The ways a list can be sorted. */
export const orders = ['asc', 'desc'] as const;

/** Which trades can be shown. */
export const outcomes = ['all', 'win', 'loss', 'neutral'] as const;

/** Which trades are shown, and in which order. */
export interface TradeView {
  sortBy: (typeof sortFields)[number];
  order: (typeof orders)[number];
  outcome: (typeof outcomes)[number];
}

/** The view of a screen that has just been opened. */
export const firstView: TradeView = { sortBy: 'timestamp', order: 'desc', outcome: 'all' };

/** Whether a trade won or lost; an open one has done neither. */
export function outcomeOf({ pnl }: Pick<PaperTrade, 'pnl'>): 'win' | 'loss' | 'neutral' {
  if (pnl === null || pnl === 0) return 'neutral';
  return pnl > 0 ? 'win' : 'loss';
}

/** The trades of a view in its order; where two are equal the newer one comes first, what has no value counts as lowest. */
export function tradesOf(trades: readonly PaperTrade[], { sortBy, order, outcome }: TradeView): PaperTrade[] {
  const sign = order === 'asc' ? 1 : -1;
  const valueOf = (trade: PaperTrade) => (sortBy === 'outcome' ? outcomeOf(trade) : trade[sortBy]);
  return trades
    .filter((trade) => outcome === 'all' || outcomeOf(trade) === outcome)
    .toSorted((a, b) => sign * compare(valueOf(a), valueOf(b)) || compare(b.timestamp, a.timestamp));
}

/**
 * What the trades come to; money is that of trades in dollars. Counted are those whose entry was filled, as the server counts beyond
 * what it lists: an entry that waits, was cancelled or failed is listed only.
 */
export function summaryOf(trades: readonly PaperTrade[]) {
  const closed = trades.filter(({ status }) => status === 'closed');
  const open = trades.filter(({ status, entry_price: entry }) => status === 'open' && entry !== null).length;
  const inDollars = closed.filter(({ symbol }) => isDollar(settleOf(symbol)));
  return {
    count: closed.length + open,
    open,
    pnl: inDollars.reduce((sum, { pnl }) => sum + (pnl ?? 0), 0),
    winRate: closed.length === 0 ? 0 : closed.filter((trade) => outcomeOf(trade) === 'win').length / closed.length,
    commented: trades.filter(({ comment }) => comment !== null && comment !== '').length,
    leavesOut: inDollars.length < closed.length,
  };
}

function compare(a: string | number | null, b: string | number | null): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}
