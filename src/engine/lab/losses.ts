import type { Trade } from '../account/trade.ts';
import { dayMs } from '../market/durations.ts';
import { deviationOf, drawdownOf, durationMinutes, expectancyOf } from '../report/reference-metrics.ts';

/** What a loss is calculated from. Needs: at least one trade */
export interface LossInput {
  trades: readonly Trade[]; // closed ones, in closing order
  symbols: readonly string[]; // all pairs, also those without a trade
  startingBalance: number;
  startTime: number; // first candle after the warm-up
  endTime: number; // last candle
}

/** What a study makes small: less is better. Infinity or NaN where it cannot be said. */
type Loss = (input: LossInput) => number;

/**
 * The losses by freqtrade's names, with its formulae.
 *
 * Source: freqtrade 2026.9, `optimize/hyperopt_loss` and `data/metrics.py`
 */
export const losses = {
  ShortTradeDurHyperOptLoss: shortDuration,
  OnlyProfitHyperOptLoss: ({ trades }) => -sumOf(profitsOf(trades)),
  SharpeHyperOptLoss: (input) => -annual(meanPerDay(input), deviationOf(returnsOf(input), 0), -100),
  SharpeHyperOptLossDaily: sharpeByDay,
  SortinoHyperOptLoss: (input) => {
    const falls = returnsOf(input).filter((value) => value < 0);
    return -annual(meanPerDay(input), deviationOf(falls, 0), -100);
  },
  SortinoHyperOptLossDaily: sortinoByDay,
  CalmarHyperOptLoss: (input) => -annual(meanPerDay(input) * 100, drawdownOf(input.trades, input.startingBalance).accountDrawdown, -100),
  MaxDrawDownHyperOptLoss: ({ trades }) => -sumOf(profitsOf(trades)) / drawdownOf(trades, 0).maxDrawdownAbs,
  MaxDrawDownRelativeHyperOptLoss: ({ trades, startingBalance }) => {
    const { maxDrawdownAbs, relativeDrawdown } = drawdownOf(trades, startingBalance);
    const profit = sumOf(profitsOf(trades));
    return maxDrawdownAbs === 0 ? -profit : -profit / maxDrawdownAbs / relativeDrawdown;
  },
  MaxDrawDownPerPairHyperOptLoss: worstPair,
  ProfitDrawDownHyperOptLoss: ({ trades, startingBalance }) => -withoutDrawdown(trades, startingBalance, 0.075),
  MultiMetricHyperOptLoss: manyMetrics,
} as const satisfies Record<string, Loss>;

/** The name of a loss. */
export type LossName = keyof typeof losses;

/** The names of all losses. */
export const lossNames = Object.keys(losses) as readonly LossName[];

/** Many short trades that win: 1 for profit, 0.4 for time, 0.25 for the number of trades. */
function shortDuration({ trades }: LossInput): number {
  const profit = sumOf(ratiosOf(trades));
  const minutes = sumOf(trades.map(durationMinutes)) / trades.length;
  const ofCount = 1 - 0.25 * Math.exp(-((trades.length - 600) ** 2) / 10 ** 5.8);
  const ofProfit = Math.max(0, 1 - profit / 3);
  return ofCount + ofProfit + 0.4 * Math.min(minutes / 300, 1);
}

function sharpeByDay(input: LossInput): number {
  const days = ratiosByDay(input);
  return -annual(sumOf(days) / days.length, days.length < 2 ? NaN : deviationOf(days, 1), -20);
}

function sortinoByDay(input: LossInput): number {
  const days = ratiosByDay(input);
  const squares = days.map((value) => Math.min(value, 0) ** 2);
  return -annual(sumOf(days) / days.length, Math.sqrt(sumOf(squares) / days.length), -20);
}

/** The profit ratios of the trades closed on each day, 0.0005 less for each of them: what an order may miss of its price. */
function ratiosByDay({ trades, startTime, endTime }: LossInput): number[] {
  const first = Math.floor(startTime / dayMs);
  const days = Array.from({ length: Math.floor(endTime / dayMs) - first + 1 }, () => 0);
  for (const { closeTime, profitRatio } of trades) {
    const day = Math.floor((closeTime ?? 0) / dayMs) - first;
    if (day >= 0 && day < days.length) days[day] += (profitRatio ?? 0) - 0.0005;
  }
  return days;
}

/** The pair with the worst profit for each unit of its deepest fall; below 1 it counts 20 less. */
function worstPair({ trades, symbols, startingBalance }: LossInput): number {
  const scores = symbols.map((symbol) => {
    const own = trades.filter((trade) => trade.symbol === symbol);
    const profit = sumOf(profitsOf(own));
    const { maxDrawdownAbs } = drawdownOf(own, startingBalance);
    const score = maxDrawdownAbs !== 0 && profit !== 0 ? profit / maxDrawdownAbs : profit;
    return score < 1 ? score - 20 : score;
  });
  return -Math.min(...scores);
}

function manyMetrics({ trades, startingBalance }: LossInput): number {
  const profits = profitsOf(trades);
  const won = sumOf(profits.filter((profit) => profit > 0));
  const lost = sumOf(profits.filter((profit) => profit < 0));
  const ofFactor = Math.log(won / (Math.abs(lost) + 1e-6) + 1);
  const ofExpectancy = Math.log(Math.min(10, expectancyOf(profits).expectancyRatio) + 2);
  const ofWins = Math.log(1.2 + profits.filter((profit) => profit > 0).length / profits.length);
  const ofCount = trades.length < 50 ? Math.max(1 - (50 - trades.length) / 50, 0.1) : 1;
  return -withoutDrawdown(trades, startingBalance, 0.055) * ofFactor * ofExpectancy * ofWins * ofCount;
}

/** The profit without the part of it that the drawdown was of the account; `spared` of that part stays. */
function withoutDrawdown(trades: readonly Trade[], startingBalance: number, spared: number): number {
  const profit = sumOf(profitsOf(trades));
  return profit - drawdownOf(trades, startingBalance).accountDrawdown * profit * (1 - spared);
}

function meanPerDay({ trades, startingBalance, startTime, endTime }: LossInput): number {
  const days = Math.max(1, Math.floor((endTime - startTime) / dayMs));
  return sumOf(profitsOf(trades)) / startingBalance / days;
}

function annual(mean: number, deviation: number, without: number): number {
  return deviation === 0 ? without : (mean / deviation) * Math.sqrt(365);
}

function returnsOf({ trades, startingBalance }: LossInput): number[] {
  return trades.map(({ profit }) => (profit ?? 0) / startingBalance);
}

function profitsOf(trades: readonly Trade[]): number[] {
  return trades.map(({ profit }) => profit ?? 0);
}

function ratiosOf(trades: readonly Trade[]): number[] {
  return trades.map(({ profitRatio }) => profitRatio ?? 0);
}

function sumOf(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
