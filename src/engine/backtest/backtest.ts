import { hourMs, minuteMs } from '../market/durations.ts';
import { walletOf } from '../account/wallet.ts';
import type { Trade } from '../account/trade.ts';
import { withoutQuirks } from '../risk/quirks.ts';
import type { QuirkName } from '../risk/quirks.ts';
import type { DailyBalance } from './balance-curve.ts';
import { newBalanceCurve } from './balance-curve.ts';
import { entryCounts } from './entry-counts.ts';
import { type EntryCounts, newEntryLog } from './entry-log.ts';
import { closeWhatIsOpen } from './force-exit.ts';
import { entryCalendar, frameOf, hasDetail, marketChange } from './frame.ts';
import type { BacktestInput } from './input.ts';
import { checkInput } from './input.ts';
import { newRow, runLoop } from './loop.ts';
import { type Counters, type Run, walletNow } from './run.ts';

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

/**
 * Runs settings and signals over candles.
 *
 * Fails: RangeError for candles or signals that cannot be trusted, for a quirk that cannot be switched off, and for a
 * range without candles
 */
export function backtest(input: BacktestInput): BacktestResult {
  checkInput(input);
  const { settings } = input;
  const quirksOff = [...(input.quirksOff ?? [])];
  const frame = frameOf(input);
  const run: Run = {
    rules: {
      settings,
      callbacks: input.callbacks ?? {},
      quirks: withoutQuirks(quirksOff),
      timeframeMinutes: input.timeframeMs / minuteMs,
    },
    timeframeMs: input.timeframeMs,
    fundingTimeframeMs: input.fundingTimeframeMs ?? hourMs,
    pairs: frame.pairs,
    pairOf: new Map(frame.pairs.map((pair) => [pair.instrument.symbol, pair])),
    // One fee for all: the worst of the first pair, unless configured.
    feeRatio: settings.fee ?? Math.max(input.pairs[0].instrument.takerFee, input.pairs[0].instrument.makerFee),
    endTime: frame.endTime,
    open: [],
    openTrades: [],
    closed: [],
    closedProfit: 0,
    notedFree: settings.startingBalance,
    locks: [],
    counters: {
      rejectedSignals: 0,
      timedOutEntryOrders: 0,
      timedOutExitOrders: 0,
      cancelledTradeEntries: 0,
      cancelledEntryOrders: 0,
      replacedEntryOrders: 0,
    },
    entries: newEntryLog(input.mostRefusedListed),
    nextTradeId: 1,
    nextOrderId: 1,
  };
  const balance = newBalanceCurve(settings.startingBalance);
  input.watch?.({ openTrades: () => run.openTrades, closedTrades: () => run.closed, wallet: () => walletNow(run) });
  runLoop(run, frame, entryCalendar(frame, settings.canShort), balance, {
    hasDetail: frame.pairs.some(hasDetail),
    detailMs: input.detailTimeframeMs ?? input.timeframeMs,
    onProgress: input.onProgress ?? (() => undefined),
  });
  closeWhatIsOpen(run, frame, newRow());
  const unfilled = run.nextTradeId - 1 - run.closed.length - run.openTrades.length;

  return {
    mode: quirksOff.length === 0 ? 'parity' : 'realistic',
    quirksOff,
    startTime: frame.startTime,
    endTime: frame.endTime,
    startingBalance: settings.startingBalance,
    feeRatio: run.feeRatio,
    finalBalance: walletOf(settings, run.closedProfit, run.openTrades).free,
    trades: run.closed,
    unclosedTrades: run.openTrades,
    counters: run.counters,
    entries: entryCounts(run.entries, frame, settings.canShort, input.timeframeMs, unfilled),
    marketChange: marketChange(frame),
    dailyBalance: balance.finish(frame.endTime),
  };
}
