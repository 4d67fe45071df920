import type { DrawnTrade } from '../../../chart/replay-trades.ts';
import type { ReplayTrade } from '../replay/replay-summary.ts';
import type { TradeDifference } from '../replay/trade-differences.ts';

/** The trades of a draft, and those of the saved version that it has not, as the chart draws them. */
export function drawnTrades(draft: readonly ReplayTrade[], differences: readonly TradeDifference[]): DrawnTrade[] {
  const kinds = new Map(differences.map((each) => [each.trade, each.kind]));
  return [
    ...draft.map((trade) => drawn(trade, kinds.get(trade) ?? 'same')),
    ...differences.filter(({ kind }) => kind === 'removed').map(({ trade }) => drawn(trade, 'removed')),
  ];
}

/** One of them. */
export function drawn(trade: ReplayTrade, kind: DrawnTrade['kind']): DrawnTrade {
  const { direction, openTime, closeTime, entryPrice, exitPrice, profit, exitReason } = trade;
  const id = `${kind} ${openTime} ${direction}`;
  return { id, kind, direction, openTime, closeTime, entryPrice, exitPrice, profit, isStop: exitReason.includes('stop') };
}
