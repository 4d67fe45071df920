import type { Trade } from '../../account/trade.ts';
import type { BacktestResult } from '../../backtest/backtest-result.ts';
import { fingerprintOf } from '../../backtest/fingerprint.ts';
import { dailyEquityMetrics } from '../../report/daily-equity-metrics.ts';
import { entryReport } from '../../report/entry-report.ts';
import { feesOf } from '../../report/equity-curve.ts';
import { maxDrawdownOf } from '../../report/performance.ts';

/** A trade of a replay. Money in stake currency, times in ms. */
export interface WhatIfTrade {
  symbol: string;
  direction: 'long' | 'short';
  openTime: number;
  closeTime: number;
  entryPrice: number;
  exitPrice: number;
  profit: number; // after fees and funding
  exitReason: string;
}

/** What a replay came to, after fees and funding, of closed trades. Ratios as fractions; null where there is nothing to work it out of. */
export interface WhatIfFigures {
  netPnl: number;
  trades: number;
  winRate: number | null;
  maxDrawdown: number; // the largest fall of the profit from its highest so far, in stake currency
  losingStreak: number; // trades in a row that did not win
  fees: number;
  sharpe: number | null; // of daily equity, open trades included
}

/** A replay as it is compared with another. */
export interface WhatIfReport {
  fingerprint: string; // of its trades; see `fingerprintOf`
  startTime: number; // first candle
  endTime: number; // last candle
  figures: WhatIfFigures;
  trades: WhatIfTrade[]; // in the sequence of their entries
  equity: { time: number; value: number }[]; // the profit so far: 0 at the start, then after each closed trade
  noTrades: string | null; // why there is not one, a sentence
  stopped: string | null; // when and why entries ended for good
}

/** What a reader of the result knows besides. */
export interface ReportTerms {
  currency: string; // of the stake
  fingerprinted: number | null; // how many trades the fingerprint is of, in closing order; null: of all
}

/** The report of a backtest. */
export function whatIfReport(result: BacktestResult, { currency, fingerprinted }: ReportTerms): WhatIfReport {
  const { trades, startTime, endTime, startingBalance, dailyBalance } = result;
  const { noTrades, stopped } = entryReport(result, currency);
  const closed = trades.map((trade) => ({ closeTime: trade.closeTime ?? endTime, profit: trade.profit ?? 0 }));
  const wins = closed.filter(({ profit }) => profit > 0).length;
  return {
    fingerprint: fingerprintOf(fingerprinted === null ? trades : trades.slice(0, fingerprinted)),
    startTime,
    endTime,
    figures: {
      netPnl: closed.reduce((sum, { profit }) => sum + profit, 0),
      trades: trades.length,
      winRate: trades.length === 0 ? null : wins / trades.length,
      maxDrawdown: maxDrawdownOf(closed, startingBalance).amount,
      losingStreak: longestStreak(closed.map(({ profit }) => profit <= 0)),
      fees: feesOf(trades),
      sharpe: dailyEquityMetrics(dailyBalance, startingBalance).sharpe,
    },
    trades: trades.map(tradeOf).sort((a, b) => a.openTime - b.openTime),
    equity: equityOf(closed, startTime, endTime),
    noTrades,
    stopped,
  };
}

function tradeOf(trade: Trade): WhatIfTrade {
  const { symbol, direction, openTime, closeTime, openRate, closeRate, profit, exitReason } = trade;
  return {
    symbol,
    direction,
    openTime,
    closeTime: closeTime ?? openTime,
    entryPrice: openRate,
    exitPrice: closeRate ?? openRate,
    profit: profit ?? 0,
    exitReason: exitReason ?? '',
  };
}

function longestStreak(isPart: readonly boolean[]): number {
  let [longest, now] = [0, 0];
  for (const part of isPart) {
    now = part ? now + 1 : 0;
    longest = Math.max(longest, now);
  }
  return longest;
}

/** Trades come in closing order. */
function equityOf(closed: readonly { closeTime: number; profit: number }[], startTime: number, endTime: number): WhatIfReport['equity'] {
  const points: WhatIfReport['equity'] = [{ time: startTime, value: 0 }];
  let profit = 0;
  for (const trade of closed) {
    profit += trade.profit;
    const last = points[points.length - 1];
    if (last.time === trade.closeTime) last.value = profit;
    else points.push({ time: trade.closeTime, value: profit });
  }
  if (points[points.length - 1].time < endTime) points.push({ time: endTime, value: profit });
  return points;
}
