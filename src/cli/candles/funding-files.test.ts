import { makeVector, Table, tableToIPC, Timestamp, TimeUnit, vectorFromArray } from 'apache-arrow';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadFunding } from './funding-files.ts';
import { writeTo } from '../testing/sandbox-candles.ts';

const hour = 3_600_000;
const start = Date.UTC(2025, 0, 1);
const times = [start, start + 8 * hour, start + 16 * hour];
const rates = [0.0001, -0.0002, 0.0003];
const rateName = 'futures/BTC_USDT_USDT-1h-funding_rate';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'flotilla-funding-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

/** The funding read from a file of rates beside a day of mark candles. */
async function fundingOf(ending: string, content: string | Uint8Array) {
  const into = join(folder, String(count++));
  const marks = Array.from({ length: 24 }, (_, i) => `${start + i * hour},${100 + i},${102 + i},${99 + i},${101 + i},0`);
  writeTo(into, 'futures/BTC_USDT_USDT-1h-mark.csv', ['timestamp,open,high,low,close,volume', ...marks].join('\n'));
  writeTo(into, rateName + ending, content);
  const { events, notes } = await loadFunding(into, 'BTC/USDT:USDT', null, { from: start, to: Infinity });
  return { notes, times: [...(events?.time ?? [])], rates: [...(events?.rate ?? [])], marks: [...(events?.mark ?? [])] };
}

const expected = { notes: [], times, rates, marks: [100, 108, 116] };

function feather(columns: Record<string, number[]>, dates = times): Uint8Array {
  const date = vectorFromArray(dates, new Timestamp(TimeUnit.MILLISECOND, 'UTC'));
  const values = Object.entries(columns).map(([name, column]) => [name, makeVector(Float64Array.from(column))]);
  return tableToIPC(new Table({ date, ...Object.fromEntries(values) }), 'file');
}

test('rates are read in the newer form, date and rate, from both kinds of file', async () => {
  expect(await fundingOf('.feather', feather({ funding_rate: rates }))).toEqual(expected);
  const rows = times.map((time, i) => `${time},${rates[i]}`).join('\n');
  expect(await fundingOf('.csv', `timestamp,funding_rate\n${rows}\n`)).toEqual(expected);
  expect(await fundingOf('.csv', `date,funding_rate\n${rows}\n`)).toEqual(expected);
});

test('and in the older form, in the shape of candles', async () => {
  const zeros = [0, 0, 0];
  expect(await fundingOf('.feather', feather({ open: rates, high: zeros, low: zeros, close: zeros, volume: zeros }))).toEqual(expected);
  const rows = times.map((time, i) => `${time},${rates[i]},0,0,0,0`).join('\n');
  expect(await fundingOf('.csv', `timestamp,open,high,low,close,volume\n${rows}\n`)).toEqual(expected);
});

test('a payment some milliseconds after its hour belongs to the hour', async () => {
  const late = times.map((time, i) => time + [3, 0, 999][i]);
  expect(await fundingOf('.feather', feather({ funding_rate: rates }, late))).toEqual(expected);
});

test('of two payments of one second the first counts', async () => {
  const found = await fundingOf('.csv', `timestamp,funding_rate\n${start + 5},0.0001\n${start + 9},0.5\n`);
  expect(found.rates).toEqual([0.0001]);
});

test('a row with other fields than its header is refused by line', async () => {
  await expect(fundingOf('.csv', `timestamp,funding_rate\n${start},0.1,2\n`)).rejects.toThrow(
    'line 2: it must have two fields, separated by a comma.',
  );
});
