// Two backtests of a year of 1m candles each: in one worker thread one after the other, and in two side by side.
import { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { randomWalk } from '#engine/indicators/testing/random-walk.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { referenceMetrics } from '#engine/report/reference-metrics.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import { findStrategy } from '#strategies/built-in.ts';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { row } from './support/figures.ts';

const year = 525_600;

if (isMainThread) {
  for (const workers of [1, 2]) {
    const begun = performance.now();
    const threads = Array.from(
      { length: workers },
      (_, i) => new Worker(new URL(import.meta.url), { workerData: { seeds: workers === 1 ? [1, 2] : [i + 1] } }),
    );
    const reports = await Promise.all(threads.map(async (thread) => ((await once(thread, 'message')) as [Record<string, number>])[0]));
    const wall = performance.now() - begun;
    const slowest = (name: string): string => Math.max(...reports.map((each) => each[name] ?? 0)).toFixed(0);
    row(`two years of minutes in ${workers} worker${workers === 1 ? '' : 's'}`, `${wall.toFixed(0)} ms`, 'threads’ start included');
    row(
      '  load / signals and loop / report, of the slowest worker',
      `${slowest('load')} / ${slowest('run')} / ${slowest('report')} ms`,
      'no promise',
    );
  }
} else {
  const strategy = findStrategy('EmaCross');
  if (strategy === undefined) throw new Error('There is no EmaCross');
  const times = { load: 0, run: 0, report: 0 };
  for (const seed of (workerData as { seeds: number[] }).seeds) {
    const begun = performance.now();
    const candles = randomWalk({ length: year, seed, stepMs: 60_000 });
    // Prices of an exchange have few decimals.
    for (const column of [candles.open, candles.high, candles.low, candles.close])
      column.forEach((price, i) => (column[i] = Math.round(price * 100) / 100));
    const loaded = performance.now();
    const settings = requireSettings({ stakeAmount: 100, startingBalance: 100_000, maxOpenTrades: 1, fee: 0.001, stoploss: -0.1 });
    const result = backtestStrategy({
      strategy,
      parameters: defaultParameters(strategy),
      settings,
      timeframe: '1m',
      pairs: [{ instrument: anInstrument({ amountStep: 0.00001 }), candles }],
    });
    const ran = performance.now();
    referenceMetrics(result.trades, {
      startTime: result.startTime,
      endTime: result.endTime,
      startingBalance: 100_000,
      finalBalance: result.finalBalance,
    });
    times.load += loaded - begun;
    times.run += ran - loaded;
    times.report += performance.now() - ran;
  }
  parentPort?.postMessage(times);
}
