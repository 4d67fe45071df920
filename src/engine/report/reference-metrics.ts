import { dayMs, minuteMs } from '../market/durations.ts';
import type { Trade } from '../account/trade.ts';
import { roundHalfEven } from './round-half-even.ts';
import { studentTwoSided } from './student-t.ts';

/**
 * Figures of a set of trades by the reference's definitions ("per trade, freqtrade").
 *
 * -100 and 100 are the reference's sentinels for "cannot be said". The Sharpe ratio's mean is per day but its deviation per
 * trade, so it grows with the number of trades and compares with no fund's.
 */
export interface ReferenceMetrics {
  tradeCount: number;
  totalProfit: number;
  totalProfitRatio: number; // of the starting balance
  meanProfitRatio: number;
  medianProfitRatio: number;
  wins: number;
  draws: number;
  losses: number;
  winRate: number;
  profitFactor: number; // 0 when there is no loss
  expectancy: number;
  expectancyRatio: number; // 100 when there is no loss
  sharpe: number;
  sortino: number;
  calmar: number;
  cagr: number;
  sqn: number;
  pValue: number;
  maxDrawdownAbs: number;
  accountDrawdown: number; // relative, at the point of the largest absolute fall
  relativeDrawdown: number; // largest relative fall
  drawdownStartTime: number | null; // close of the trade that set the high; without any fall the first close; null without trades
  drawdownEndTime: number | null;
  drawdownHigh: number; // running profit at the high
  drawdownLow: number;
  maxConsecutiveWins: number;
  maxConsecutiveLosses: number; // a draw counts as a loss
  lowBalance: number;
  highBalance: number;
  averageDurationMs: number; // whole minutes
  averageStake: number;
  totalVolume: number; // order costs, fees included
  tradesPerDay: number; // 2 decimals
  days: number;
  winningDays: number;
  drawDays: number;
  losingDays: number;
  bestDay: number; // quote currency
  worstDay: number;
}

/** The span and the balances that the figures refer to. */
export interface MetricSpan {
  startTime: number; // first candle after warm-up
  endTime: number;
  startingBalance: number; // without the tradable share
  finalBalance: number;
}

/** All figures of closed trades, given in closing order. */
export function referenceMetrics(trades: readonly Trade[], span: MetricSpan): ReferenceMetrics {
  const { startingBalance } = span;
  const profits = trades.map((trade) => trade.profit ?? 0);
  const ratios = trades.map((trade) => trade.profitRatio ?? 0);
  const returns = profits.map((profit) => profit / startingBalance);
  const days = Math.max(1, Math.floor((span.endTime - span.startTime) / dayMs));
  const totalProfit = sum(profits);
  const wins = ratios.filter((ratio) => ratio > 0).length;
  const losses = ratios.filter((ratio) => ratio < 0).length;
  const winRate = trades.length === 0 ? 0 : wins / trades.length;
  const perDay = totalProfit / startingBalance / days;
  const isEmpty = trades.length === 0 || span.startTime === span.endTime;
  const ratioTo = (deviation: number): number => (isEmpty ? 0 : deviation > 0 ? (perDay / deviation) * Math.sqrt(365) : -100);
  const drawdown = drawdownOf(trades, startingBalance);
  const { lowBalance, highBalance } = balanceRange(profits, startingBalance);

  return {
    tradeCount: trades.length,
    totalProfit,
    totalProfitRatio: totalProfit / startingBalance,
    meanProfitRatio: mean(ratios),
    medianProfitRatio: median(ratios),
    wins,
    draws: trades.length - wins - losses,
    losses,
    winRate,
    ...expectancyOf(profits),
    sharpe: ratioTo(deviationOf(returns, 0)),
    sortino: ratioTo(
      deviationOf(
        returns.filter((value) => value < 0),
        0,
      ),
    ),
    calmar: isEmpty ? 0 : drawdown.accountDrawdown > 0 ? ((perDay * 100) / drawdown.accountDrawdown) * Math.sqrt(365) : -100,
    cagr: span.finalBalance < 0 ? 0 : (span.finalBalance / startingBalance) ** (365 / days) - 1,
    sqn: sqnOf(returns),
    pValue: pValueOf(returns),
    ...drawdown,
    ...streaksOf(ratios),
    lowBalance,
    highBalance,
    averageDurationMs: averageDurationMs(trades),
    averageStake: mean(trades.map((trade) => trade.stake)),
    totalVolume: sum(trades.flatMap(orderCosts)),
    tradesPerDay: roundHalfEven(trades.length / days, 2),
    days,
    ...dayFigures(trades),
  };
}

/** Whole minutes from the first order to the close. */
export function durationMinutes(trade: Trade): number {
  return trade.closeTime === null ? 0 : Math.floor((trade.closeTime - trade.openTime) / minuteMs);
}

/** How long trades lasted on average, in whole minutes. Unit: ms; 0 without trades */
export function averageDurationMs(trades: readonly Trade[]): number {
  return roundHalfEven(mean(trades.map(durationMinutes)), 0) * minuteMs;
}

/** What a trade brings on average, what for each unit that is risked, and what was won for each unit that was lost. */
export function expectancyOf(profits: readonly number[]): { expectancy: number; expectancyRatio: number; profitFactor: number } {
  const gains = profits.filter((profit) => profit > 0);
  const falls = profits.filter((profit) => profit < 0);
  const lost = Math.abs(sum(falls));
  const averageWin = gains.length === 0 ? 0 : sum(gains) / gains.length;
  const averageLoss = falls.length === 0 ? 0 : lost / falls.length;
  const winRate = profits.length === 0 ? 0 : gains.length / profits.length;
  const lossrate = profits.length === 0 ? 0 : falls.length / profits.length;
  return {
    profitFactor: lost === 0 ? 0 : sum(gains) / lost,
    expectancy: winRate * averageWin - lossrate * averageLoss,
    expectancyRatio: averageLoss === 0 ? 100 : (1 + averageWin / averageLoss) * winRate - 1,
  };
}

/** The falls of the balance from its highs, trade by trade in closing order. */
export function drawdownOf(trades: readonly Pick<Trade, 'closeTime' | 'profit'>[], startingBalance: number) {
  // Stably by close time: the closing order decides within one instant.
  const sorted = [...trades].sort((a, b) => (a.closeTime ?? 0) - (b.closeTime ?? 0));
  let running = 0;
  let high = 0;
  let highTime: number | null = null;
  const worst = {
    maxDrawdownAbs: 0,
    accountDrawdown: 0,
    relativeDrawdown: 0,
    // Where nothing was lost, both are the first close, as in the reference.
    drawdownStartTime: sorted[0]?.closeTime ?? null,
    drawdownEndTime: sorted[0]?.closeTime ?? null,
    drawdownHigh: 0,
    drawdownLow: 0,
  };
  for (const trade of sorted) {
    running += trade.profit ?? 0;
    if (running > high) {
      high = running;
      highTime = trade.closeTime;
    }
    const fall = high - running;
    const relative = fall / (startingBalance + high);
    worst.relativeDrawdown = Math.max(worst.relativeDrawdown, relative);
    if (fall > worst.maxDrawdownAbs) {
      worst.maxDrawdownAbs = fall;
      worst.accountDrawdown = relative;
      worst.drawdownStartTime = highTime ?? sorted[0].closeTime;
      worst.drawdownEndTime = trade.closeTime;
      worst.drawdownHigh = high;
      worst.drawdownLow = running;
    }
  }
  return worst;
}

function sqnOf(returns: readonly number[]): number {
  if (returns.length === 0) return 0;
  const deviation = returns.length < 2 ? 0 : deviationOf(returns, 1);
  if (!(deviation > 0)) return -100;
  return roundHalfEven(Math.sqrt(returns.length) * (mean(returns) / deviation), 4);
}

function pValueOf(returns: readonly number[]): number {
  if (returns.length < 2) return 1;
  const deviation = deviationOf(returns, 1);
  if (!(deviation > 0)) return 1;
  return studentTwoSided((mean(returns) / deviation) * Math.sqrt(returns.length), returns.length - 1);
}

function streaksOf(ratios: readonly number[]): { maxConsecutiveWins: number; maxConsecutiveLosses: number } {
  let wins = 0;
  let losses = 0;
  let maxConsecutiveWins = 0;
  let maxConsecutiveLosses = 0;
  for (const ratio of ratios) {
    wins = ratio > 0 ? wins + 1 : 0;
    losses = ratio > 0 ? 0 : losses + 1;
    maxConsecutiveWins = Math.max(maxConsecutiveWins, wins);
    maxConsecutiveLosses = Math.max(maxConsecutiveLosses, losses);
  }
  return { maxConsecutiveWins, maxConsecutiveLosses };
}

function balanceRange(profits: readonly number[], startingBalance: number): { lowBalance: number; highBalance: number } {
  let balance = startingBalance;
  let lowBalance = Infinity;
  let highBalance = -Infinity;
  for (const profit of profits) {
    balance += profit;
    lowBalance = Math.min(lowBalance, balance);
    highBalance = Math.max(highBalance, balance);
  }
  return profits.length === 0 ? { lowBalance: startingBalance, highBalance: startingBalance } : { lowBalance, highBalance };
}

function dayFigures(trades: readonly Trade[]) {
  const byDay = new Map<number, number>();
  for (const trade of trades) {
    const day = Math.floor((trade.closeTime ?? 0) / dayMs);
    byDay.set(day, (byDay.get(day) ?? 0) + (trade.profit ?? 0));
  }
  const values = [...byDay.values()];
  const winningDays = values.filter((value) => value > 0).length;
  const losingDays = values.filter((value) => value < 0).length;
  const dayNumbers = [...byDay.keys()];
  let first = Infinity;
  let last = -Infinity;
  for (const day of dayNumbers) {
    first = Math.min(first, day);
    last = Math.max(last, day);
  }
  // Days without trades inside the span are days of 0.
  const spanDays = values.length === 0 ? 0 : last - first + 1;
  const hasEmptyDay = spanDays > values.length;
  const best = values.reduce((a, b) => Math.max(a, b), hasEmptyDay ? 0 : -Infinity);
  const worst = values.reduce((a, b) => Math.min(a, b), hasEmptyDay ? 0 : Infinity);
  return {
    winningDays,
    losingDays,
    drawDays: spanDays - winningDays - losingDays,
    bestDay: values.length === 0 ? 0 : best,
    worstDay: values.length === 0 ? 0 : worst,
  };
}

/** Cost of each order, which includes the fee in both directions. */
function orderCosts(trade: Trade): number[] {
  return trade.orders
    .filter((order) => order.filled > 0)
    .map((order) => order.filled * (order.fillPrice ?? 0) * (1 + (order.feeRatio ?? 0)));
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Standard deviation, 0 where there are too few values; `lost` degrees of freedom are 0 for a population and 1 for a sample. */
export function deviationOf(values: readonly number[], lost: 0 | 1): number {
  if (values.length <= lost) return 0;
  const centre = mean(values);
  let squares = 0;
  for (const value of values) squares += (value - centre) ** 2;
  return Math.sqrt(squares / (values.length - lost));
}
