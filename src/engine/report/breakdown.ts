import type { Trade } from '../account/trade.ts';
import { averageDurationMs, drawdownOf, durationMinutes } from './reference-metrics.ts';
import { roundHalfEven } from './round-half-even.ts';

/** The figures of the trades that share something: a symbol, a tag, a reason. Wins are counted by money. */
export interface BreakdownRow {
  key: string;
  tradeCount: number;
  wins: number;
  draws: number;
  losses: number;
  winRate: number;
  totalProfit: number;
  totalProfitRatio: number; // of the starting balance
  meanProfitRatio: number;
  averageDurationMs: number; // whole minutes
  maxDrawdownAbs: number;
}

/** What trades can be broken down by. */
export type BreakdownKey = 'symbol' | 'enterTag' | 'exitReason' | 'direction';

/** One row per value that occurs, the most profitable first; trades without one have the key ''. */
export function breakdown(trades: readonly Trade[], by: BreakdownKey, startingBalance: number): BreakdownRow[] {
  const groups = new Map<string, Trade[]>();
  for (const trade of trades) {
    const key = trade[by] ?? '';
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [trade]);
    else group.push(trade);
  }
  return [...groups].map(([key, group]) => rowOf(key, group, startingBalance)).sort((a, b) => b.totalProfit - a.totalProfit);
}

function rowOf(key: string, trades: readonly Trade[], startingBalance: number): BreakdownRow {
  let [wins, losses, totalProfit, ratios] = [0, 0, 0, 0];
  for (const { profit, profitRatio } of trades) {
    if ((profit ?? 0) > 0) wins += 1;
    if ((profit ?? 0) < 0) losses += 1;
    totalProfit += profit ?? 0;
    ratios += profitRatio ?? 0;
  }
  return {
    key,
    tradeCount: trades.length,
    wins,
    draws: trades.length - wins - losses,
    losses,
    winRate: wins / trades.length,
    totalProfit,
    totalProfitRatio: totalProfit / startingBalance,
    meanProfitRatio: ratios / trades.length,
    averageDurationMs: averageDurationMs(trades),
    maxDrawdownAbs: drawdownOf(trades, startingBalance).maxDrawdownAbs,
  };
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
