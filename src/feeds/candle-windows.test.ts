import type { Candle } from '#engine/market/candle.ts';
import type { MarketData, MarketListener } from '#engine/ports/market-data.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { noSignals } from '#engine/strategy/strategy.ts';
import { expect, test } from 'vitest';
import type { Series } from './candle-windows.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { CandleWindows } from './candle-windows.ts';
import { Markets } from './markets.ts';
import { SignalFeed } from '#runner/bots/signal-feed.ts';

const minute = 60_000;
const series: Series = { exchangeId: 'by hand', marketType: 'spot', symbol: 'BTC/USDT', timeframe: '1m' };
const candleAt = (openTime: number): Candle => ({ openTime, open: 1, high: 1, low: 1, close: 1, volume: 1 });

/** A market moved by hand: a minute passes when told to, and history is answered, late or not at all, as the test says. */
function handMarket() {
  let time = 1_000 * minute;
  const listeners = new Set<MarketListener>();
  const answers: ((isThere: boolean) => void)[] = [];
  const market: MarketData = {
    exchangeId: 'by hand',
    marketType: 'spot',
    instruments: async () => [],
    instrument: async () => null,
    funding: async () => [],
    markCandles: async () => [],
    openCandle: async () => null,
    async candles(_symbol, _timeframe, from) {
      const isThere = await new Promise<boolean>((resolve) => answers.push(resolve));
      if (!isThere) throw new Error('no answer');
      return Array.from({ length: (time - from) / minute }, (_, i) => candleAt(from + i * minute));
    },
    orderBook: async () => Promise.reject(new Error('not asked')),
    quote: async () => Promise.reject(new Error('not asked')),
    watch(_subscription, listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {},
  };
  const windows = new CandleWindows(new Markets([], async () => market), { now: () => time });
  const until = async (count: number): Promise<void> => expect.poll(() => answers.length).toBe(count);
  return {
    windows,
    listeners,
    passMinute() {
      const candle = candleAt(time);
      time += minute;
      for (const listener of listeners) listener.onCandle?.('1m', candle);
      return candle.openTime;
    },
    /** Waits for the question for history and answers it. */
    async answer(isThere: boolean) {
      await until(1);
      answers.shift()?.(isThere);
    },
    asked: () => until(1),
  };
}

test('who watches a window goes on hearing of candles when a larger one cannot be loaded', async () => {
  const market = handMarket();
  const heard: number[] = [];
  const first = market.windows.watch(series, 5, ({ openTime }) => heard.push(openTime));
  await market.answer(true);
  await first;
  const larger = market.windows.watch(series, 20, () => {});
  larger.catch(() => {});
  await market.asked();
  const during = market.passMinute();
  await market.answer(false);
  await expect(larger).rejects.toThrow('no answer');
  const after = market.passMinute();
  expect(heard).toEqual([during, after]);
  expect(market.listeners.size).toBe(1);
});

test('who watches a window hears of each candle once while a larger one takes its place', async () => {
  const market = handMarket();
  const heard: number[] = [];
  const first = market.windows.watch(series, 5, ({ openTime }) => heard.push(openTime));
  await market.answer(true);
  await first;
  const before = market.passMinute();
  const larger = market.windows.watch(series, 20, () => {});
  await market.asked();
  const during = market.passMinute();
  await market.answer(true);
  expect((await larger).window).toHaveLength(20);
  const after = market.passMinute();
  expect(heard).toEqual([before, during, after]);
  expect(market.listeners.size).toBe(1);
});

const alwaysFlat = strategyOfClass('AlwaysFlat');

/** A strategy that looks and wants nothing; `failing` ones fail at each look. */
function watcher(name: string, failing = false): Strategy & { looks: number } {
  const strategy = {
    name,
    title: name,
    description: '',
    losesWhen: '',
    kind: alwaysFlat.kind,
    canShort: false,
    startupCandles: 3,
    defaults: alwaysFlat.defaults,
    parameters: {},
    looks: 0,
    compute({ openTime }: { openTime: Float64Array }) {
      strategy.looks += 1;
      if (failing) throw new Error('it fails');
      return noSignals(openTime.length);
    },
  };
  return strategy;
}

test('a bot that begins to listen while the last other one leaves hears of candles', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)));
  const quiet = watcher('quiet');
  const first = feed.listen(quiet, series, () => {});
  await market.answer(true);
  const endFirst = await first;
  const heard: number[] = [];
  const second = feed.listen(quiet, series, ({ openTime }) => heard.push(openTime));
  endFirst();
  await second;
  const passed = market.passMinute();
  expect(heard.at(-1)).toBe(passed);
});

test('a strategy that fails on its first candles leaves nobody behind who watches them', async () => {
  const market = handMarket();
  const feed = new SignalFeed(market.windows, () => {});
  const failing = watcher('failing', true);
  const listening = feed.listen(failing, series, () => {});
  listening.catch(() => {});
  await market.answer(true);
  await expect(listening).rejects.toThrow('it fails');
  market.passMinute();
  expect(failing.looks).toBe(1);
});
