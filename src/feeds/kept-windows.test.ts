import type { Candle } from '#engine/market/candle.ts';
import type { MarketData, MarketListener } from '#engine/ports/market-data.ts';
import { describe, expect, test } from 'vitest';
import type { Series } from './series.ts';
import { CandleWindows } from './candle-windows.ts';
import { Markets } from './markets.ts';

const minute = 60_000;
const series: Series = { exchangeId: 'by hand', marketType: 'spot', symbol: 'BTC/USDT', timeframe: '1m' };
const candleAt = (openTime: number, close = 1): Candle => ({ openTime, open: 1, high: 9, low: 1, close, volume: 1 });

/** A market moved by hand, which answers at once; it fails while `isReachable` is false. */
function handMarket(idleMs?: number) {
  const state = {
    time: 1_000 * minute,
    clockAheadMs: 0, // how far the clock of the exchange is ahead of this machine's
    isReachable: true,
    isNew: false,
    openCandle: null as Candle | null,
    openCalls: 0,
    meanwhile: () => {},
  };
  const listeners = new Set<MarketListener>();
  const subscriptions: unknown[] = [];
  const asked: { symbol: string; from: number; to: number }[] = [];
  const market = {
    exchangeId: 'by hand',
    marketType: 'spot',
    timeframes: ['1m'],
    async candles(symbol: string, _timeframe: string, from: number, to: number) {
      asked.push({ symbol, from, to });
      if (!state.isReachable) throw new Error('no answer');
      const end = Math.min(to, state.time + state.clockAheadMs);
      return state.isNew ? [] : Array.from({ length: Math.floor((end - from) / minute) }, (_, i) => candleAt(from + i * minute));
    },
    async openCandle() {
      state.openCalls += 1;
      state.meanwhile();
      if (!state.isReachable) throw new Error('no answer');
      return state.openCandle;
    },
    watch(subscription: unknown, listener: MarketListener) {
      subscriptions.push(subscription);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as MarketData;
  const windows = new CandleWindows(new Markets([], async () => market), {
    now: () => state.time,
    ...(idleMs === undefined ? {} : { idleMs }),
  });
  const close = (openTime: number): void => listeners.forEach((listener) => listener.onCandle?.('1m', candleAt(openTime)));
  const trade = (candle: Candle): void => listeners.forEach((listener) => listener.onOpenCandle?.('1m', candle));
  const stale = (isStale: boolean): void => listeners.forEach((listener) => listener.onStale?.(isStale));
  return { windows, state, listeners, subscriptions, asked, close, trade, stale };
}
const times = (candles: readonly Candle[]): number[] => candles.map(({ openTime }) => openTime / minute);

describe('the newest candles', () => {
  test('are the closed ones before now, the open one included only when it is asked for, and never more than asked for', async () => {
    const { windows, asked, trade } = handMarket();
    expect(times(await windows.newest(series, 3, false))).toEqual([997, 998, 999]);
    expect(asked).toEqual([{ symbol: 'BTC/USDT', from: 997 * minute, to: Infinity }]); // what has closed by then the exchange knows
    trade(candleAt(1_000 * minute));
    expect(times(await windows.newest(series, 3, true))).toEqual([998, 999, 1_000]);
    expect(times(await windows.newest(series, 3, false))).toEqual([997, 998, 999]);
    expect(times(await windows.newest(series, 1, true))).toEqual([1_000]);
  });

  test.each([
    ['two seconds', 2_000, 999],
    ['an hour', 60 * minute, 1_058],
  ])(
    'have the candle that has just closed where the clock of this machine is %s behind, and so have those of each watcher',
    async (_name, ms, newest) => {
      const { windows, state, close } = handMarket();
      state.time -= 1_000;
      state.clockAheadMs = ms;
      const seen: number[][] = [];
      const { window } = await windows.watch(series, 3, (_candle, kept) => seen.push(times(kept).slice(-3)));
      expect(times(window)).toEqual([newest - 2, newest - 1, newest]);
      expect(windows.lastPrice(series)?.time).toBe(state.time); // no price is of a time to come
      close((newest + 1) * minute);
      expect(seen).toEqual([[newest - 1, newest, newest + 1]]);
    },
  );

  test('are loaded once, and again only for more of them or for another series', async () => {
    const { windows, asked, listeners } = handMarket();
    await Promise.all([windows.newest(series, 3, false), windows.newest(series, 3, false), windows.newest(series, 2, false)]);
    expect(asked).toHaveLength(1);
    expect(await windows.newest(series, 5, false)).toHaveLength(5);
    expect(asked).toHaveLength(2);
    expect(listeners.size).toBe(1);
    await windows.newest({ ...series, symbol: 'ETH/USDT' }, 3, false);
    await windows.newest({ ...series, timeframe: '5m' }, 3, false);
    await windows.newest({ ...series, marketType: 'futures' }, 3, false);
    await windows.newest({ ...series, exchangeId: 'another' }, 3, false);
    expect(asked).toHaveLength(6);
    expect(listeners.size).toBe(5);
  });

  test('grow with each candle that closes; one that is there already is not there twice', async () => {
    const { windows, close } = handMarket();
    await windows.newest(series, 3, false);
    for (const each of [999, 1_000, 1_000, 998, 1_001]) close(each * minute);
    expect(times(await windows.newest(series, 3, false))).toEqual([999, 1_000, 1_001]);
  });

  test('given to somebody are not changed by what comes later', async () => {
    const { windows, close } = handMarket();
    const before = await windows.newest(series, 3, false);
    const { window } = await windows.watch(series, 3, () => {});
    close(1_000 * minute);
    expect([times(before), times(window)]).toEqual([
      [997, 998, 999],
      [997, 998, 999],
    ]);
  });

  test('that could not be loaded are loaded by the next who asks, and nothing is left behind', async () => {
    const { windows, state, listeners } = handMarket();
    state.isReachable = false;
    await expect(windows.newest(series, 3, false)).rejects.toThrow('no answer');
    expect(listeners.size).toBe(0);
    expect(windows.lastPrice(series)).toBeNull();
    state.isReachable = true;
    expect(await windows.newest(series, 3, false)).toHaveLength(3);
    expect(listeners.size).toBe(1);
  });

  test('stay what they were when more of them cannot be loaded', async () => {
    const { windows, state, listeners, close } = handMarket();
    await windows.newest(series, 3, false);
    state.isReachable = false;
    await expect(windows.newest(series, 5, false)).rejects.toThrow('no answer');
    close(1_000 * minute);
    expect(times(await windows.newest(series, 3, false))).toEqual([998, 999, 1_000]);
    expect(listeners.size).toBe(1);
  });
});

describe('a watcher', () => {
  test('receives each candle with a window that ends with it and holds at least as many as asked for', async () => {
    const { windows, close } = handMarket();
    const seen: number[][] = [];
    const { window, end } = await windows.watch(series, 3, (candle, kept) => {
      expect(kept.at(-1)).toEqual(candle);
      seen.push(times(kept));
    });
    expect(times(window)).toEqual([997, 998, 999]);
    for (let n = 1_000; n < 1_010; n++) close(n * minute);
    expect(seen).toHaveLength(10);
    for (const kept of seen) {
      expect(kept.length).toBeGreaterThanOrEqual(3);
      expect(kept.length).toBeLessThanOrEqual(6);
    }
    end();
    close(1_010 * minute);
    expect(seen).toHaveLength(10);
  });
});

describe('the last price', () => {
  test('is that of the open candle, else of the last close; of a series nobody asks for there is none', async () => {
    const { windows, trade, close, state } = handMarket();
    expect(windows.lastPrice(series)).toBeNull();
    await windows.newest(series, 3, false);
    expect(windows.lastPrice(series)).toEqual({ price: 1, time: 1_000 * minute });
    state.time += 7_000;
    expect(windows.lastPrice(series)).toEqual({ price: 1, time: 1_000 * minute }); // the stream has reported nothing yet
    trade(candleAt(1_000 * minute, 5));
    expect(windows.lastPrice(series)).toEqual({ price: 5, time: state.time });
    close(1_000 * minute);
    expect(windows.lastPrice(series)?.price).toBe(1); // the open candle has closed
  });

  test('of a source that has fallen silent is at most ten seconds older than the silence, and never newer than it was', async () => {
    const { windows, trade, stale, state } = handMarket();
    await windows.newest(series, 3, false);
    trade(candleAt(1_000 * minute, 5));
    const { time } = state;
    state.time += 4_000;
    stale(true);
    expect(windows.lastPrice(series)?.time).toBe(time);
    state.time += 20_000;
    stale(true); // the same silence
    expect(windows.lastPrice(series)?.time).toBe(time);
    stale(false);
    expect(windows.lastPrice(series)?.time).toBe(state.time);
    state.time += 60_000;
    stale(true);
    expect(windows.lastPrice(series)?.time).toBe(state.time - 10_000);
  });
});

describe('the open candle', () => {
  test('is asked for until the stream speaks, at most every five seconds', async () => {
    const { windows, state, trade } = handMarket();
    state.isReachable = true;
    await windows.newest(series, 3, false);
    expect(state.openCalls).toBe(0);
    state.isReachable = false;
    await windows.newest(series, 3, true);
    state.time += 4_999;
    await windows.newest(series, 3, true);
    expect(state.openCalls).toBe(1);
    state.time += 1;
    await windows.newest(series, 3, true);
    expect(state.openCalls).toBe(2);
    trade(candleAt(1_000 * minute));
    state.time += 5_000;
    await windows.newest(series, 3, true);
    expect(state.openCalls).toBe(2);
  });

  test('that is asked for counts as the price of now; one that is not newer than the last close is not taken', async () => {
    const { windows, state } = handMarket();
    state.openCandle = candleAt(999 * minute, 7);
    expect(times(await windows.newest(series, 3, true))).toEqual([997, 998, 999]);
    expect(windows.lastPrice(series)).toEqual({ price: 1, time: state.time });
    const other = handMarket();
    other.state.openCandle = candleAt(1_000 * minute, 7);
    expect(times(await other.windows.newest(series, 3, true))).toEqual([998, 999, 1_000]);
    expect(other.windows.lastPrice(series)?.price).toBe(7);
  });
});

describe('a window that nobody uses', () => {
  test('is released later than the idle time after its last use, not before', async () => {
    const { windows, state, listeners } = handMarket(10_000);
    await windows.newest(series, 3, false);
    state.time += 10_000;
    windows.releaseIdle();
    expect(listeners.size).toBe(1);
    state.time += 1;
    windows.releaseIdle();
    expect(listeners.size).toBe(0);
    expect(windows.lastPrice(series)).toBeNull();
  });

  test('is kept while it is watched, and for the idle time after that', async () => {
    const { windows, state, listeners } = handMarket(10_000);
    const { end } = await windows.watch(series, 3, () => {});
    state.time += 60_000;
    windows.releaseIdle();
    expect(listeners.size).toBe(1);
    end();
    windows.releaseIdle();
    expect(listeners.size).toBe(1);
    state.time += 10_001;
    windows.releaseIdle();
    expect(listeners.size).toBe(0);
  });

  test('is kept for two minutes unless another time is given', async () => {
    const { windows, state, listeners } = handMarket();
    await windows.newest(series, 3, false);
    state.time += 120_000;
    windows.releaseIdle();
    expect(listeners.size).toBe(1);
    state.time += 1;
    windows.releaseIdle();
    expect(listeners.size).toBe(0);
  });
});

test('closing releases every window, those that are watched too', async () => {
  const { windows, listeners } = handMarket();
  await windows.watch(series, 3, () => {});
  await windows.newest({ ...series, symbol: 'ETH/USDT' }, 3, false);
  expect(listeners.size).toBe(2);
  windows.close();
  expect(listeners.size).toBe(0);
  expect(windows.lastPrice(series)).toBeNull();
});

describe('a series in which nothing has closed yet', () => {
  test('has no candles and no price', async () => {
    const { windows, state } = handMarket();
    state.isNew = true;
    expect(await windows.newest(series, 3, true)).toEqual([]);
    expect(windows.lastPrice(series)).toBeNull();
  });

  test('has the open candle and its price', async () => {
    const { windows, state } = handMarket();
    Object.assign(state, { isNew: true, openCandle: candleAt(1_000 * minute, 7) });
    expect(times(await windows.newest(series, 3, true))).toEqual([1_000]);
    expect(windows.lastPrice(series)).toEqual({ price: 7, time: state.time });
  });
});

describe('a window that is being loaded', () => {
  test('is released by closing, with the smaller one that it stands for', async () => {
    const { windows, listeners } = handMarket();
    const first = windows.newest(series, 3, false);
    await expect.poll(() => listeners.size).toBe(1);
    windows.close();
    expect(listeners.size).toBe(0);
    await first;

    const other = handMarket();
    await other.windows.newest(series, 3, false);
    const larger = other.windows.newest(series, 5, false);
    await Promise.resolve();
    await Promise.resolve();
    other.windows.close();
    await larger;
    expect(other.listeners.size).toBe(0);
  });

  test('reports to those who watch the smaller one what that has missed, each candle with the window as it was then', async () => {
    const { windows, state } = handMarket();
    const seen: number[][] = [];
    await windows.watch(series, 3, (_, kept) => seen.push(times(kept)));
    state.time += 2 * minute; // two candles closed, of which the stream has reported nothing
    await windows.newest(series, 5, false);
    expect(seen).toEqual([
      [997, 998, 999, 1_000],
      [997, 998, 999, 1_000, 1_001],
    ]);
  });
});

test('the last close is that of the newest candle', async () => {
  const { windows, listeners } = handMarket();
  await windows.newest(series, 3, false);
  for (const listener of listeners) listener.onCandle?.('1m', candleAt(1_000 * minute, 42));
  expect(windows.lastPrice(series)?.price).toBe(42);
});

describe('what a window takes from the stream', () => {
  test('is its own timeframe, and no quotes', async () => {
    const { windows, subscriptions } = handMarket();
    await windows.newest(series, 3, false);
    expect(subscriptions).toEqual([{ symbol: 'BTC/USDT', timeframes: ['1m'], quotes: false }]);
  });

  test('while it is being loaded comes after its history', async () => {
    const { windows, listeners, close } = handMarket();
    const loading = windows.newest(series, 3, false);
    await expect.poll(() => listeners.size).toBe(1);
    await loading;
    const larger = windows.newest(series, 5, false);
    await Promise.resolve();
    await Promise.resolve();
    close(1_000 * minute);
    expect(times(await larger)).toEqual([996, 997, 998, 999, 1_000]);
  });

  test('is newer than the open candle that was asked for meanwhile', async () => {
    const { windows, state, trade } = handMarket();
    state.openCandle = candleAt(1_000 * minute, 7);
    state.meanwhile = () => trade(candleAt(1_000 * minute, 8));
    await windows.newest(series, 3, true);
    expect(windows.lastPrice(series)?.price).toBe(8);
  });

  test('is known to the larger window that takes its place: its price, and its silence', async () => {
    const { windows, state, trade, stale } = handMarket();
    await windows.newest(series, 3, false);
    trade(candleAt(1_000 * minute, 5));
    state.time += 7_000;
    await windows.newest(series, 5, false);
    expect(windows.lastPrice(series)).toEqual({ price: 5, time: state.time });
    stale(true);
    state.time += 30_000;
    await windows.newest(series, 7, false);
    expect(windows.lastPrice(series)?.time).toBeLessThan(state.time - 20_000);
  });
});

test('an open candle in which nothing was traded confirms the last close', async () => {
  const { windows, state } = handMarket();
  await windows.newest(series, 3, true);
  state.time += 7_000;
  expect(windows.lastPrice(series)).toEqual({ price: 1, time: state.time });
});
