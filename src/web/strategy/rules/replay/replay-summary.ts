import type { StrategyBacktestResult } from '#engine/backtest/backtest-strategy.ts';
import type { Trade } from '#engine/account/trade.ts';
import { filledEntries } from '#engine/account/trade.ts';
import { entryReport } from '#engine/report/entry-report.ts';
import { maxDrawdownOf } from '#engine/report/performance.ts';
import type { CurvePoint } from '../../../chart/equity-chart.tsx';

/** A trade of a replay as the page shows it. Money in stake currency, times in ms. */
export interface ReplayTrade {
  openTime: number;
  closeTime: number;
  direction: 'long' | 'short';
  entryPrice: number;
  exitPrice: number;
  profit: number; // after fees and funding
  entryTag: string;
  exitReason: string;
  added: number; // further entries
  takenOut: number; // parts left before the end
}

/** What a replay came to, after fees, of closed trades. Ratios as fractions; null where there is nothing to work it out of. */
export interface ReplayFigures {
  netPnl: number;
  trades: number;
  winRate: number | null;
  maxDrawdown: number; // the largest fall of the profit from its highest so far
  profitFactor: number | null; // sum of gains over sum of losses; null without a loss
  averageTrade: number | null;
  worstTrade: number | null;
  fees: number;
  averageTimeMs: number | null; // from entry to exit
}

/** A replay as the page shows it. */
export interface ReplaySummary {
  startTime: number; // first candle
  endTime: number; // last candle
  currency: string; // of the stake
  stake: number;
  capital: number;
  figures: ReplayFigures;
  trades: ReplayTrade[]; // in the sequence of their entries
  equity: CurvePoint[]; // the profit so far: 0 at the start, then after each closed trade
  noTrades: string | null; // why there is not one, a sentence
  stopped: string | null; // when and why entries ended for good
}

/** The summary of a backtest with this stake. */
export function summaryOf(result: StrategyBacktestResult, { stake, currency }: { stake: number; currency: string }): ReplaySummary {
  const { trades, startTime, endTime, startingBalance } = result;
  const { noTrades, stopped } = entryReport(result, currency);
  return {
    startTime,
    endTime,
    currency,
    stake,
    capital: startingBalance,
    figures: figuresOf(trades, startingBalance),
    trades: trades.map(tradeOf).sort((a, b) => a.openTime - b.openTime),
    equity: equityOf(trades, startTime, endTime),
    noTrades,
    stopped,
  };
}

/** The figures of closed trades. */
export function figuresOf(trades: readonly Trade[], startingBalance: number): ReplayFigures {
  const profits = trades.map(profitOf);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const [gains, losses] = [profits.filter((profit) => profit > 0), profits.filter((profit) => profit < 0)];
  const closed = trades.map((trade) => ({ closeTime: trade.closeTime ?? 0, profit: profitOf(trade) }));
  const count = trades.length;
  return {
    netPnl: sum(profits),
    trades: count,
    winRate: count === 0 ? null : gains.length / count,
    maxDrawdown: maxDrawdownOf(closed, startingBalance).amount,
    profitFactor: losses.length === 0 ? null : sum(gains) / -sum(losses),
    averageTrade: count === 0 ? null : sum(profits) / count,
    worstTrade: count === 0 ? null : Math.min(...profits),
    fees: sum(trades.map(feesOf)),
    averageTimeMs: count === 0 ? null : sum(trades.map(({ openTime, closeTime }) => (closeTime ?? openTime) - openTime)) / count,
  };
}

/** What a stake held from the first candle on would have gained or lost, at most a thousand points. */
export function holdingOf(result: StrategyBacktestResult, stake: number): CurvePoint[] {
  const candles = result.computed[0]?.candles;
  if (candles === undefined) return [];
  const first = candles.openTime.findIndex((time) => time >= result.startTime);
  const bought = candles.close[first] ?? 0;
  if (first === -1 || bought === 0) return [];
  const count = candles.openTime.length - first;
  const points = Math.min(count, mostPoints);
  return Array.from({ length: points }, (_, i) => {
    const row = first + (points === 1 ? 0 : Math.round((i * (count - 1)) / (points - 1)));
    return { time: candles.openTime[row] ?? 0, value: stake * ((candles.close[row] ?? bought) / bought - 1) };
  });
}

const mostPoints = 1_000;

function tradeOf(trade: Trade): ReplayTrade {
  const exits = trade.orders.filter(({ purpose, filled }) => purpose === 'exit' && filled > 0).length;
  return {
    openTime: trade.openTime,
    closeTime: trade.closeTime ?? trade.openTime,
    direction: trade.direction,
    entryPrice: trade.openRate,
    exitPrice: trade.closeRate ?? trade.openRate,
    profit: profitOf(trade),
    entryTag: trade.enterTag ?? '',
    exitReason: trade.exitReason ?? '',
    added: Math.max(0, filledEntries(trade) - 1),
    takenOut: Math.max(0, exits - 1),
  };
}

function equityOf(trades: readonly Trade[], startTime: number, endTime: number): CurvePoint[] {
  const points: CurvePoint[] = [{ time: startTime, value: 0 }];
  let profit = 0;
  for (const trade of [...trades].sort((a, b) => (a.closeTime ?? 0) - (b.closeTime ?? 0))) {
    profit += profitOf(trade);
    const time = trade.closeTime ?? endTime;
    const last = points.at(-1);
    if (last?.time === time) last.value = profit;
    else points.push({ time, value: profit });
  }
  if ((points.at(-1)?.time ?? endTime) < endTime) points.push({ time: endTime, value: profit });
  return points;
}

function feesOf({ orders }: Trade): number {
  return orders.reduce((sum, { filled, fillPrice, feeRatio }) => sum + filled * (fillPrice ?? 0) * (feeRatio ?? 0), 0);
}

function profitOf({ profit }: Trade): number {
  return profit ?? 0;
}
