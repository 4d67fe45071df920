import type { Trade } from '../account/trade.ts';
import type { MetricSpan, ReferenceMetrics } from './reference-metrics.ts';
import { durationMinutes, referenceMetrics } from './reference-metrics.ts';
import { roundHalfEven } from './round-half-even.ts';

/** The figures of the trades that share something: a symbol, a tag, a reason. Wins are counted by money. */
export interface BreakdownRow extends ReferenceMetrics {
  key: string;
}

/** What trades can be broken down by. */
export type BreakdownKey = 'symbol' | 'enterTag' | 'exitReason' | 'direction';

/** One row per value that occurs, the most profitable first; trades without one have the key ''. */
export function breakdown(trades: readonly Trade[], by: BreakdownKey, span: Omit<MetricSpan, 'finalBalance'>): BreakdownRow[] {
  const groups = new Map<string, Trade[]>();
  for (const trade of trades) {
    const key = trade[by] ?? '';
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [trade]);
    else group.push(trade);
  }
  const rows = [...groups].map(([key, group]): BreakdownRow => {
    const profit = group.reduce((sum, trade) => sum + (trade.profit ?? 0), 0);
    const metrics = referenceMetrics(group, { ...span, finalBalance: span.startingBalance + profit });
    const wins = group.filter((trade) => (trade.profit ?? 0) > 0).length;
    const losses = group.filter((trade) => (trade.profit ?? 0) < 0).length;
    return { ...metrics, key, wins, losses, draws: group.length - wins - losses, winrate: wins / group.length };
  });
  return rows.sort((a, b) => b.totalProfit - a.totalProfit);
}

/** How long trades lasted, in whole minutes; null where there are none. */
export interface DurationFigures {
  average: number | null;
  shortest: number | null;
  longest: number | null;
}

/** Durations of all trades, of the winners and of the losers. */
export function durationsOf(trades: readonly Trade[]): Record<'all' | 'winners' | 'losers', DurationFigures> {
  return {
    all: durationFigures(trades),
    winners: durationFigures(trades.filter((trade) => (trade.profitRatio ?? 0) > 0)),
    losers: durationFigures(trades.filter((trade) => (trade.profitRatio ?? 0) < 0)),
  };
}

function durationFigures(trades: readonly Trade[]): DurationFigures {
  if (trades.length === 0) return { average: null, shortest: null, longest: null };
  let sum = 0;
  let shortest = Infinity;
  let longest = -Infinity;
  for (const trade of trades) {
    const minutes = durationMinutes(trade);
    sum += minutes;
    shortest = Math.min(shortest, minutes);
    longest = Math.max(longest, minutes);
  }
  return { average: roundHalfEven(sum / trades.length, 0), shortest, longest };
}
