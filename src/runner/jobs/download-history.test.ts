import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { ampleDisk } from '../../../test/support/ample-disk.ts';
import { startMarket } from '../../../test/support/market.ts';
import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import { type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import { loadCandles } from '#storage/candles/candle-cache.ts';
import { missingSpans } from '#storage/candles/candle-chunks.ts';
import { missingFunding, readFunding } from '#storage/candles/funding.ts';
import type { TimeSpan } from '#storage/candles/candle-months.ts';
import type { HistoryRequest } from './download-history.ts';
import { downloadHistory } from './download-history.ts';
import { candleReserveBytes } from './refuse-full-disk.ts';

const { db } = await freshDatabase();
const startTime = Date.UTC(2026, 2, 3, 12, 5); // a Tuesday
const market = await startMarket(0, 7, startTime);
const markets = market.connect();
const work = { signal: new AbortController().signal, progress: async () => undefined };
const seriesOf = (symbol: string, timeframe: Timeframe) => ({ exchangeId: 'sandbox', marketType: 'spot', symbol, timeframe });

/** Downloads what is missing of a span; `now` is what the machine's clock says. */
const download = (series: ReturnType<typeof seriesOf>, span: TimeSpan, now = market.now()) =>
  downloadHistory({ db, markets, disk: ampleDisk, now: () => now }, series, { candles: span, funding: null }, work);
const stored = async (series: ReturnType<typeof seriesOf>, span: TimeSpan) => [...(await loadCandles(db, null, series, span)).openTime];
const everyOne = (timeframe: Timeframe, { from, to }: TimeSpan) => {
  const length = timeframeLengths[timeframe];
  return Array.from({ length: Math.ceil((to - from) / length) }, (_, i) => from + i * length);
};

test('what is not there yet is not kept as whole: the candle of a longer timeframe that was open is downloaded once it has closed', async () => {
  const series = seriesOf('BTC/USDT', '1h');
  const from = startTime - 5 * minuteMs - 6 * hourMs;
  await download(series, { from, to: market.now() }); // 12:05 in the middle of an hour
  market.sandbox.clock.advance(2 * hourMs);
  const later = { from, to: from + 8 * hourMs };
  await download(series, later);
  expect(await stored(series, later)).toEqual(everyOne('1h', later));
});

test('nor is what the exchange, whose clock is behind the machine, has not had yet', async () => {
  const series = seriesOf('ETH/USDT', '1m');
  const from = market.now() - hourMs;
  const early = { from, to: market.now() + 10 * minuteMs };
  await download(series, early, early.to);
  expect(await stored(series, early)).toHaveLength(60);
  market.sandbox.clock.advance(hourMs);
  const later = { from, to: from + 2 * hourMs };
  await download(series, later);
  expect(await stored(series, later)).toEqual(everyOne('1m', later));
});

test('nor is the week that has just begun, and a month whose first candles are not there yet has nothing', async () => {
  const series = seriesOf('BTC/USDT', '1w');
  const monday = Date.UTC(2026, 2, 2);
  await download(series, { from: monday, to: market.now() });
  expect(await missingSpans(db, series, { from: monday, to: monday + 7 * dayMs })).toEqual([{ from: monday, to: monday + 7 * dayMs }]);
});

test('what an exchange has not had for a day is not asked for again', async () => {
  const series = seriesOf('SOL/USDT', '1h');
  const today = Math.floor(market.now() / hourMs) * hourMs;
  const span = { from: today - 96 * hourMs, to: today };
  const none = market.sandbox.faults.add({ path: '/klines', fault: { kind: 'body', body: '[]' } });
  await download(series, span);
  none();
  expect(await missingSpans(db, series, span)).toEqual([{ from: today - 24 * hourMs, to: today }]);
  await download(series, span);
  expect(await stored(series, span)).toEqual(everyOne('1h', { from: today - 24 * hourMs, to: today }));
  expect(await missingSpans(db, series, span)).toEqual([]);
});

const perpetual = { ...seriesOf('BTC/USDT:USDT', '1h'), marketType: 'futures' };

/** Downloads what is missing, and is cancelled while the exchange is asked for the first time. */
async function cutShort(series: ReturnType<typeof seriesOf>, request: HistoryRequest): Promise<void> {
  const cancel = new AbortController();
  const cancelled = { signal: cancel.signal, progress: async () => cancel.abort(new Error('cancelled')) };
  await expect(downloadHistory({ db, markets, disk: ampleDisk, now: market.now }, series, request, cancelled)).rejects.toThrow('cancelled');
}

test('candles that were cut short are not kept as a time without any', async () => {
  const series = seriesOf('XRP/USDT', '1h');
  const to = startTime - 5 * minuteMs - 3 * dayMs;
  const span = { from: to - 48 * hourMs, to };
  await cutShort(series, { candles: span, funding: null });
  expect(await missingSpans(db, series, span)).toEqual([span]);
  await download(series, span);
  expect(await stored(series, span)).toEqual(everyOne('1h', span));
});

test('nor is funding that was cut short kept as a time without payments', async () => {
  const to = startTime - 5 * minuteMs - 3 * dayMs;
  const span = { from: to - 48 * hourMs, to };
  await cutShort(perpetual, { candles: { from: to, to }, funding: span });
  expect(await missingFunding(db, perpetual, span)).toEqual([span]);
});

test('a payment that the exchange reports a moment after its hour is asked for again', async () => {
  const hour = Date.UTC(2026, 2, 3, 8);
  const fetch = (until: number, now: number) =>
    downloadHistory(
      { db, markets, disk: ampleDisk, now: () => now },
      perpetual,
      { candles: { from: hour, to: hour }, funding: { from: hour - 4 * hourMs, to: until } },
      work,
    );
  const notYet = market.sandbox.faults.add({ path: /fundingRate/u, fault: { kind: 'body', body: '[]' } });
  await fetch(hour + hourMs, hour + 1_000);
  notYet();
  await fetch(hour + hourMs, hour + hourMs);
  expect((await readFunding(db, perpetual, { from: hour - 4 * hourMs, to: hour + hourMs })).map(({ time }) => time)).toEqual([hour]);
});

const noRoom = 'There is not enough free disk space on the server for these candles. Ask its administrator.';

/** Downloads a span on a disk that has so many bytes free each time they are counted, the last number from then on. */
async function onDisk(series: ReturnType<typeof seriesOf>, span: TimeSpan, free: number[]) {
  let [cleared, looks] = [0, 0];
  const disk = { freeBytes: async () => free[Math.min(looks++, free.length - 1)] ?? 0, makeRoom: async () => void cleared++ };
  const request = { candles: span, funding: null };
  const outcome = await downloadHistory({ db, markets, disk, now: market.now }, series, request, work).then(
    () => 'downloaded',
    (error: Error) => [error.message, error.cause],
  );
  return { outcome, cleared };
}

test('a download is not begun without room on the disk, and needs none where everything is stored', async () => {
  const series = seriesOf('ETH/USDT', '5m');
  const to = startTime - dayMs;
  const span = { from: to - 100 * 5 * minuteMs, to };
  const full = await onDisk(series, span, [candleReserveBytes - 1]);
  expect(full).toEqual({
    outcome: [noRoom, '999 MB are free on the disk; with less than 1,000 MB no candles are downloaded.'],
    cleared: 1, // the files of candles went before it was refused
  });
  expect(await stored(series, span)).toEqual([]);
  expect(await onDisk(series, span, [0, candleReserveBytes])).toEqual({ outcome: 'downloaded', cleared: 1 }); // they were what took the room
  expect(await onDisk(series, span, [0])).toEqual({ outcome: 'downloaded', cleared: 0 });
  expect(await stored(series, span)).toEqual(everyOne('5m', span));
});

test('a download ends when the disk fills meanwhile, and what it has fetched stays', async () => {
  const series = seriesOf('ETH/USDT', '1m');
  const to = startTime - 2 * dayMs;
  const span = { from: to - 60_000 * minuteMs, to };
  // Four pieces are begun, the next one finds the disk full.
  const { outcome } = await onDisk(series, span, [...Array.from({ length: 4 }, () => candleReserveBytes), 0]);
  expect(outcome).toEqual([noRoom, expect.any(String)]);
  await expect.poll(async () => (await stored(series, span)).length).toBeGreaterThan(0);
  expect((await stored(series, span)).length).toBeLessThanOrEqual(40_000);
});
