import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { candleOpenTime } from '#engine/market/timeframe.ts';
import { expect, test } from 'vitest';
import { startMarket } from '../../test/support/market.ts';
import type { Series } from './series.ts';
import { CandleWindows } from './candle-windows.ts';
import { candleAt, handMarket, series } from './testing/hand-market.ts';

const xrp: Series = { exchangeId: 'sandbox', marketType: 'spot', symbol: 'XRP/USDT', timeframe: '4h' };

test('DATA-12, OP-70 the first answer after a pause without readers has the candle that is open now and its price', async () => {
  const market = await startMarket(1);
  let shift = 0;
  const windows = new CandleWindows(market.connect(), { now: () => market.now() + shift, idleMs: 60_000 });
  await windows.newest(xrp, 300, true);
  for (let pause = 0; pause < 2; pause++) {
    shift += 61_000;
    windows.releaseIdle(); // nobody has read it for a minute
    shift -= 61_000;
    expect(windows.lastPrice(xrp)).toBeNull();
    const askedAt = market.now();
    const candles = await windows.newest(xrp, 300, true);
    expect([candleOpenTime('4h', askedAt), candleOpenTime('4h', market.now())]).toContain(candles.at(-1)?.openTime);
    expect(candles).toHaveLength(300);
    expect(windows.lastPrice(xrp)?.price).toBe(candles.at(-1)?.close);
    expect(windows.lastPrice(xrp)?.time).toBeGreaterThanOrEqual(askedAt);
  }
  windows.close();
});

test('OP-70 a price whose source has fallen silent keeps the time at which it was last known', async () => {
  const market = handMarket(async () => candleAt(1_000 * hourMs, 5));
  market.pass(5_000);
  await read(market);
  expect(market.windows.lastPrice(series)).toEqual({ price: 5, time: market.now() });
  market.pass(30_000); // a market in which nothing is traded has the same price still, as long as its source sends something
  expect(market.windows.lastPrice(series)).toEqual({ price: 5, time: market.now() });
  for (const listener of market.listeners) listener.onStale?.(true);
  const silentSince = market.now() - 10_000;
  market.pass(60_000);
  for (const listener of market.listeners) listener.onStale?.(true); // reported again, it is the same silence
  expect(market.windows.lastPrice(series)).toEqual({ price: 5, time: silentSince });
  for (const listener of market.listeners) listener.onStale?.(false);
  expect(market.windows.lastPrice(series)).toEqual({ price: 5, time: market.now() });
});

test('OP-70 while the open candle cannot be had, the last close is given with the time of that close; it is not asked for at every call', async () => {
  let calls = 0;
  const market = handMarket(async () => {
    calls += 1;
    throw new Error('no answer');
  });
  market.pass(5_000);
  expect(await read(market)).toHaveLength(10);
  for (let i = 0; i < 3; i++) expect(await market.windows.newest(series, 10, true)).toHaveLength(10);
  expect(market.windows.lastPrice(series)).toEqual({ price: 1, time: 1_000 * hourMs });
  expect(calls).toBe(1);
  market.pass(5_000);
  await market.windows.newest(series, 10, true);
  expect(calls).toBe(2);
  for (const listener of market.listeners) listener.onOpenCandle?.('1m', candleAt(1_000 * hourMs, 7));
  expect(market.windows.lastPrice(series)).toEqual({ price: 7, time: market.now() });
});

test('an answer about the open candle that comes after the stream’s own does not replace it', async () => {
  const answers: ((candle: ReturnType<typeof candleAt>) => void)[] = [];
  const market = handMarket(async () => new Promise((resolve) => answers.push(resolve)));
  const reading = read(market);
  await expect.poll(() => answers.length, { interval: 1 }).toBe(1);
  for (const listener of market.listeners) listener.onOpenCandle?.('1m', candleAt(1_000 * hourMs, 7));
  answers[0]?.(candleAt(1_000 * hourMs, 5)); // late, and older
  expect((await reading).at(-1)?.close).toBe(7);
  expect(market.windows.lastPrice(series)?.price).toBe(7);
});

test('an answer about the open candle that is closed already is not taken for the open one', async () => {
  const market = handMarket(async () => candleAt(1_000 * hourMs - minuteMs, 5));
  expect((await read(market)).map(({ openTime }) => openTime).at(-1)).toBe(1_000 * hourMs - minuteMs);
  expect(market.windows.lastPrice(series)?.price).toBe(1); // that of the history
});

test('an exchange that never answers about the open candle holds up no reader for good', async () => {
  const market = handMarket(async () => new Promise(() => {}));
  expect(await read(market)).toHaveLength(10);
});

/** Reads ten closed candles and the open one, from a history that is answered at once. */
async function read(market: ReturnType<typeof handMarket>) {
  const reading = market.windows.newest(series, 10, true);
  const request = await market.request();
  request.answer(
    'candles',
    Array.from({ length: 10 }, (_, i) => candleAt(request.from + i * minuteMs)),
  );
  return reading;
}
