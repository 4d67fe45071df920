import { expect, onTestFinished, test, vi } from 'vitest';
import type { Candle } from '#engine/market/candle.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { patienceMs } from '../../test/support/patience.ts';
import { startSandbox } from '../sandbox/sandbox.ts';
import { fetchCandles } from './candle-history.ts';
import { connect } from './connect.ts';
import { feedTimes, LiveFeed } from './live-feed.ts';
import { RequestBudget } from './request-budget.ts';

const symbol = 'BTC/USDT';
const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: patienceMs, interval: 20 });

/** A fast exchange of which ccxt can watch prices and no candles, as of Coinbase and of Kraken's perpetuals, and a feed of it. */
async function feedWithoutCandleStreams() {
  const sandbox = await startSandbox({ factor: 240, startTime: Date.UTC(2026, 2, 3, 10, 0, 20) }); // a minute in a quarter of a second
  const budget = new RequestBudget(1e6);
  const { client } = connect({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url, budget });
  client.has = { ...client.has, watchOHLCV: false, watchOHLCVForSymbols: false };
  const logs: string[] = [];
  const history = { client, budget, exchangeId: 'sandbox', marketType: 'spot', price: 'last', retryMs: 50 } as const;
  const feed = new LiveFeed(
    {
      client,
      exchangeId: 'sandbox',
      now: () => sandbox.clock.now(),
      ready: async () => {
        await client.loadMarkets();
        await client.loadHttpProxyAgent();
      },
      relist: async () => {},
      refreshClock: () => {},
      fetchCandles: (...range) => fetchCandles(history, ...range),
      fetchQuotes: async () => [],
      log: (message) => void logs.push(message),
    },
    { ...feedTimes, silenceMs: 60_000, streamAwayMs: 60_000, graceMs: 100, quietMs: 200 },
  );
  onTestFinished(async () => {
    await feed.close();
    await sandbox.close();
  });
  return { feed, logs };
}

test('an exchange without streams of candles keeps its streams of prices: no candle is missed that nobody was to send', async () => {
  const { feed, logs } = await feedWithoutCandleStreams();
  const closed: Candle[] = [];
  const received = { quotes: 0 };
  feed.watch(
    { symbol, timeframes: ['1m'], quotes: true },
    { onCandle: (_, each) => closed.push(each), onQuote: () => (received.quotes += 1) },
  );
  await eventually(() => expect(closed.length).toBeGreaterThan(7));
  const seen = received.quotes;
  await eventually(() => expect(received.quotes).toBeGreaterThan(seen));
  expect(closed.every(({ openTime, volume }, i) => volume > 0 && openTime === closed[0].openTime + i * minuteMs)).toBe(true);
  expect(logs).toEqual([]);
});

test('the open candle that was asked for when the one before closed is not given for the one of now', async () => {
  const { feed } = await feedWithoutCandleStreams();
  const open: Candle[] = [];
  feed.watch({ symbol, timeframes: ['1m'], quotes: true }, { onOpenCandle: (_, each) => open.push(each) });
  await eventually(() => expect(open.length).toBeGreaterThan(2));
  expect(feed.openCandle(symbol, '1m')).toBeNull();
});

test('the open candle is asked for from time to time, so that a page does not show the price of its beginning for a day', async () => {
  const { feed } = await feedWithoutCandleStreams();
  const open: Candle[] = [];
  feed.watch({ symbol, timeframes: ['1d'], quotes: true }, { onOpenCandle: (_, each) => open.push(each) });
  await eventually(() => expect(open.length).toBeGreaterThan(3));
  expect(new Set(open.map(({ openTime }) => openTime)).size).toBe(1);
});
