import { expect, test, vi } from 'vitest';
import type { Candle } from '#engine/market/candle.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { MarketListener } from '#engine/ports/market-data.ts';
import { Watchers } from './watchers.ts';

const start = Date.UTC(2026, 2, 3, 10);
const candle = (minute: number): Candle => ({ openTime: start + minute * minuteMs, open: 1, high: 1, low: 1, close: 1, volume: 1 });
const quote = { symbol: 'BTC/USDT', bid: 1, ask: 2, last: 1, time: start };
const subscription = { symbol: 'BTC/USDT', timeframes: ['1m'], quotes: true } as const;

function watching() {
  const logs: string[] = [];
  const watchers = new Watchers((message) => logs.push(message));
  const listener = () => ({
    onCandle: vi.fn<Required<MarketListener>['onCandle']>(),
    onQuote: vi.fn<Required<MarketListener>['onQuote']>(),
  });
  return { watchers, logs, listener };
}

test('a watcher receives no candle that had closed before it joined, but the one it joined in', () => {
  const { watchers, listener } = watching();
  const [early, late] = [listener(), listener()];
  watchers.add(subscription, early, start);
  watchers.add(subscription, late, start + minuteMs);
  for (const minute of [0, 1]) watchers.emitCandle('onCandle', 'BTC/USDT', '1m', candle(minute));
  expect(early.onCandle.mock.calls).toEqual([
    ['1m', candle(0)],
    ['1m', candle(1)],
  ]);
  expect(late.onCandle.mock.calls).toEqual([['1m', candle(1)]]);
});

test('a watcher receives only the timeframes, quotes and symbol it has subscribed to', () => {
  const { watchers, listener } = watching();
  const [all, candlesOnly, other] = [listener(), listener(), listener()];
  watchers.add(subscription, all, start);
  watchers.add({ symbol: 'BTC/USDT', timeframes: ['5m'], quotes: false }, candlesOnly, start);
  watchers.add({ ...subscription, symbol: 'ETH/USDT' }, other, start);
  watchers.emitCandle('onCandle', 'BTC/USDT', '1m', candle(0));
  watchers.emitQuote(quote);
  expect([all, candlesOnly, other].map(({ onCandle, onQuote }) => [onCandle.mock.calls.length, onQuote.mock.calls.length])).toEqual([
    [1, 1],
    [0, 0],
    [0, 0],
  ]);
});

test('each watcher has its own copy, and one that throws is logged and keeps nothing from the next', () => {
  const { watchers, logs, listener } = watching();
  const [first, second] = [listener(), listener()];
  first.onCandle.mockImplementation((_timeframe, given) => {
    given.close = 99;
    throw new Error('my own fault');
  });
  watchers.add(subscription, first, start);
  watchers.add(subscription, second, start);
  watchers.emitCandle('onCandle', 'BTC/USDT', '1m', candle(0));
  expect(second.onCandle.mock.calls).toEqual([['1m', candle(0)]]);
  expect(logs).toEqual([expect.stringContaining('my own fault')]);
});

test('a watcher that was removed receives nothing more, also nothing that was meant for it alone', () => {
  const { watchers, listener } = watching();
  const gone = listener();
  const watcher = watchers.add(subscription, gone, start);
  watchers.remove(watcher);
  watchers.emitQuote(quote);
  watchers.emitQuoteTo(watcher, quote);
  expect(gone.onQuote).not.toHaveBeenCalled();
  expect(watchers.symbols()).toEqual([]);
});
