import type { AccountView } from '#engine/backtest/account-view.ts';
import type { BacktestResult } from '#engine/backtest/backtest-result.ts';
import { backtest } from '#engine/backtest/backtest.ts';
import { backtestStrategy, type StrategyBacktestResult } from '#engine/backtest/backtest-strategy.ts';
import { fingerprintLines } from '#engine/backtest/fingerprint.ts';
import { lookAheadSentence, quickLookAhead } from '#engine/backtest/quick-look-ahead.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { QuirkName } from '#engine/risk/quirks.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import type { BacktestJob } from './backtest-job.ts';
import { CommandError } from '../command-error.ts';
import { computeSignals, guardCallbacks } from '#strategy-process/code/guarded-strategy.ts';

/** What switching off one quirk alone does to the parity run. */
export interface QuirkEffect {
  quirk: QuirkName;
  changesTrades: boolean;
  changesCounts: boolean; // rejected signals, orders that timed out, trades that could not be closed
  balanceChange: number; // of the final balance, in stake currency
}

/** A backtest that has been run, and how long its parts took. */
export interface BacktestRun {
  result: StrategyBacktestResult;
  parityBalance: number | null; // final balance with all quirks on, where some are off
  quirkEffects: QuirkEffect[]; // of each quirk that is off
  times: { signalsMs: number; lookAheadMs: number; loopMs: number; quirksMs: number };
}

/** Runs a prepared backtest. Fails: CommandError, for faults of the strategy and a range that holds no candles */
export function runBacktest(job: BacktestJob): BacktestRun {
  const times = { signalsMs: 0, lookAheadMs: 0, loopMs: 0, quirksMs: 0 };
  const parameters = defaultParameters(job.strategy);
  const callbacks = job.python === null ? guardCallbacks(job.strategy) : (job.strategy.callbacks ?? {});
  let next = 0; // the engine computes the pairs one after the other, in their order
  const strategy: typeof job.strategy = {
    ...job.strategy,
    callbacks,
    compute(candles, _, others = {}) {
      const { symbol } = job.pairs[next++]!.instrument;
      const begun = performance.now();
      if (job.python !== null) {
        const signals = job.python.columns(symbol, candles);
        times.signalsMs += performance.now() - begun;
        return signals; // whether it looks ahead is found out after the run: it may keep what it was asked last
      }
      const signals = computeSignals(job.strategy, parameters, candles, symbol, others);
      const computed = performance.now();
      const ahead = quickLookAhead(job.strategy, parameters, candles, signals, others);
      if (ahead !== null) throw new CommandError(lookAheadSentence(job.strategy.name, symbol, candles, ahead));
      times.signalsMs += computed - begun;
      times.lookAheadMs += performance.now() - computed;
      return signals;
    },
  };
  const { python } = job;
  const watched = python === null ? {} : { watch: (account: AccountView) => python.begin(account, job.settings) };
  const common = {
    settings: job.settings,
    range: job.range.from === null && job.range.to === null ? null : { from: job.range.from ?? -Infinity, to: job.range.to ?? Infinity },
  };
  const begun = performance.now();
  const result = asFault(() =>
    backtestStrategy({
      ...common,
      ...watched,
      strategy,
      parameters,
      timeframe: job.timeframe,
      detailTimeframe: job.detailTimeframe,
      pairs: job.pairs,
      others: job.others,
      quirksOff: job.quirksOff,
    }),
  );
  times.loopMs = performance.now() - begun - times.signalsMs - times.lookAheadMs;
  if (job.quirksOff.length === 0) return { result, parityBalance: null, quirkEffects: [], times };

  // Each quirk alone against parity, on the same signals: what a quirk does can depend on the others.
  const compared = performance.now();
  const again = (quirksOff: readonly QuirkName[]): BacktestResult => {
    return backtest({
      ...watched,
      ...common,
      timeframeMs: timeframeLengths[job.timeframe],
      detailTimeframeMs: job.detailTimeframe === null ? null : timeframeLengths[job.detailTimeframe],
      startupCandles: job.strategy.startupCandles,
      callbacks,
      pairs: job.pairs.map((pair, i) => ({ ...pair, candles: result.computed[i]!.candles, signals: result.computed[i]!.signals })),
      quirksOff,
    });
  };
  const parity = again([]);
  const parityLines = fingerprintLines(parity.trades).join('\n');
  const parityCounts = countsOf(parity);
  const quirkEffects = job.quirksOff.map((quirk): QuirkEffect => {
    const alone = again([quirk]);
    const changesTrades = fingerprintLines(alone.trades).join('\n') !== parityLines;
    const changesCounts = countsOf(alone) !== parityCounts;
    return { quirk, changesTrades, changesCounts, balanceChange: alone.finalBalance - parity.finalBalance };
  });
  times.quirksMs = performance.now() - compared;
  return { result, parityBalance: parity.finalBalance, quirkEffects, times };
}

/** What a report counts beside the trades, to compare. */
function countsOf({ counters, unclosedTrades }: BacktestResult): string {
  return JSON.stringify([counters, unclosedTrades.length]);
}

/** What the engine refuses is reported as a fault of the command's words. */
function asFault<Result>(task: () => Result): Result {
  try {
    return task();
  } catch (error) {
    if (error instanceof RangeError) throw new CommandError(error.message);
    throw error;
  }
}
