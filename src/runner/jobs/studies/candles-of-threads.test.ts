import { join } from 'node:path';
import { candlesShown } from '#engine/backtest/backtest-strategy.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { candleColumns } from '#engine/market/candle.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { StudyThreads } from '#strategy-process/study/study-threads.ts';
import { expect, onTestFinished, test } from 'vitest';
import { sharedByThreads, untouchedOf } from './candles-of-threads.ts';
import type { StudyTask } from './study-task.ts';

const start = Date.UTC(2025, 2, 3);

/** Candles with these numbers, in shared memory as they are loaded. */
function candlesOf(numbers: readonly number[], minutes = 5): CandleColumns {
  const count = numbers.length;
  const memory = new SharedArrayBuffer(count * 48);
  const column = (i: number, valueOf: (number: number) => number): Float64Array => {
    const values = new Float64Array(memory, i * count * 8, count);
    values.set(numbers.map(valueOf));
    return values;
  };
  const price = (number: number): number => 100 + Math.round(500 * Math.sin(number / 4)) / 100;
  return {
    openTime: column(0, (number) => start + number * minutes * minuteMs),
    open: column(1, price),
    high: column(2, price),
    low: column(3, price),
    close: column(4, price),
    volume: column(5, () => 1),
  };
}

const upTo = (count: number, ...missing: number[]): number[] =>
  Array.from({ length: count }, (_, i) => i).filter((i) => !missing.includes(i));

const text = `export const dips = {
  name: 'Dips', description: 'Enters where it has fallen.', startupCandles: 3, canShort: false,
  defaults: { timeframe: '5m', stoploss: -0.5, minimalRoi: { 0: 0.01 } },
  parameters: { changes: { default: 0, min: 0, max: 1, step: 1 } },
  series: [{ symbol: 'XRP/USDT' }],
  compute({ close }, { changes }) {
    const flags = () => new Uint8Array(close.length);
    const enterLong = flags();
    for (let i = 1; i < close.length; i++) enterLong[i] = close[i] < close[i - 1] ? 1 : 0;
    if (changes === 1) close.fill(1);
    return { enterLong, exitLong: flags(), enterShort: flags(), exitShort: flags() };
  },
};`;

/** A study as it is when its candles are loaded; they are its own. */
const loaded = (): Omit<StudyTask, 'untouched'> => ({
  strategyClass: 'Dips',
  code: { file: 'dips.ts', exportName: 'dips', files: { 'dips.ts': text } },
  parameters: {},
  settings: requireSettings({ stakeAmount: 100, maxOpenTrades: 2, startingBalance: 1000, stoploss: -0.5, minimalRoi: { 0: 0.01 } }),
  timeframe: '5m',
  detailTimeframe: '1m',
  startupCandles: 3,
  // The first gap is where the candles begin that are shown.
  pairs: [
    { instrument: anInstrument(), candles: candlesOf(upTo(60, 7, 20, 21, 40)), detail: candlesOf(upTo(300, 150), 1), funding: null },
    { instrument: anInstrument({ symbol: 'ETH/USDT', base: 'ETH' }), candles: candlesOf(upTo(60)), detail: null, funding: null },
  ],
  others: { 'XRP/USDT': candlesOf(upTo(60, 7, 30)) },
  range: { from: start + 10 * 5 * minuteMs, to: start + 50 * 5 * minuteMs },
  dimensions: [{ name: 'changes', space: 'buy', min: 0, max: 1, step: 1 }],
  loss: 'SharpeHyperOptLossDaily',
  minTrades: 1,
  quirksOff: [],
  python: null,
});

/** What a thread makes of the candles that it is given. */
function inThread(task: Omit<StudyTask, 'untouched'>) {
  const { pairs, others } = candlesShown({ ...task, strategy: { name: 'Dips', startupCandles: 3, series: [{ symbol: 'XRP/USDT' }] } });
  return { pairs, others: others('BTC/USDT') };
}

function shownIn(task: Omit<StudyTask, 'untouched'>): CandleColumns[] {
  const { pairs, others } = inThread(task);
  return [...pairs.map(({ candles }) => candles), ...Object.values(others)];
}

function threadsOf(task: StudyTask): StudyThreads {
  const threads = new StudyThreads(join(import.meta.dirname, 'study-thread.ts'), task, 1);
  onTestFinished(() => threads.close());
  return threads;
}

test('threads run on the same candles as if each had cut and filled its own', async () => {
  const task = loaded();
  expect(inThread(await sharedByThreads(task))).toEqual(inThread(task));
  expect(inThread(task).pairs[0]?.candles.openTime[0]).toBe(start + 8 * 5 * minuteMs); // a gap at the beginning stays one
});

test('no thread has candles in memory of its own, also where gaps were filled', async () => {
  const task = loaded();
  const given = await sharedByThreads(task);
  const memoryOf = (of: StudyTask) =>
    [...shownIn(of), ...inThread(of).pairs.flatMap(({ detail }) => detail ?? [])].map(({ close }) => close.buffer);
  expect(memoryOf(given)).toHaveLength(4);
  for (const memory of memoryOf(given)) expect(memory).toBeInstanceOf(SharedArrayBuffer);
  expect(given.pairs[1]?.candles.close.buffer).toBe(task.pairs[1]?.candles.close.buffer); // without gaps it is not copied
});

test('series of a strategy in Python are shared too', async () => {
  const name = { symbol: 'BTC/USDT', timeframe: '1h', kind: 'spot' };
  const python = {
    program: 'python',
    config: {},
    pairs: [],
    parameters: {},
    notes: [],
    folder: '',
    series: [{ name, candles: candleColumns(3) }],
  };
  const given = await sharedByThreads({ ...loaded(), python });
  expect(given.python?.series[0]?.candles).toEqual(candleColumns(3));
  expect(given.python?.series[0]?.candles.close.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(given.untouched.size).toBe(0); // it is sent its candles
});

test('what the candles were is there once for all threads, wherever a thread has cut them', async () => {
  const given = await sharedByThreads(loaded());
  for (const shown of shownIn(given)) {
    const before = untouchedOf(given.untouched, shown);
    expect(before).toEqual(shown);
    expect(before?.close.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(before?.close.buffer).not.toBe(shown.close.buffer);
  }
  expect(untouchedOf(given.untouched, candleColumns(1))).toBeNull();
  expect((await sharedByThreads({ ...loaded(), code: null })).untouched.size).toBe(0); // of the program's own it is known that they change nothing
});

test('a thread finds that candles were changed by another before it began', async () => {
  const given = await sharedByThreads(loaded());
  given.pairs[1].candles.volume[20] = 2;
  expect(await threadsOf(given).run([[0]])).toEqual([{ fault: expect.stringContaining('changes the candles of ETH/USDT') as string }]);
});

test('an epoch that changes candles has failed, and those that follow run on what they were', async () => {
  const threads = threadsOf(await sharedByThreads(loaded()));
  const [failed] = await threads.run([[1]]);
  expect(failed).toEqual({ fault: expect.stringContaining('changes the candles of BTC/USDT') as string });
  const after = await threads.run([[0]]);
  expect(after).toEqual(await threadsOf(await sharedByThreads(loaded())).run([[0]]));
  expect(after[0]).toHaveProperty('figures');
});
