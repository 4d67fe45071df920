import type { Candle } from '#engine/market/candle.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { expect, test } from 'vitest';
import { candleAt, handMarket, series } from './testing/hand-market.ts';

type Market = ReturnType<typeof handMarket>;

/** Watches with a window of five candles; what was received, with the window's last candle each time. */
async function watched(market: Market) {
  const received: number[] = [];
  const ends: number[] = [];
  const watching = market.windows.watch(series, 5, ({ openTime }, window) => {
    received.push(openTime);
    ends.push(window.at(-1)?.openTime ?? 0);
  });
  await market.answer('candles');
  const { window, end } = await watching;
  return { received, ends, window, end };
}
const timesOf = (candles: readonly Candle[]): number[] => candles.map(({ openTime }) => openTime);
const withoutGaps = (candles: readonly Candle[]): boolean =>
  candles.every(({ openTime }, i) => i === 0 || openTime - candles[i - 1].openTime === minuteMs);

test('a watcher continues to receive candles when a larger window cannot be loaded', async () => {
  const market = handMarket();
  const { received } = await watched(market);
  const larger = market.windows.watch(series, 20, () => {});
  larger.catch(() => {});
  const request = await market.request();
  const during = market.passMinute();
  request.answer('error');
  await expect(larger).rejects.toThrow('no answer');
  const after = market.passMinute();
  expect(received).toEqual([during, after]);
  expect(market.listeners.size).toBe(1);
});

test('a watcher receives each candle once while a larger window replaces its own', async () => {
  const market = handMarket();
  const { received, ends } = await watched(market);
  const before = market.passMinute();
  const larger = market.windows.watch(series, 20, () => {});
  const request = await market.request();
  const during = market.passMinute();
  request.answer('candles');
  expect((await larger).window).toHaveLength(20);
  const after = market.passMinute();
  expect(received).toEqual([before, during, after]);
  expect(ends).toEqual(received);
  expect(market.listeners.size).toBe(1);
});

test('a candle that closes while the first history loads is in the window, once', async () => {
  for (const isInHistory of [true, false]) {
    const market = handMarket();
    const reading = market.windows.newest(series, 5, false);
    const request = await market.request();
    const before = Array.from({ length: 5 }, (_, i) => candleAt(market.now() - (5 - i) * minuteMs));
    const during = market.passMinute();
    request.answer('candles', isInHistory ? [...before, candleAt(during)] : before);
    const candles = await reading;
    expect(timesOf(candles)).toEqual([...timesOf(before).slice(1), during]);
    const after = market.passMinute();
    expect(timesOf(await market.windows.newest(series, 2, false))).toEqual([during, after]);
  }
});

test('candles that only the history of a larger window has are reported with it, oldest first', async () => {
  const market = handMarket();
  const { received, ends, window } = await watched(market);
  const larger = market.windows.watch(series, 20, () => {});
  const request = await market.request();
  const missed = [market.passMinute(false), market.passMinute(false)]; // the stream is late
  request.answer('candles');
  const grown = (await larger).window;
  expect(received).toEqual(missed);
  expect(ends).toEqual(missed);
  expect(timesOf(grown).slice(-7)).toEqual([...timesOf(window), ...missed]);
  for (const listener of market.listeners) for (const openTime of missed) listener.onCandle?.('1m', candleAt(openTime)); // now it reports them
  expect(received).toEqual(missed);
  expect(withoutGaps(await market.windows.newest(series, 20, false))).toBe(true);
});

test('an older candle that arrives late changes nothing', async () => {
  const market = handMarket();
  const { received } = await watched(market);
  const newest = market.passMinute();
  for (const openTime of [newest, newest - minuteMs])
    for (const listener of market.listeners) listener.onCandle?.('1m', candleAt(openTime, 5));
  expect(received).toEqual([newest]);
  expect(await market.windows.newest(series, 1, true)).toEqual([candleAt(newest)]);
});

test('two readers of a window that is being loaded share one request', async () => {
  const market = handMarket();
  const readings = [market.windows.newest(series, 5, false), market.windows.newest(series, 3, false)];
  await market.answer('candles');
  expect((await Promise.all(readings)).map((candles) => candles.length)).toEqual([5, 3]);
  expect(market.waiting()).toBe(0);
  expect(market.listeners.size).toBe(1);
});

test('a reader who wants more than a window that is being loaded waits for that, then for a larger one', async () => {
  const market = handMarket();
  const small = market.windows.newest(series, 5, false);
  const large = market.windows.newest(series, 20, false);
  const first = await market.request();
  expect(market.waiting()).toBe(0);
  first.answer('error');
  await expect(small).rejects.toThrow('no answer');
  await market.answer('candles');
  expect(await large).toHaveLength(20);
});

test('a window that could not be loaded is tried again by the next reader', async () => {
  const market = handMarket();
  const first = market.windows.newest(series, 5, false);
  first.catch(() => {});
  await market.answer('error');
  await expect(first).rejects.toThrow('no answer');
  expect(market.listeners.size).toBe(0);
  const second = market.windows.newest(series, 5, false);
  await market.answer('candles');
  expect(await second).toHaveLength(5);
});

test('only a window that nobody watches and nobody has read for two minutes is released', async () => {
  const market = handMarket();
  const { end } = await watched(market);
  market.pass(10 * minuteMs);
  market.windows.releaseIdle();
  expect(market.listeners.size).toBe(1); // it is watched
  end();
  market.pass(2 * minuteMs);
  market.windows.releaseIdle();
  expect(market.listeners.size).toBe(1); // it was watched until two minutes ago
  await market.windows.newest(series, 5, false);
  market.pass(2 * minuteMs);
  market.windows.releaseIdle();
  expect(market.listeners.size).toBe(1); // it was read since
  market.pass(1);
  market.windows.releaseIdle();
  expect(market.listeners.size).toBe(0);
  expect(market.windows.lastPrice(series)).toBeNull();
});

test('a window whose history takes long is not released before those who wait for it have it', async () => {
  const market = handMarket();
  const received: number[] = [];
  const watching = market.windows.watch(series, 5, ({ openTime }) => received.push(openTime));
  const reading = market.windows.newest(series, 5, false);
  const request = await market.request();
  market.pass(10 * minuteMs);
  market.windows.releaseIdle();
  request.answer('candles');
  await Promise.all([watching, reading]);
  const after = market.passMinute();
  expect(received).toEqual([after]);
  expect(timesOf(await market.windows.newest(series, 1, false))).toEqual([after]);
  expect(market.listeners.size).toBe(1);
});

test('a window that nobody watches is kept for two minutes from when it was loaded', async () => {
  const market = handMarket();
  const reading = market.windows.newest(series, 5, false);
  const request = await market.request();
  market.pass(10 * minuteMs);
  request.answer('candles');
  await reading;
  market.pass(2 * minuteMs);
  market.windows.releaseIdle();
  expect(market.listeners.size).toBe(1);
  market.pass(1);
  market.windows.releaseIdle();
  expect(market.listeners.size).toBe(0);
});

test('closing releases every window, also one that grows', async () => {
  const market = handMarket();
  await watched(market);
  market.windows.watch(series, 20, () => {}).catch(() => {});
  await market.request();
  expect(market.listeners.size).toBe(2);
  market.windows.close();
  expect(market.listeners.size).toBe(0);
});

test('a window that runs for long holds no more than twice its size', async () => {
  const market = handMarket();
  await watched(market);
  let longest = 0;
  await market.windows.watch(series, 5, (_, window) => (longest = Math.max(longest, window.length)));
  for (let i = 0; i < 50; i++) market.passMinute();
  expect(longest).toBeLessThanOrEqual(10);
  expect(await market.windows.newest(series, 5, false)).toHaveLength(5);
});

test('a candle that the smaller window has reported and the larger history lacks is not reported again', async () => {
  const market = handMarket();
  const { received } = await watched(market);
  const larger = market.windows.watch(series, 20, () => {});
  const request = await market.request();
  const during = market.passMinute();
  request.answer(
    'candles',
    Array.from({ length: 20 }, (_, i) => candleAt(request.from + i * minuteMs)),
  );
  await larger;
  expect(received).toEqual([during]);
  const candles = await market.windows.newest(series, 20, false);
  expect(candles.at(-1)?.openTime).toBe(during);
  expect(withoutGaps(candles)).toBe(true);
});

test('a candle that closes is no longer open: it is there once, with its last price', async () => {
  const market = handMarket();
  await watched(market);
  const openTime = market.now();
  for (const listener of market.listeners) listener.onOpenCandle?.('1m', candleAt(openTime, 7));
  expect((await market.windows.newest(series, 2, true)).at(-1)).toEqual(candleAt(openTime, 7));
  market.passMinute();
  expect(timesOf(await market.windows.newest(series, 2, true))).toEqual([openTime - minuteMs, openTime]);
  expect(market.windows.lastPrice(series)?.price).toBe(1);
});

test('a window that grows keeps the price of the smaller one, with what is known of its source', async () => {
  const market = handMarket();
  await watched(market);
  for (const listener of market.listeners) listener.onOpenCandle?.('1m', candleAt(market.now(), 7));
  const seenAt = market.now();
  for (const isSilent of [false, true]) {
    if (isSilent) for (const listener of market.listeners) listener.onStale?.(true);
    const larger = market.windows.newest(series, isSilent ? 40 : 20, false);
    const request = await market.request();
    market.pass(1_000);
    expect(market.windows.lastPrice(series)).toEqual({ price: 7, time: isSilent ? seenAt : market.now() });
    request.answer('candles');
    await larger;
  }
});
