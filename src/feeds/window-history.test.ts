import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Candle } from '#engine/market/candle.ts';
import { toColumns } from '#engine/market/candle.ts';
import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import { createMarketData } from '#exchange/market-data.ts';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../sandbox/sandbox.ts';
import { CandleWindows } from './candle-windows.ts';
import { Markets } from './markets.ts';
import { windowColumns } from './window-columns.ts';

const now = Date.UTC(2026, 0, 15, 10);
const size = 53;

/** One question for candles. */
interface Asked {
  timeframe: Timeframe;
  from: number;
  to: number;
}

/** Stretches in which a pair was traded, each of so many minutes until so long before now, and how its exchange answers. */
interface Past {
  traded: readonly { minutes: number; until: number }[];
  timeframes?: readonly Timeframe[];
  daysBeginAt?: number; // ms after midnight
  refusal?: (asked: Asked) => ExchangeError | null;
}

/** Windows over a simulated exchange whose time stands, and which has sent candles of one minute in these stretches alone. */
async function windowsOver({ traded, timeframes, daysBeginAt = 0, refusal = () => null }: Past) {
  const minutes = traded.flatMap(({ minutes: count, until }) =>
    Array.from({ length: count }, (_, i) => now - until - (count - i) * minuteMs),
  );
  const all = minutes.map((openTime, i): Candle => {
    const open = 100 + (i % 37);
    return { openTime, open, high: open + 3, low: open - 2, close: open + 1, volume: 5 };
  });
  const file = join(mkdtempSync(join(tmpdir(), 'candles-')), 'gap.csv');
  const lines = all.map(({ openTime, open, high, low, close, volume }) => [openTime, open, high, low, close, volume].join(','));
  writeFileSync(file, ['timestamp,open,high,low,close,volume', ...lines].join('\n'));
  const sandbox = await startSandbox({
    startTime: now,
    replays: [{ market: 'spot', base: 'GAP', quote: 'USDT', file, loop: false }],
  });
  onTestFinished(() => sandbox.close());
  const data = createMarketData({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url, now: () => sandbox.clock.now() });
  onTestFinished(() => data.close());
  /** The candles of days that begin at another hour, one for each day, as some exchanges have them. */
  const days = (from: number, to: number): Candle[] => {
    const first = Math.ceil((from - daysBeginAt) / dayMs) * dayMs + daysBeginAt;
    return Array.from({ length: Math.ceil((to - first) / dayMs) }, (_, i): Candle => {
      const openTime = first + i * dayMs;
      const volume = all.filter((each) => each.openTime >= openTime && each.openTime < openTime + dayMs).length;
      return { openTime, open: 1, high: 1, low: 1, close: 1, volume };
    });
  };
  const asked: Asked[] = [];
  const market: MarketData = {
    ...data,
    timeframes: timeframes ?? data.timeframes,
    async candles(symbol, timeframe, from, to) {
      const question = { timeframe, from, to };
      asked.push(question);
      const refused = refusal(question);
      if (refused !== null) throw refused;
      if (timeframe === '1d' && daysBeginAt > 0) return days(from, to);
      return data.candles(symbol, timeframe, from, to);
    },
  };
  const windows = new CandleWindows(new Markets([], async () => market), { now: () => now });
  onTestFinished(() => windows.close());
  const rows = async (timeframe: Timeframe = '1m', of = size) =>
    windowColumns(
      await windows.newest({ exchangeId: 'sandbox', marketType: 'spot', symbol: 'GAP/USDT', timeframe }, of, false),
      of,
      timeframeLengths[timeframe],
    );
  /** What a backtest has at the newest candle: everything that ever was, its gaps filled. */
  const backtest = () => fillGaps(toColumns(all), minuteMs);
  return { all, asked, rows, backtest };
}

/** The newest rows of what a backtest has. */
function newestOf(columns: ReturnType<typeof toColumns>, count: number): unknown {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, (column as Float64Array).slice(-count)]));
}

const longAgo = { minutes: 2_000, until: 3 * dayMs };

test.each([
  ['a minute', [{ minutes: 600, until: minuteMs }]],
  ['half an hour', [{ minutes: 600, until: 30 * minuteMs }]],
  [
    'half an hour, which ended half an hour ago',
    [
      { minutes: 600, until: hourMs },
      { minutes: 30, until: 0 },
    ],
  ],
  ['an hour', [{ minutes: 600, until: hourMs }]],
  [
    'an hour, which has just ended',
    [
      { minutes: 600, until: hourMs },
      { minutes: 1, until: 0 },
    ],
  ],
  ['an hour after a few minutes that followed a day', [longAgo, { minutes: 9, until: hourMs }]],
  ['seven hours', [{ minutes: 600, until: 7 * hourMs }]],
  ['twenty hours', [{ minutes: 600, until: 20 * hourMs }]],
  ['three days', [longAgo]],
  ['three days, of which two minutes are over', [longAgo, { minutes: 1, until: 2 * minuteMs }]],
  [
    'a month',
    [
      { minutes: 90, until: 30 * dayMs },
      { minutes: 2, until: 0 },
    ],
  ],
  [
    'a year',
    [
      { minutes: 1, until: 365 * dayMs },
      { minutes: 2, until: minuteMs },
    ],
  ],
])('a window that is opened in or after a gap of %s has as many rows as ever, as a backtest has them', async (_name, traded) => {
  const { asked, rows, backtest } = await windowsOver({ traded });
  const found = await rows();
  expect(found.openTime).toHaveLength(size);
  expect(newestOf(found, size)).toEqual(newestOf(backtest(), size));
  expect(asked.length).toBeLessThanOrEqual(7);
});

test('an ordinary window is asked for once', async () => {
  const { asked, rows } = await windowsOver({ traded: [{ minutes: 600, until: 0 }] });
  expect((await rows()).openTime).toHaveLength(size);
  expect(asked).toEqual([{ timeframe: '1m', from: now - size * minuteMs, to: Infinity }]);
});

test.each(['5m', '1h', '1d'] as const)('a window of %s that is opened in a gap of a month has as many rows as ever', async (timeframe) => {
  const { asked, rows, all } = await windowsOver({ traded: [{ minutes: 3_000, until: 30 * dayMs }] });
  const { openTime, close } = await rows(timeframe, 3);
  const length = timeframeLengths[timeframe];
  const newest = Math.floor(all.at(-1)!.openTime / length) * length;
  expect([...openTime]).toEqual([newest - 2 * length, newest - length, newest]);
  expect(close.at(-1)).toBe(all.at(-1)!.close);
  expect(asked.length).toBeLessThanOrEqual(5);
});

test.each([
  ['that was never traded yet', [{ minutes: 2, until: -dayMs }], 0],
  ['that was listed a moment ago', [{ minutes: 20, until: 0 }], 20],
  ['that was listed the day before yesterday, and traded no more since', [{ minutes: 20, until: 2 * dayMs }], 20],
])('the window of a pair %s has what there is, and no more is asked for without end', async (_name, traded, expected) => {
  const { asked, rows } = await windowsOver({ traded });
  expect((await rows()).openTime).toHaveLength(expected);
  expect(asked.length).toBeLessThanOrEqual(8);
});

test('a pair that has no candle of a day in more than a year is asked for no shorter ones', async () => {
  const { asked, rows } = await windowsOver({ traded: [{ minutes: 2, until: -dayMs }] });
  expect((await rows('1d')).openTime).toHaveLength(0);
  expect(asked.map(({ timeframe }) => timeframe)).toEqual(['1d', '1d']);
});

test('where an exchange has no candles of days nothing is asked beyond those next before the window', async () => {
  const { asked, rows, backtest } = await windowsOver({ traded: [{ minutes: 600, until: 5 * hourMs }], timeframes: ['1m'] });
  expect(newestOf(await rows(), size)).toEqual(newestOf(backtest(), size));
  expect(asked.map(({ timeframe }) => timeframe)).toEqual(['1m', '1m']);
  const long = await windowsOver({ traded: [longAgo], timeframes: ['1m'] });
  expect((await long.rows()).openTime).toHaveLength(0);
  expect(long.asked).toHaveLength(2);
});

test('where the days of an exchange begin at another hour, and those without trades have a candle, each candle is there once', async () => {
  const traded = [longAgo, { minutes: 10, until: 0 }];
  const { rows, backtest } = await windowsOver({ traded, daysBeginAt: 16 * hourMs });
  expect(newestOf(await rows(), size)).toEqual(newestOf(backtest(), size));
});

test('an exchange that refuses to say what was long ago keeps no bot from starting; one that gives no answer is asked again', async () => {
  const traded = [longAgo, { minutes: 10, until: 0 }];
  const failing =
    (kind: 'rejected' | 'temporary') =>
    ({ from }: Asked) =>
      from < now - hourMs ? new ExchangeError(kind, 'No.') : null;
  const refusing = await windowsOver({ traded, refusal: failing('rejected') });
  expect((await refusing.rows()).openTime).toHaveLength(10);
  let isDown = true;
  const silent = await windowsOver({ traded, refusal: (asked) => (isDown ? failing('temporary')(asked) : null) });
  await expect(silent.rows()).rejects.toThrow('No.');
  isDown = false;
  expect((await silent.rows()).openTime).toHaveLength(size);
});
