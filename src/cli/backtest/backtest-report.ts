import type { BacktestResult } from '#engine/backtest/backtest-result.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import { breakdown, durationsOf } from '#engine/report/breakdown.ts';
import { entryReport, type EntryReport } from '#engine/report/entry-report.ts';
import { dailyEquityMetrics, type DailyEquityMetrics } from '#engine/report/daily-equity-metrics.ts';
import { perTradeMetrics, type PerTradeMetrics } from '#engine/report/per-trade-metrics.ts';
import type { QuirkName } from '#engine/risk/quirks.ts';
import { quirkTable } from '#engine/risk/quirks.ts';
import type { BacktestJob } from './backtest-job.ts';
import type { BacktestRun, QuirkEffect } from './backtest-run.ts';

/** What the trades of one pair, exit reason or tag have made. */
export interface ReportRow {
  key: string;
  trades: number;
  wins: number;
  draws: number;
  losses: number;
  winRate: number;
  totalProfit: number;
  totalProfitRatio: number; // of the starting balance
  meanProfitRatio: number;
  averageDurationMs: number;
  maxDrawdownAbs: number;
}

/** A backtest as it is reported, to programs as JSON and to people as a table. Times in ms, ratios as fractions. */
export interface BacktestReport {
  strategy: string;
  timeframe: string;
  detailTimeframe: string | null;
  marketType: string;
  pairs: string[];
  stakeCurrency: string;
  settings: TradingSettings;
  mode: BacktestResult['mode'];
  quirksOff: (Omit<QuirkEffect, 'quirk'> & { quirk: string; name: QuirkName; sentence: string })[]; // `quirk` is its number
  parityBalance: number | null;
  startTime: number;
  endTime: number;
  startingBalance: number;
  finalBalance: number;
  marketChange: number;
  counters: BacktestResult['counters']; // freqtrade's own
  entries: EntryReport; // what became of every signal
  unclosedTrades: number;
  perTrade: PerTradeMetrics;
  durations: ReturnType<typeof durationsOf>;
  dailyEquity: DailyEquityMetrics;
  byPair: ReportRow[];
  byExitReason: ReportRow[];
  byEnterTag: ReportRow[];
  equity: { time: number; balance: number }[]; // the last value of each day, UTC
  notes: string[];
}

/** The report of a run. */
export function reportOf(job: BacktestJob, run: BacktestRun): BacktestReport {
  const { result } = run;
  const { startTime, endTime, startingBalance, finalBalance, trades } = result;
  const span = { startTime, endTime, startingBalance };
  const rows = (by: 'symbol' | 'exitReason' | 'enterTag'): ReportRow[] => breakdown(trades, by, startingBalance).map(toRow);
  const notes = [...job.notes];
  if (result.unclosedTrades.length > 0) {
    const symbols = result.unclosedTrades.map(({ symbol }) => symbol).join(', ');
    notes.push(`Still open after the last candle, and not in trades and final balance: ${symbols} (Q21).`);
  }
  return {
    strategy: job.strategy.name,
    timeframe: job.timeframe,
    detailTimeframe: job.detailTimeframe,
    marketType: job.settings.marketType,
    pairs: job.pairs.map(({ instrument }) => instrument.symbol),
    stakeCurrency: job.stakeCurrency,
    settings: job.settings,
    mode: result.mode,
    quirksOff: run.quirkEffects.map(({ quirk: name, ...effect }) => {
      const { number, sentence } = quirkTable[name];
      return { quirk: number, name, ...effect, sentence };
    }),
    parityBalance: run.parityBalance,
    ...span,
    finalBalance,
    marketChange: result.marketChange,
    counters: result.counters,
    entries: entryReport(result, job.stakeCurrency),
    unclosedTrades: result.unclosedTrades.length,
    perTrade: perTradeMetrics(trades, { ...span, finalBalance }),
    durations: durationsOf(trades),
    dailyEquity: dailyEquityMetrics(result.dailyBalance, startingBalance),
    byPair: rows('symbol'),
    byExitReason: rows('exitReason'),
    byEnterTag: rows('enterTag'),
    equity: result.dailyBalance.days.map(({ dayTime, balance }) => ({ time: dayTime, balance })),
    notes,
  };
}

function toRow(row: ReturnType<typeof breakdown>[number]): ReportRow {
  const { key, wins, draws, losses, winRate, totalProfit, totalProfitRatio, meanProfitRatio, averageDurationMs, maxDrawdownAbs } = row;
  return {
    key,
    trades: row.tradeCount,
    wins,
    draws,
    losses,
    winRate,
    totalProfit,
    totalProfitRatio,
    meanProfitRatio,
    averageDurationMs,
    maxDrawdownAbs,
  };
}
