import type { Trade } from '../account/trade.ts';
import type { BacktestResult } from '../backtest/backtest-result.ts';
import { fingerprintOf } from '../backtest/fingerprint.ts';
import type { CandleColumns } from '../market/candle.ts';
import { dayMs, hourMs, minuteMs } from '../market/durations.ts';
import type { BacktestTrade, TimedValue } from './backtest-summary.ts';
import { dailyEquityMetrics } from './daily-equity-metrics.ts';
import { entryReport, gateName } from './entry-report.ts';
import { drawdownOf, equityOf, feesOf, thinned } from './equity-curve.ts';

/** The version of `PortfolioDetails` that this program keeps; see `detailsVersion`. */
export const portfolioVersion = 1;

/** How many trades are kept of a run. */
const mostTrades = 20_000;

/** How many refused signals are listed of a run. */
export const mostRefusedSignals = 5_000;

/** The figures of the trades that share something. Each split of a run adds up to the same. */
export interface PortfolioGroup {
  key: string; // the symbol, tag, reason; '' for none
  trades: number;
  wins: number; // above 0 after costs
  pnl: number; // after fees and funding
  profit_factor: number | null; // gains over losses; null without a loss
  best: number; // trade; 0 without one
  worst: number;
  minutes: number; // mean time from entry to exit
}

/** A trade of a run over several pairs. */
export interface PortfolioTrade extends BacktestTrade {
  symbol: string;
}

/** What is kept of a backtest over several pairs. Names as they travel; money in stake currency, ratios as fractions. */
export interface PortfolioDetails {
  version: typeof portfolioVersion;
  from: number;
  to: number;
  currency: string;
  candles: number; // of all pairs, in the range
  without_candles: string[]; // pairs that had none in the range
  starting_balance: number;
  final_balance: number;
  net_pnl: number;
  net_ratio: number; // of the starting balance
  hold_pnl: number; // of the starting balance held in the pairs in equal parts
  fees: number;
  slippage: number;
  funding: number | null; // of perpetuals; positive was received
  max_drawdown: number; // between any two candles
  max_drawdown_ratio: number; // of the balance it fell from
  sharpe: number | null; // of daily equity
  sortino: number | null;
  days: { day: string; pnl: number; trades: number }[]; // by the day of the exit, UTC; every day of the range
  months: { month: string; pnl: number; ratio: number; trades: number; wins: number }[]; // ratio: of the balance at its start
  total: PortfolioGroup;
  pairs: PortfolioGroup[]; // the most profitable first
  directions: PortfolioGroup[];
  entry_tags: PortfolioGroup[];
  exit_reasons: PortfolioGroup[];
  weekdays: PortfolioGroup[]; // of the entry, UTC: '1' (Monday) to '7'
  hours: PortfolioGroup[]; // of the entry, UTC: '0' to '23'
  equity: TimedValue[]; // after each closed trade
  drawdown: TimedValue[];
  hold: TimedValue[];
  entries: {
    signals: number;
    entered: number;
    unfilled: number;
    refused: { gate: string; name: string; count: number; reason: string }[];
    no_trades: string | null;
    stopped: string | null;
  };
  refused: { time: number; symbol: string; gate: string; name: string }[]; // by time, the first 5,000
  trades: PortfolioTrade[]; // in closing order, the first 20,000
  fingerprint: string; // two runs with the same trades have the same
  notes?: string[]; // what there is to say of the strategy, in sentences
}

/** What a caller knows and the result does not. */
export interface PortfolioFacts {
  to: number; // end of the range
  currency: string;
  candles: readonly { symbol: string; candles: CandleColumns }[];
  withoutCandles: readonly string[];
  slippageShare: number; // of what fills cost; the rest are fees
}

/** The summary of a run over several pairs. */
export function portfolioSummary(result: BacktestResult, facts: PortfolioFacts): PortfolioDetails {
  const { trades, startingBalance, startTime, endTime } = result;
  const equity = equityOf(trades, startingBalance, startTime, endTime);
  const hold = holdOf(facts.candles, startingBalance, result);
  const costs = feesOf(trades);
  const daily = dailyEquityMetrics(result.dailyBalance, startingBalance);
  const total = groupOf('', trades);
  const { signals, entered, unfilled, refused, noTrades, stopped } = entryReport(result, facts.currency);
  return {
    version: portfolioVersion,
    from: startTime,
    to: facts.to,
    currency: facts.currency,
    candles: facts.candles.reduce((sum, { candles }) => sum + candlesIn(candles, result), 0),
    without_candles: [...facts.withoutCandles],
    starting_balance: startingBalance,
    final_balance: result.finalBalance,
    net_pnl: total.pnl,
    net_ratio: total.pnl / startingBalance,
    hold_pnl: (hold.at(-1)?.value ?? startingBalance) - startingBalance,
    fees: costs * (1 - facts.slippageShare),
    slippage: costs * facts.slippageShare,
    funding: fundingOf(trades),
    max_drawdown: daily.maxDrawdownAbs,
    max_drawdown_ratio: result.dailyBalance.accountDrawdown,
    sharpe: daily.sharpe,
    sortino: daily.sortino,
    days: daysOf(trades, startTime, endTime),
    months: monthsOf(trades, startTime, endTime, startingBalance),
    total,
    pairs: split(
      trades,
      ({ symbol }) => symbol,
      facts.candles.map(({ symbol }) => symbol),
    ),
    directions: split(trades, ({ direction }) => direction),
    entry_tags: split(trades, ({ enterTag }) => enterTag ?? ''),
    exit_reasons: split(trades, ({ exitReason }) => exitReason ?? ''),
    weekdays: split(trades, ({ openTime }) => String(weekdayOf(openTime))).sort((a, b) => Number(a.key) - Number(b.key)),
    hours: split(trades, ({ openTime }) => String(Math.floor((openTime % dayMs) / hourMs))).sort((a, b) => Number(a.key) - Number(b.key)),
    equity: thinned(equity),
    drawdown: thinned(drawdownOf(equity, startingBalance)),
    hold,
    entries: { signals, entered, unfilled, refused, no_trades: noTrades, stopped },
    refused: result.entries.listed.map(({ time, symbol, gate }) => ({ time, symbol, gate, name: gateName(gate) })),
    trades: trades.slice(0, mostTrades).map(lineOf),
    fingerprint: fingerprintOf(trades),
  };
}

/** One group for each key, the most profitable first; `all` are there without trades too. */
function split(trades: readonly Trade[], keyOf: (trade: Trade) => string, all: readonly string[] = []): PortfolioGroup[] {
  const groups = new Map<string, Trade[]>(all.map((key) => [key, []]));
  for (const trade of trades) {
    const key = keyOf(trade);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [trade]);
    else group.push(trade);
  }
  return [...groups].map(([key, group]) => groupOf(key, group)).sort((a, b) => b.pnl - a.pnl || (a.key < b.key ? -1 : 1));
}

function groupOf(key: string, trades: readonly Trade[]): PortfolioGroup {
  let [wins, gains, losses, best, worst, lengthMs] = [0, 0, 0, -Infinity, Infinity, 0];
  let pnl = 0;
  for (const trade of trades) {
    const profit = trade.profit ?? 0;
    pnl += profit;
    if (profit > 0) {
      wins += 1;
      gains += profit;
    } else losses -= profit;
    best = Math.max(best, profit);
    worst = Math.min(worst, profit);
    lengthMs += (trade.closeTime ?? trade.openTime) - trade.openTime;
  }
  const count = trades.length;
  return {
    key,
    trades: count,
    wins,
    pnl,
    profit_factor: losses > 0 ? gains / losses : null,
    best: count === 0 ? 0 : best,
    worst: count === 0 ? 0 : worst,
    minutes: count === 0 ? 0 : lengthMs / count / minuteMs,
  };
}

function fundingOf(trades: readonly Trade[]): number | null {
  if (!trades.some(({ marketType }) => marketType === 'futures')) return null;
  return trades.reduce((sum, { fundingFees }) => sum + fundingFees, 0);
}

function candlesIn({ openTime }: CandleColumns, { startTime, endTime }: BacktestResult): number {
  let count = 0;
  for (const time of openTime) if (time >= startTime && time <= endTime) count += 1;
  return count;
}

function daysOf(trades: readonly Trade[], startTime: number, endTime: number): PortfolioDetails['days'] {
  const days: PortfolioDetails['days'] = [];
  const places = new Map<number, PortfolioDetails['days'][number]>();
  for (let time = Math.floor(startTime / dayMs) * dayMs; time <= endTime; time += dayMs) {
    const day = { day: dateOf(time).slice(0, 10), pnl: 0, trades: 0 };
    days.push(day);
    places.set(time, day);
  }
  for (const { closeTime, profit } of trades) {
    const day = places.get(Math.floor((closeTime ?? endTime) / dayMs) * dayMs) ?? days.at(-1);
    if (day === undefined) continue;
    day.pnl += profit ?? 0;
    day.trades += 1;
  }
  return days;
}

function monthsOf(trades: readonly Trade[], startTime: number, endTime: number, startingBalance: number): PortfolioDetails['months'] {
  const months = new Map<string, PortfolioDetails['months'][number]>();
  for (let time = Math.floor(startTime / dayMs) * dayMs; time <= endTime; time += dayMs) {
    const month = dateOf(time).slice(0, 7);
    if (!months.has(month)) months.set(month, { month, pnl: 0, ratio: 0, trades: 0, wins: 0 });
  }
  const last = [...months.values()].at(-1);
  for (const { closeTime, profit } of trades) {
    const of = months.get(dateOf(closeTime ?? endTime).slice(0, 7)) ?? last;
    if (of === undefined) continue;
    of.pnl += profit ?? 0;
    of.trades += 1;
    if ((profit ?? 0) > 0) of.wins += 1;
  }
  let balance = startingBalance;
  for (const month of months.values()) {
    month.ratio = balance > 0 ? month.pnl / balance : 0;
    balance += month.pnl;
  }
  return [...months.values()];
}

/** The starting balance in equal parts, each in its pair from that pair's first candle of the range on; at most a thousand points. */
function holdOf(pairs: PortfolioFacts['candles'], startingBalance: number, { startTime, endTime }: BacktestResult): TimedValue[] {
  const part = startingBalance / Math.max(1, pairs.length);
  const places = pairs.map(({ candles }) => {
    const first = candles.openTime.findIndex((time) => time >= startTime);
    return { ...candles, first, at: first };
  });
  const steps = 999;
  return Array.from({ length: steps + 1 }, (_, i) => {
    const time = startTime + ((endTime - startTime) * i) / steps;
    let value = 0;
    for (const place of places) {
      const { openTime, close, first } = place;
      if (first === -1 || (openTime[first] ?? Infinity) > time) {
        value += part;
        continue;
      }
      while (place.at + 1 < openTime.length && (openTime[place.at + 1] ?? Infinity) <= time) place.at += 1;
      value += (part * (close[place.at] ?? 0)) / (close[first] ?? 1);
    }
    return { time: Math.round(time), value };
  });
}

function lineOf(trade: Trade): PortfolioTrade {
  return {
    symbol: trade.symbol,
    timestamp: trade.openTime,
    exit_timestamp: trade.closeTime ?? trade.openTime,
    direction: trade.direction,
    entry_price: trade.openRate,
    exit_price: trade.closeRate ?? trade.openRate,
    amount: trade.amount,
    stake: trade.stake,
    leverage: trade.leverage,
    pnl: trade.profit ?? 0,
    pnl_ratio: trade.profitRatio ?? 0,
    entry_tag: trade.enterTag,
    exit_reason: trade.exitReason ?? '',
  };
}

/** 1 (Monday) to 7; the first day of the epoch was a Thursday. */
function weekdayOf(time: number): number {
  return ((Math.floor(time / dayMs) + 3) % 7) + 1;
}

/** '2026-05-01T00:00:00.000Z': the day and the month are its beginning. */
function dateOf(time: number): string {
  return new Date(time).toISOString();
}
