import type { Candle, CandleColumns } from '#engine/market/candle.ts';
import { candleColumns, toColumns } from '#engine/market/candle.ts';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { loadCandles, trimCandleCache } from './candle-cache.ts';
import { byMonth, candlesWithin, mergeCandles } from './candle-months.ts';
import type { CandleSeries } from './candle-chunks.ts';
import {
  columnNames,
  DamagedChunk,
  listChunks,
  missingSpans,
  readChunks,
  storedSpans,
  withoutDamaged,
  writeCandles,
} from './candle-chunks.ts';

const { db } = await freshDatabase();
const folder = mkdtempSync(join(tmpdir(), 'flotilla-candles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
const newSeries = (): CandleSeries => ({ exchangeId: 'binance', marketType: 'spot', symbol: `C${++made}/USDT`, timeframe: '1h' });
const newFolder = (): string => join(folder, `cache-${++made}`);

const hour = 3_600_000;
const at = (text: string): number => Date.parse(`${text}Z`);
const span = (from: string, to: string) => ({ from: at(from), to: at(to) });

/** The stored candles of a span, straight from the chunks. */
async function readCandles(on: typeof db, series: CandleSeries, of: { from: number; to: number }): Promise<CandleColumns> {
  const months = byMonth(of).map(({ month }) => month);
  const chunks = await readChunks(on, series, months);
  return candlesWithin(chunks.map(({ columns }) => columns).reduce(mergeCandles, candleColumns(0)), of);
}

/** Hourly candles of a span with prices that no rounding survives. */
function candles({ from, to }: { from: number; to: number }, seed = 1): CandleColumns {
  const list: Candle[] = [];
  for (let openTime = from; openTime < to; openTime += hour) {
    const open = 100 + Math.sin(openTime * seed) * 50;
    const close = 100 + Math.cos(openTime * seed) * 50;
    list.push({
      openTime,
      open,
      high: Math.max(open, close) * 1.01,
      low: Math.min(open, close) / 1.01,
      close,
      volume: Math.abs(open * close),
    });
  }
  return toColumns(list);
}

const plain = (columns: CandleColumns) => Object.fromEntries(columnNames.map((name) => [name, Array.from(columns[name])]));

test('candles over four months and a year’s end come back bit by bit, also a part of them', async () => {
  const series = newSeries();
  const whole = span('2025-11-15T05:00', '2026-02-10T07:00');
  await writeCandles(db, series, whole, candles(whole));
  expect(plain(await readCandles(db, series, whole))).toEqual(plain(candles(whole)));
  expect(plain(await readCandles(db, series, span('2020-01-01', '2030-01-01')))).toEqual(plain(candles(whole)));
  const part = span('2025-12-31T22:30', '2026-01-01T03:00');
  expect(plain(await readCandles(db, series, part))).toEqual(plain(candles(span('2025-12-31T23:00', '2026-01-01T03:00'))));
  expect((await readCandles(db, series, span('2027-01-01', '2027-02-01'))).openTime).toHaveLength(0);
  expect((await readCandles(db, newSeries(), whole)).openTime).toHaveLength(0);
  expect((await listChunks(db, series, whole)).map(({ month, candles: count }) => [month, count])).toEqual([
    ['2025-11-01', 379],
    ['2025-12-01', 744],
    ['2026-01-01', 744],
    ['2026-02-01', 223],
  ]);
});

test('what is written twice is kept once, and a later word on a candle counts', async () => {
  const series = newSeries();
  const month = span('2026-03-01', '2026-04-01');
  await writeCandles(db, series, month, candles(month));
  const first = await listChunks(db, series, month);
  await writeCandles(db, series, month, candles(month));
  expect(await listChunks(db, series, month)).toEqual(first);
  const middle = span('2026-03-10', '2026-03-12');
  await writeCandles(db, series, middle, candles(middle, 2));
  expect(plain(await readCandles(db, series, middle))).toEqual(plain(candles(middle, 2)));
  const after = span('2026-03-12', '2026-04-01');
  expect(plain(await readCandles(db, series, after))).toEqual(plain(candles(after)));
  expect((await readCandles(db, series, month)).openTime).toHaveLength(31 * 24);
});

test('what is missing between stored spans is known, so that a download continues where it stopped', async () => {
  const series = newSeries();
  const wanted = span('2026-01-10', '2026-05-10');
  expect(await missingSpans(db, series, wanted)).toEqual([wanted]);
  for (const part of [
    span('2026-01-01', '2026-01-20'),
    span('2026-01-20', '2026-02-01'),
    span('2026-02-01', '2026-02-15'),
    span('2026-04-05', '2026-04-06'),
  ])
    await writeCandles(db, series, part, candles(part));
  expect(await storedSpans(db, series)).toEqual([span('2026-01-01', '2026-02-15'), span('2026-04-05', '2026-04-06')]);
  expect(await missingSpans(db, series, wanted)).toEqual([span('2026-02-15', '2026-04-05'), span('2026-04-06', '2026-05-10')]);
  expect(await missingSpans(db, series, span('2026-01-05', '2026-02-15'))).toEqual([]);
  // A span in which the exchange had no candles is known as well.
  await writeCandles(db, series, span('2026-02-15', '2026-04-05'), candles({ from: 0, to: 0 }));
  expect(await missingSpans(db, series, wanted)).toEqual([span('2026-04-06', '2026-05-10')]);
  await sql`delete from candle_chunks where symbol = ${series.symbol} and month = '2026-03-01'`.execute(db);
  expect(await missingSpans(db, series, wanted)).toEqual([span('2026-03-01', '2026-04-01'), span('2026-04-06', '2026-05-10')]);
});

test('candles that cannot be true are refused, and nothing of them is kept', async () => {
  const series = newSeries();
  const whole = span('2026-01-31', '2026-02-02');
  const spoil = (change: (columns: CandleColumns) => void): CandleColumns => {
    const columns = candles(whole);
    change(columns);
    return columns;
  };
  for (const [columns, why] of [
    [spoil(({ close }) => (close[40] = Number.NaN)), 'close NaN is not a positive number'],
    [spoil(({ high }) => (high[40] = 0.1)), 'high 0.1 is below open'],
    [spoil(({ high }) => (high[40] = Infinity)), 'high Infinity is not a positive number'],
    [spoil(({ low }) => (low[40] = 0)), 'low 0 is not a positive number'],
    [spoil(({ low }) => (low[40] = 1000)), 'low 1000 is above open'],
    [spoil(({ open }) => (open[40] = Number.NaN)), 'open NaN is not a positive number'],
    [spoil(({ volume }) => (volume[40] = -1)), 'volume -1 is not a number of at least 0'],
    [spoil(({ volume }) => (volume[40] = Infinity)), 'volume Infinity is not a number of at least 0'],
    [spoil(({ openTime }) => (openTime[40] = (openTime[40] ?? 0) + 0.5)), 'is not a whole number of milliseconds'],
    [spoil(({ openTime }) => (openTime[40] = openTime[39] ?? 0)), 'not in order of time'],
    [spoil(({ openTime }) => (openTime[0] = whole.from - hour)), 'opens before the span'],
    [spoil(({ openTime }) => (openTime[47] = whole.to)), 'opens after the span'],
  ] as const)
    await expect(writeCandles(db, series, whole, columns)).rejects.toThrow(why);
  expect(await storedSpans(db, series)).toEqual([]);
});

test('eight writers of one month at once lose nothing', async () => {
  const series = newSeries();
  const days = Array.from({ length: 8 }, (_, i) => span(`2026-03-0${i + 1}`, `2026-03-0${i + 2}`));
  await Promise.all(days.map((day) => writeCandles(db, series, day, candles(day))));
  const whole = span('2026-03-01', '2026-03-09');
  expect(plain(await readCandles(db, series, whole))).toEqual(plain(candles(whole)));
  expect(await storedSpans(db, series)).toEqual([whole]);
});

test('a damaged chunk is named, removed, and can be downloaded again', async () => {
  const series = newSeries();
  const whole = span('2026-01-01', '2026-03-01');
  const damages = [
    sql`set_byte(data, length(data) / 2, get_byte(data, length(data) / 2) # 1)`,
    sql`substring(data for length(data) / 2)`,
    sql`(select data from candle_chunks c where c.symbol = ${series.symbol} and month = '2026-01-01')`,
  ];
  for (const damage of damages) {
    for (const meets of [
      () => loadCandles(db, newFolder(), series, whole),
      () => writeCandles(db, series, span('2026-02-01', '2026-02-02'), candles(span('2026-02-01', '2026-02-02'))),
    ]) {
      await writeCandles(db, series, whole, candles(whole));
      await sql`update candle_chunks set data = ${damage} where symbol = ${series.symbol} and month = '2026-02-01'`.execute(db);
      const meeting = meets();
      await expect(meeting).rejects.toBeInstanceOf(DamagedChunk);
      await expect(meeting).rejects.toThrow(
        `1h candles of ${series.symbol} (binance, spot) of 2026-02 are damaged. They are removed; run this again`,
      );
      expect(await missingSpans(db, series, whole)).toEqual([span('2026-02-01', '2026-03-01')]);
    }
  }
});

test('a damaged chunk that somebody has replaced meanwhile stays', async () => {
  const series = newSeries();
  const whole = span('2026-01-01', '2026-02-01');
  await writeCandles(db, series, whole, candles(whole));
  const late = withoutDamaged(db, async () => {
    throw new DamagedChunk(series, '2026-01-01', Buffer.from('what was there before'));
  });
  await expect(late).rejects.toBeInstanceOf(DamagedChunk);
  expect(await missingSpans(db, series, whole)).toEqual([]);
});

test('the cache gives the same candles in shared memory, with and without its files', async () => {
  const series = newSeries();
  const whole = span('2026-01-01', '2026-04-01');
  const part = span('2026-01-15', '2026-03-15');
  await writeCandles(db, series, whole, candles(whole));
  const cache = newFolder();
  for (let round = 0; round < 2; round++) {
    const loaded = await loadCandles(db, cache, series, part);
    expect(plain(loaded)).toEqual(plain(candles(part)));
    expect(columnNames.every((name) => loaded[name].buffer instanceof SharedArrayBuffer)).toBe(true);
  }
  const chunks = await listChunks(db, series, whole);
  expect(readdirSync(cache).toSorted()).toEqual(chunks.map(({ hash }) => `${hash}.candles`).toSorted());
  // The files alone serve: the data in the database is not read again.
  await sql`update candle_chunks set data = '' where symbol = ${series.symbol}`.execute(db);
  expect([cache, ...readdirSync(cache).map((name) => join(cache, name))].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
    '700',
    ...chunks.map(() => '600'),
  ]);
  expect(plain(await loadCandles(db, cache, series, part))).toEqual(plain(candles(part)));
  expect((await loadCandles(db, cache, newSeries(), part)).openTime).toHaveLength(0);
});

test('another thread works on the same memory', async () => {
  const series = newSeries();
  const whole = span('2026-01-01', '2026-02-01');
  await writeCandles(db, series, whole, candles(whole));
  const columns = await loadCandles(db, newFolder(), series, whole);
  const worker = new Worker(`const { workerData } = require('node:worker_threads'); workerData.close[0] = 4711;`, {
    eval: true,
    workerData: columns,
  });
  await new Promise((resolve) => worker.once('exit', resolve));
  expect(columns.close[0]).toBe(4711);
});

test('cache files that are damaged, cut short or out of date are replaced', async () => {
  const series = newSeries();
  const whole = span('2026-01-01', '2026-02-01');
  await writeCandles(db, series, whole, candles(whole));
  const cache = newFolder();
  await loadCandles(db, cache, series, whole);
  const file = join(cache, readdirSync(cache)[0] ?? '');
  const good = readFileSync(file);
  const flipped = Buffer.from(good);
  flipped[good.length - 5] = (flipped[good.length - 5] ?? 0) ^ 1;
  for (const bad of [flipped, good.subarray(0, -8), Buffer.alloc(good.length), Buffer.alloc(0)]) {
    writeFileSync(file, bad);
    expect(plain(await loadCandles(db, cache, series, whole))).toEqual(plain(candles(whole)));
    expect(readFileSync(file).equals(good)).toBe(true);
  }
  const day = span('2026-01-05', '2026-01-06');
  await writeCandles(db, series, day, candles(day, 3));
  expect(plain(await loadCandles(db, cache, series, day))).toEqual(plain(candles(day, 3)));
});

test('a cache that cannot be written to only costs time', async () => {
  const series = newSeries();
  const whole = span('2026-01-01', '2026-02-01');
  await writeCandles(db, series, whole, candles(whole));
  const file = newFolder();
  writeFileSync(file, 'not a folder');
  expect(plain(await loadCandles(db, join(file, 'cache'), series, whole))).toEqual(plain(candles(whole)));
  const cache = newFolder();
  const [chunk] = await listChunks(db, series, whole);
  mkdirSync(join(cache, `${chunk?.hash}.candles`), { recursive: true });
  expect(plain(await loadCandles(db, cache, series, whole))).toEqual(plain(candles(whole)));
  expect(readdirSync(cache)).toHaveLength(1);
});

test('the cache is trimmed of what was not used for longest', async () => {
  const series = newSeries();
  const whole = span('2026-01-01', '2026-04-01');
  await writeCandles(db, series, whole, candles(whole));
  const cache = newFolder();
  await loadCandles(db, cache, series, whole);
  const chunks = await listChunks(db, series, whole);
  const files = chunks.map(({ hash }) => join(cache, `${hash}.candles`));
  files.forEach((file, i) => utimesSync(file, i + 1, i + 1));
  await loadCandles(db, cache, series, span('2026-01-01', '2026-02-01')); // the oldest is used again
  await trimCandleCache(cache, statSync(files[0] ?? '').size + statSync(files[2] ?? '').size);
  expect(
    readdirSync(cache)
      .map((name) => join(cache, name))
      .toSorted(),
  ).toEqual([files[0], files[2]].toSorted());
});
