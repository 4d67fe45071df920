import type { Candle } from '#engine/market/candle.ts';
import { candleOpenTime } from '#engine/market/timeframe.ts';
import type { MarketData, MarketListener } from '#engine/ports/market-data.ts';
import { expect, test } from 'vitest';
import { startMarket } from '../../test/support/market.ts';
import type { Series } from './candle-windows.ts';
import { CandleWindows } from './candle-windows.ts';
import { Markets } from './markets.ts';

const hour = 3_600_000;
const series: Series = { exchangeId: 'sandbox', marketType: 'spot', symbol: 'XRP/USDT', timeframe: '4h' };

test('DATA-12, OP-70 the first answer after a pause without readers has the candle that is open now and its price', async () => {
  const market = await startMarket(1);
  let shift = 0;
  const windows = new CandleWindows(market.connect(), { now: () => market.now() + shift, idleMs: 60_000 });
  await windows.newest(series, 300, true);
  for (let pause = 0; pause < 2; pause++) {
    shift += 61_000;
    windows.releaseIdle(); // nobody has asked for a minute
    shift -= 61_000;
    expect(windows.lastPrice(series)).toBeNull();
    const candles = await windows.newest(series, 300, true);
    expect(candles.at(-1)?.openTime).toBe(candleOpenTime('4h', market.now()));
    expect(candles).toHaveLength(300);
    expect(windows.lastPrice(series)?.price).toBe(candles.at(-1)?.close);
    expect(market.now() - (windows.lastPrice(series)?.time ?? 0)).toBeLessThan(2_000);
  }
  windows.close();
});

/** An exchange by hand: history is there, the open candle and the stream are what the test makes of them. */
function handMarket(openCandle: () => Promise<Candle | null>) {
  let time = 1_000 * hour + 5_000;
  const listeners = new Set<MarketListener>();
  const candle = (openTime: number, close: number): Candle => ({ openTime, open: 1, high: 9, low: 1, close, volume: 1 });
  const refuse = async () => Promise.reject(new Error('not asked'));
  const market: MarketData = {
    exchangeId: 'sandbox',
    marketType: 'spot',
    instruments: async () => [],
    instrument: async () => null,
    funding: async () => [],
    markCandles: async () => [],
    candles: async (_symbol, _timeframe, from, to) => Array.from({ length: (to - from) / hour }, (_, i) => candle(from + i * hour, 2)),
    openCandle,
    orderBook: refuse,
    quote: refuse,
    watch(_subscription, listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {},
  };
  const windows = new CandleWindows(new Markets([], async () => market), { now: () => time });
  return { windows, listeners, candle, now: () => time, pass: (ms: number) => void (time += ms) };
}

const hourly: Series = { ...series, timeframe: '1h' };

test('OP-70 a price whose source has fallen silent keeps the time at which it was last known', async () => {
  const market = handMarket(async () => market.candle(1_000 * hour, 5));
  await market.windows.newest(hourly, 10, true);
  expect(market.windows.lastPrice(hourly)).toEqual({ price: 5, time: market.now() });
  market.pass(30_000); // a market in which nothing is traded has the same price still, as long as its source speaks
  expect(market.windows.lastPrice(hourly)).toEqual({ price: 5, time: market.now() });
  for (const listener of market.listeners) listener.onStale?.(true);
  market.pass(60_000);
  expect(market.windows.lastPrice(hourly)).toEqual({ price: 5, time: market.now() - 70_000 });
  for (const listener of market.listeners) listener.onStale?.(false);
  expect(market.windows.lastPrice(hourly)).toEqual({ price: 5, time: market.now() });
});

test('OP-70 while the open candle cannot be asked for, the last close is given with the time of that close', async () => {
  let calls = 0;
  const market = handMarket(async () => {
    calls += 1;
    throw new Error('no answer');
  });
  for (let i = 0; i < 3; i++) expect(await market.windows.newest(hourly, 10, true)).toHaveLength(10);
  expect(market.windows.lastPrice(hourly)).toEqual({ price: 2, time: 1_000 * hour });
  expect(calls).toBe(1);
  for (const listener of market.listeners) listener.onOpenCandle?.('1h', market.candle(1_000 * hour, 7));
  expect(market.windows.lastPrice(hourly)).toEqual({ price: 7, time: market.now() });
});
