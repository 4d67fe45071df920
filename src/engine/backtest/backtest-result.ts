import type { Trade } from '../account/trade.ts';
import type { QuirkName } from '../risk/quirks.ts';
import type { DailyBalance } from './balance-curve.ts';
import type { EntryCounts } from './entry-log.ts';
import type { Counters } from './run.ts';

/** What a backtest has found. */
export interface BacktestResult {
  mode: 'parity' | 'realistic'; // parity: trade for trade what the reference gives
  quirksOff: QuirkName[];
  startTime: number; // first candle after warm-up
  endTime: number; // last candle
  startingBalance: number;
  finalBalance: number;
  feeRatio: number; // of the value of each fill
  trades: Trade[]; // closed ones, in closing order
  unclosedTrades: Trade[]; // held at the end and not to be sold (forcedExitMayNotFill); their stake is missing from the final balance
  counters: Counters; // the reference's own
  entries: EntryCounts; // what became of every signal
  marketChange: number; // fraction, mean over the pairs
  dailyBalance: DailyBalance;
}
