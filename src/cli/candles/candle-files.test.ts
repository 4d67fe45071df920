import { makeVector, Table, tableFromArrays, tableToIPC, Timestamp, TimeUnit, vectorFromArray } from 'apache-arrow';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Candle } from '#engine/market/candle.ts';
import { candleAt, toColumns } from '#engine/market/candle.ts';
import { buildTimeframe } from './build-timeframe.ts';
import { candleFileName, loadCandles } from './candle-folder.ts';
import { csvOf, sandboxCandles, writeTo } from '../testing/sandbox-candles.ts';

const minute = 60_000;
const start = Date.UTC(2025, 0, 1);
const wish = { symbol: 'BTC/USDT', timeframe: '5m', kind: 'spot' } as const;

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'flotilla-candles-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const newFolder = (): string => join(folder, String(count++));

function candlesOf(from: number, length: number, stepMs = 5 * minute): Candle[] {
  return Array.from({ length }, (_, i) => ({
    openTime: from + i * stepMs,
    open: 10 + i,
    high: 12 + i,
    low: 9 + i,
    close: 11 + i,
    volume: i / 4,
  }));
}

async function read(files: Record<string, string | Uint8Array>, over: Partial<Parameters<typeof loadCandles>[0]> = {}) {
  const into = newFolder();
  for (const [name, content] of Object.entries(files)) writeTo(into, name, content);
  const { candles, notes } = await loadCandles({ folder: into, ...wish, ...over });
  return {
    rows: Array.from(candles.openTime, (_, i) => candleAt(candles, i)),
    notes: notes.map((note) => note.replaceAll(`${into}/`, '')),
  };
}

async function faultOf(files: Record<string, string | Uint8Array>): Promise<string> {
  const into = newFolder();
  for (const [name, content] of Object.entries(files)) writeTo(into, name, content);
  const error = await loadCandles({ folder: into, ...wish }).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(Error);
  return (error as Error).message.replaceAll(`${into}/`, '').replaceAll(into, 'FOLDER');
}

describe('CSV', () => {
  const candles = sandboxCandles('BTC', 'spot', start, 500, 5 * minute);

  test('every number is read exactly as the language reads it, zipped or not', async () => {
    expect((await read({ 'BTC_USDT-5m.csv': csvOf(candles) })).rows).toEqual(candles);
    expect((await read({ 'BTC_USDT-5m.csv.gz': csvOf(candles) })).rows).toEqual(candles);
    const odd = [
      '0.1',
      '0.30000000000000004',
      '1e2',
      '5e-324',
      '123456789012345678',
      '0.000001234567890123456789',
      '9007199254740993',
      '.5',
      '7.',
    ];
    const rows = odd.map((text, i) => `${start + i * 5 * minute},${text},${text},${text},${text},${text}`);
    const found = await read({ 'BTC_USDT-5m.csv': ['timestamp,open,high,low,close,volume', ...rows].join('\r\n') });
    expect(found.rows.map(({ open, volume }) => [open, volume])).toEqual(odd.map((text) => [Number(text), Number(text)]));
  });

  test.each([
    ['seconds', (time: number) => String(time / 1000)],
    ['ISO with a zone', (time: number) => new Date(time).toISOString()],
    ['a date as pandas writes it', (time: number) => new Date(time).toISOString().replace('T', ' ').replace('.000Z', '+00:00')],
    ['a time without a zone, which is UTC', (time: number) => new Date(time).toISOString().slice(0, 19)],
  ])('times may be %s', async (_, write) => {
    const five = candlesOf(start, 5);
    const text = csvOf(five).replaceAll(/^\d{13}/gmu, (digits) => write(Number(digits)));
    expect((await read({ 'BTC_USDT-5m.csv': text.replace('timestamp', 'date') })).rows).toEqual(five);
  });

  test('rows out of order are sorted and rows of one time merged, and both are noted', async () => {
    const five = candlesOf(start, 5);
    const again = { ...five[2], open: 8, high: 20, low: 5, close: 6, volume: 0.25 };
    const found = await read({ 'BTC_USDT-5m.csv': csvOf([five[3], five[0], five[2], five[1], again, five[4]]) });
    const merged = { ...five[2], high: 20, low: 5, close: 6 };
    expect(found.rows).toEqual([five[0], five[1], merged, five[3], five[4]]);
    expect(found.notes).toEqual([
      'BTC_USDT-5m.csv: the rows were not sorted by time; they are now.',
      'BTC_USDT-5m.csv: 1 row with the time of another was merged with it.',
    ]);
    const louder = await read({ 'BTC_USDT-5m.csv': csvOf([five[0], { ...five[0], volume: 7 }, five[1]]) });
    expect(louder.rows[0]).toEqual({ ...five[0], volume: 7 });
  });

  test('a gap is said', async () => {
    const found = await read({ 'BTC_USDT-5m.csv': csvOf(candlesOf(start, 9).filter((_, i) => i !== 3 && i !== 6)) });
    expect(found.notes).toEqual(['BTC_USDT-5m.csv: 2 missing candles are filled with the close before.']);
  });

  const head = 'timestamp,open,high,low,close,volume\n';
  const good = `${start},10,12,9,11,1\n`;
  test.each([
    ['time,open\n', 'BTC_USDT-5m.csv, line 1: the header must be "timestamp,open,high,low,close,volume", and is "time,open".'],
    [head, 'BTC_USDT-5m.csv holds no candles.'],
    [`${head}${good}${start + 300_000},10,12,9\n`, 'BTC_USDT-5m.csv, line 3: it must have six fields, separated by commas.'],
    [`${head}${good}${start + 300_000},10,12,9,11,1,7\n`, 'BTC_USDT-5m.csv, line 3: it must have six fields, separated by commas.'],
    [`${head}${good}\n${good}`, 'BTC_USDT-5m.csv, line 3: "" is not a time.'],
    [`${head}yesterday,10,12,9,11,1\n`, 'BTC_USDT-5m.csv, line 2: "yesterday" is not a time.'],
    [`${head}${start},10,1o,9,11,1\n`, 'BTC_USDT-5m.csv, line 2: "1o" is not a number.'],
    [`${head}${start},10,12,nan,11,1\n`, 'BTC_USDT-5m.csv, line 2: low NaN is not a positive number.'],
    [`${head}${start},10,12,9,,1\n`, 'BTC_USDT-5m.csv, line 2: close NaN is not a positive number.'],
    [`${head}${start},10,12,-9,11,1\n`, 'BTC_USDT-5m.csv, line 2: low -9 is not a positive number.'],
    [`${head}${start},10,12,9,11,-1\n`, 'BTC_USDT-5m.csv, line 2: volume -1 is not a number of at least 0.'],
    [`${head}${start},10,10.5,9,11,1\n`, 'BTC_USDT-5m.csv, line 2: high 10.5 is below open 10 or close 11.'],
    [
      `${head}${start + minute},10,12,9,11,1\n`,
      'BTC_USDT-5m.csv, line 2: it opens at 2025-01-01 00:01 (1735689660000), which is not a boundary of its timeframe.',
    ],
    [
      `${head}${good}${start + 86_400_000 * 30},10,12,9,11,1\n`,
      'BTC_USDT-5m.csv: 8639 candles are missing between 2025-01-01 00:00 and 2025-01-31 00:00, more than the 2 in the file.',
    ],
  ])('a broken file is refused by file and line: %j', async (text, sentence) => {
    expect(await faultOf({ 'BTC_USDT-5m.csv': text })).toBe(sentence);
  });

  test.each([
    ['seconds', 1e-3],
    ['milliseconds', 1],
    ['microseconds', 1e3], // as exchanges' own archives have them by now
    ['nanoseconds', 1e6],
  ])('times may be in %s', async (_, factor) => {
    const rows = [0, 1, 2].map(
      (i) => `${(BigInt(start + i * 5 * minute) * BigInt(Math.max(1, factor))) / BigInt(factor < 1 ? 1000 : 1)},10,12,9,11,1`,
    );
    const { rows: found, notes } = await read({ 'BTC_USDT-5m.csv': `${head}${rows.join('\n')}\n` });
    expect(found.map(({ openTime }) => openTime)).toEqual([start, start + 5 * minute, start + 10 * minute]);
    expect(notes).toEqual([]);
  });

  test('a file that is not an archive, and none at all', async () => {
    const into = newFolder();
    const file = writeTo(into, 'BTC_USDT-5m.csv', 'plain');
    renameSync(file, `${file}.gz`);
    await expect(loadCandles({ folder: into, ...wish })).rejects.toThrow(`${file}.gz cannot be read (incorrect header check).`);
    expect(await faultOf({ 'ETH_USDT-5m.csv': 'x' })).toBe(
      'BTC/USDT: there are no candles in FOLDER: neither BTC_USDT-5m.feather, .csv.gz, .csv nor a smaller timeframe to build them from.',
    );
  });
});

describe('Feather', () => {
  const expected = Array.from({ length: 300 }, (_, i) => {
    const open = 100 + (i % 50) * 0.25;
    return { openTime: start + i * 300_000, open, high: open + 0.5, low: open - 0.5, close: open + 0.25, volume: i % 7 };
  });

  // Written by pyarrow as freqtrade writes them: lz4, with times in milliseconds (now) and nanoseconds (before).
  test.each(['ms', 'ns'])('a compressed file with times in %s is read exactly', async (unit) => {
    const bytes = readFileSync(join(import.meta.dirname, '../testing/feather', `lz4-${unit}.feather`));
    expect((await read({ 'BTC_USDT-5m.feather': bytes })).rows).toEqual(expected);
  });

  function featherOf(candles: readonly Candle[], unit: 'ms' | 's' = 'ms'): Uint8Array {
    const type = unit === 'ms' ? new Timestamp(TimeUnit.MILLISECOND, 'UTC') : new Timestamp(TimeUnit.SECOND, 'UTC');
    const { openTime, open, high, low, close, volume } = toColumns(candles);
    const date = vectorFromArray([...openTime], type);
    const [o, h, l, c, v] = [open, high, low, close, volume].map((column) => makeVector(column));
    return tableToIPC(new Table({ date, open: o, high: h, low: l, close: c, volume: v }), 'file');
  }

  test('an uncompressed file goes there and back', async () => {
    const candles = sandboxCandles('BTC', 'spot', start, 400, 5 * minute);
    expect((await read({ 'BTC_USDT-5m.feather': featherOf(candles) })).rows).toEqual(candles);
    expect((await read({ 'BTC_USDT-5m.feather': featherOf(candles, 's') })).rows).toEqual(candles);
  });

  test('a broken one is refused by file and row', async () => {
    expect(await faultOf({ 'BTC_USDT-5m.feather': 'no arrow' })).toContain('BTC_USDT-5m.feather cannot be read as a Feather file');
    expect(await faultOf({ 'BTC_USDT-5m.feather': tableToIPC(tableFromArrays({ open: new Float64Array(3) }), 'file') })).toBe(
      'BTC_USDT-5m.feather: the column "date" of times is missing.',
    );
    const bad = candlesOf(start, 4);
    bad[2].low = NaN;
    expect(await faultOf({ 'BTC_USDT-5m.feather': featherOf(bad) })).toBe('BTC_USDT-5m.feather, row 3: low NaN is not a positive number.');
  });

  test('where there are two files the Feather one is read, and it is said', async () => {
    const found = await read({ 'BTC_USDT-5m.feather': featherOf(candlesOf(start, 3)), 'BTC_USDT-5m.csv': csvOf(candlesOf(start, 9)) });
    expect(found.rows).toHaveLength(3);
    expect(found.notes).toEqual(['BTC_USDT-5m.csv is ignored: BTC_USDT-5m.feather exists too.']);
  });
});

describe('timeframes', () => {
  test('larger candles are built from whole groups on the boundary', () => {
    // Two minutes too early, one candle missing in the third group, and a group cut off at the end.
    const minutes = candlesOf(start + 3 * minute, 24, minute).filter(({ openTime }) => openTime !== start + 12 * minute);
    const built = buildTimeframe(toColumns(minutes), minute, 5 * minute);
    const expected = [5, 15, 20].map((at) => {
      const group = minutes.filter(({ openTime }) => openTime >= start + at * minute && openTime < start + (at + 5) * minute);
      return {
        openTime: start + at * minute,
        open: group[0].open,
        high: Math.max(...group.map(({ high }) => high)),
        low: Math.min(...group.map(({ low }) => low)),
        close: group[4].close,
        volume: group.reduce((sum, { volume }) => sum + volume, 0),
      };
    });
    expect(Array.from(built.openTime, (_, i) => candleAt(built, i))).toEqual(expected);
  });

  test('a small candle that is missing is as the one before it in what is built of it, and the rest of the group counts', async () => {
    const minutes = candlesOf(start, 15, minute).filter(({ openTime }) => openTime !== start + 7 * minute);
    const built = await read({ 'BTC_USDT-1m.csv': csvOf(minutes) });
    expect(built.rows[1]).toEqual({ openTime: start + 5 * minute, open: 15, high: 21, low: 14, close: 20, volume: (5 + 6 + 8 + 9) / 4 });
    expect(built.rows).toHaveLength(3);
    expect(built.notes).toEqual([
      'BTC_USDT-1m.csv: 1 missing candle is filled with the close before.',
      'BTC/USDT: the 5m candles are built from 1m.',
    ]);
  });

  test('weeks begin on Monday, read from a file and built from days', async () => {
    const day = 24 * 60 * minute;
    const monday = Date.UTC(2025, 0, 6);
    const days = candlesOf(Date.UTC(2025, 0, 2), 18, day); // from a Thursday on
    const built = await read({ 'BTC_USDT-1d.csv': csvOf(days) }, { timeframe: '1w' });
    expect(built.rows.map(({ openTime, open }) => [openTime, open])).toEqual([
      [monday, 14],
      [monday + 7 * day, 21],
    ]);
    expect((await read({ 'BTC_USDT-1w.csv': csvOf(built.rows) }, { timeframe: '1w' })).rows).toEqual(built.rows);
    await expect(read({ 'BTC_USDT-1w.csv': csvOf(candlesOf(Date.UTC(2025, 0, 2), 2, 7 * day)) }, { timeframe: '1w' })).rejects.toThrow(
      'which is not a boundary of its timeframe',
    );
  });

  test('a missing timeframe is built from the largest that divides it', async () => {
    const files = {
      'BTC_USDT-1m.csv': csvOf(candlesOf(start, 120, minute)),
      'BTC_USDT-15m.csv': csvOf(candlesOf(start, 12, 15 * minute)),
      'BTC_USDT-4h.csv': csvOf(candlesOf(start, 3, 240 * minute)),
    };
    const hours = await read(files, { timeframe: '1h' });
    expect(hours.rows.map(({ open, close }) => [open, close])).toEqual([10, 14, 18].map((open) => [open, open + 4]));
    expect(hours.notes).toEqual(['BTC/USDT: the 1h candles are built from 15m.']);
    expect((await read(files)).rows).toHaveLength(24);
  });
});

test('files are named as freqtrade names them', () => {
  expect(candleFileName(wish)).toBe('BTC_USDT-5m');
  const perpetual = { symbol: 'BTC/USDT:USDT', timeframe: '1h' } as const;
  expect(candleFileName({ ...perpetual, kind: 'futures' })).toBe('futures/BTC_USDT_USDT-1h-futures');
  expect(candleFileName({ ...perpetual, kind: 'funding_rate' })).toBe('futures/BTC_USDT_USDT-1h-funding_rate');
  expect(candleFileName({ ...perpetual, kind: 'mark' })).toBe('futures/BTC_USDT_USDT-1h-mark');
});
