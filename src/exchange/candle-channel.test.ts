import type { OHLCV } from 'ccxt';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Candle } from '#engine/market/candle.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { CandleChannel } from './candle-channel.ts';

const start = Date.UTC(2026, 2, 3, 10);
const graceMs = 2000;

/** The candle of minute `i` as ccxt keeps it; the volume names it. */
const row = (i: number, volume = i + 1): OHLCV => [start + i * minuteMs, 100, 102, 99, 101, volume];
const candle = (i: number, volume = i + 1): Candle => ({
  openTime: start + i * minuteMs,
  open: 100,
  high: 102,
  low: 99,
  close: 101,
  volume,
});

/** A channel that starts in minute 0, with an exchange that answers when the test lets it. */
function watchMinutes() {
  const closed: Candle[] = [];
  const open: Candle[] = [];
  const logs: string[] = [];
  const requests: { from: number; to: number; answer: (candles: Candle[]) => Promise<void>; fail: () => Promise<void> }[] = [];
  const exchange = { now: start + 20_000, incomplete: 0 };
  const channel = new CandleChannel(
    {
      exchangeId: 'sandbox',
      now: () => exchange.now,
      fetch: (_symbol, _timeframe, from, to) =>
        new Promise((resolve, reject) => {
          requests.push({
            from: (from - start) / minuteMs,
            to: (to - start) / minuteMs,
            answer: async (candles) => {
              resolve(candles);
              await settle();
            },
            fail: async () => {
              reject(new Error('away'));
              await settle();
            },
          });
        }),
      closed: (_symbol, _timeframe, candle) => closed.push(candle),
      open: (_symbol, _timeframe, candle) => open.push(candle),
      polled: () => {},
      streamIncomplete: () => (exchange.incomplete += 1),
      log: (message) => logs.push(message),
    },
    'BTC/USDT',
    '1m',
    graceMs,
  );
  return { channel, exchange, closed, open, logs, requests };
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

describe('a candle closes', () => {
  test('when the stream has a newer one, once', () => {
    const { channel, closed, requests } = watchMinutes();
    channel.evaluate([row(0)]);
    expect(closed).toEqual([]);
    channel.evaluate([row(0), row(1)]);
    channel.evaluate([row(0), row(1)]);
    expect(closed).toEqual([candle(0)]);
    expect(channel.closedUntil()).toBe(start + minuteMs);
    expect(requests).toEqual([]);
  });

  test('together with others when several close between two frames, oldest first', () => {
    const { channel, closed } = watchMinutes();
    channel.evaluate([row(0), row(1), row(2), row(3)]);
    expect(closed).toEqual([candle(0), candle(1), candle(2)]);
  });

  test('by REST when it is over and the stream sends no newer one, but not before the grace has passed', async () => {
    const { channel, exchange, closed, requests } = watchMinutes();
    exchange.now = start + minuteMs;
    channel.evaluate([row(0)]);
    vi.advanceTimersByTime(graceMs - 1);
    exchange.now += graceMs - 1;
    channel.evaluate([row(0)]);
    expect(requests).toEqual([]);
    vi.advanceTimersByTime(1);
    exchange.now += 1;
    channel.evaluate([row(0)]);
    expect(requests).toMatchObject([{ from: 0, to: 2 }]);
    await requests[0].answer([candle(0)]);
    expect(closed).toEqual([candle(0)]);
  });

  test('only when it was over long enough before the request: the answer may be as old as that', async () => {
    const { channel, exchange, closed, open, requests } = watchMinutes();
    exchange.now = start + minuteMs + graceMs - 1;
    channel.poll();
    exchange.now = start + 10 * minuteMs; // it took long
    await requests[0].answer([candle(0, 0.5)]);
    expect(closed).toEqual([]);
    expect(open).toEqual([candle(0, 0.5)]);
    vi.advanceTimersByTime(graceMs);
    channel.poll();
    await requests[1].answer([candle(0), candle(1)]);
    expect(closed).toEqual([candle(0), candle(1)]);
  });
});

describe('a stream with a gap', () => {
  test('is not accepted: REST fills the gap before anything newer is emitted', async () => {
    const { channel, closed, requests } = watchMinutes();
    channel.evaluate([row(0), row(2)]);
    expect(closed).toEqual([]);
    expect(requests).toMatchObject([{ from: 0, to: 3 }]);
    await requests[0].answer([candle(0), candle(1), candle(2, 0.5)]);
    channel.evaluate([row(0), row(2), row(3)]);
    expect(closed).toEqual([candle(0), candle(1), candle(2)]);
  });

  test('continues after a minute in which nothing was traded', async () => {
    const { channel, exchange, closed, requests } = watchMinutes();
    exchange.now = start + 2 * minuteMs + graceMs;
    channel.evaluate([row(0), row(2)]);
    await requests[0].answer([candle(0)]);
    channel.evaluate([row(0), row(2), row(3)]);
    expect(closed).toEqual([candle(0), candle(2)]);
    expect(requests).toHaveLength(1);
  });

  test('loses no candle that closes while REST loads, and emits none twice', async () => {
    const { channel, closed, requests } = watchMinutes();
    channel.evaluate([row(0), row(2)]);
    channel.evaluate([row(0), row(2), row(3)]); // minute 2 closes meanwhile
    channel.evaluate([row(0), row(2), row(3), row(4)]);
    expect(requests).toHaveLength(1);
    await requests[0].answer([candle(0), candle(1), candle(2, 0.5)]);
    expect(closed).toEqual([candle(0), candle(1)]);
    channel.evaluate([row(0), row(2), row(3), row(4)]);
    expect(closed).toEqual([candle(0), candle(1), candle(2), candle(3)]);
  });

  test('emits no candle twice that both REST and the stream have', async () => {
    const { channel, exchange, closed, requests } = watchMinutes();
    exchange.now = start + minuteMs + graceMs;
    channel.poll();
    channel.evaluate([row(0), row(1)]); // the stream is back before REST answers
    await requests[0].answer([candle(0)]);
    channel.evaluate([row(0), row(1)]);
    channel.evaluate([row(0), row(1), row(2)]);
    expect(closed).toEqual([candle(0), candle(1)]);
    channel.evaluate([row(0), row(1), row(2), row(4)]);
    await requests[1].answer([0, 1, 2, 3, 4, 5].map((i) => candle(i))); // more than was requested
    expect(closed).toEqual([candle(0), candle(1), candle(2), candle(3)]);
  });
});

describe('after an interruption', () => {
  test('the candle it broke off in comes from REST, the next ones from the stream', async () => {
    const { channel, closed, requests } = watchMinutes();
    channel.evaluate([row(0, 0.5)]);
    channel.interrupt([row(0, 0.5)]);
    channel.evaluate([row(0, 0.5), row(1)]);
    expect(closed).toEqual([]);
    await requests[0].answer([candle(0), candle(1, 0.5)]);
    channel.evaluate([row(0, 0.5), row(1), row(2)]);
    expect(closed).toEqual([candle(0), candle(1)]);
    expect(requests).toHaveLength(1);
  });

  test.each([
    ['has it in part', [candle(0, 0.6)]],
    ['lacks it', []],
  ])('the candle it broke off in is asked for again where a list asked right after its close %s', async (_name, listed) => {
    const { channel, exchange, closed, requests } = watchMinutes();
    channel.interrupt([row(0, 0.5)]);
    exchange.now = start + minuteMs + 5;
    channel.evaluate([row(0, 0.5), row(1, 0.1)]);
    await requests[0].answer(listed);
    expect([closed, channel.closedUntil()]).toEqual([[], start]);
    vi.advanceTimersByTime(graceMs - 6);
    exchange.now += graceMs - 6;
    channel.evaluate([row(0, 0.5), row(1, 0.2)]);
    expect(requests).toHaveLength(1); // not before its grace is over, and not later
    vi.advanceTimersByTime(1);
    exchange.now += 1;
    channel.evaluate([row(0, 0.5), row(1, 0.2)]);
    await requests[1].answer([candle(0)]);
    expect(closed).toEqual([candle(0)]);
  });

  test('candles whose grace has passed do not wait for the one that may still change, and a newer one waits for it', async () => {
    const { channel, exchange, closed, requests } = watchMinutes();
    channel.interrupt([row(0, 0.5)]);
    exchange.now = start + 3 * minuteMs + 5;
    channel.evaluate([row(0, 0.5), row(3, 0.1)]);
    await requests[0].answer([candle(0), candle(2, 0.5)]); // nothing was traded in the one between them
    expect([closed, channel.closedUntil()]).toEqual([[candle(0)], start + 2 * minuteMs]);
    exchange.now = start + 4 * minuteMs + 5;
    vi.advanceTimersByTime(minuteMs);
    channel.evaluate([row(0, 0.5), row(3), row(4, 0.1)]);
    expect(closed).toEqual([candle(0)]);
    await requests[1].answer([candle(2), candle(3, 0.7)]);
    expect(closed).toEqual([candle(0), candle(2)]); // the last one of the list may be half of a candle
    channel.evaluate([row(0, 0.5), row(3), row(4, 0.1)]);
    expect(closed).toEqual([candle(0), candle(2), candle(3)]); // the stream has all of it
  });

  test('a list that lags and a clock that is late hold the candle up no longer than until a newer one is listed', async () => {
    const { channel, closed, requests } = watchMinutes();
    channel.interrupt([row(0, 0.5)]);
    channel.evaluate([row(0, 0.5), row(1, 0.1)]); // by the clock minute 0 is not over
    await requests[0].answer([candle(0, 0.6)]);
    vi.advanceTimersByTime(graceMs);
    channel.evaluate([row(0, 0.5), row(1, 0.2)]);
    await requests[1].answer([candle(0), candle(1, 0.1)]);
    expect(closed).toEqual([candle(0)]);
  });

  test('the candle of the clock is in doubt too, although the stream has nothing of it yet', async () => {
    const { channel, exchange, closed, requests } = watchMinutes();
    exchange.now = start + minuteMs + 5_000;
    channel.interrupt([row(0)]);
    channel.evaluate([row(0), row(1, 0.5)]);
    await requests[0].answer([candle(0)]);
    channel.evaluate([row(0), row(1, 0.5), row(2)]);
    await requests[1].answer([candle(1), candle(2, 0.5)]);
    expect(closed).toEqual([candle(0), candle(1)]);
  });
});

test('a request that failed is not repeated before the grace has passed', async () => {
  const { channel, logs, requests } = watchMinutes();
  channel.evaluate([row(0), row(2)]);
  await requests[0].fail();
  expect(logs).toEqual(['Error: away']);
  vi.advanceTimersByTime(graceMs - 1);
  channel.evaluate([row(0), row(2)]);
  expect(requests).toHaveLength(1);
  vi.advanceTimersByTime(1);
  channel.evaluate([row(0), row(2)]);
  expect(requests).toHaveLength(2);
});

test('a candle of the stream that cannot be right is logged and fetched by REST', async () => {
  const { channel, closed, logs, requests } = watchMinutes();
  channel.evaluate([[start, 100, 90, 99, 101, 1], row(1)]);
  expect(logs[0]).toContain('cannot be right');
  await requests[0].answer([candle(0), candle(1)]);
  expect(closed).toEqual([candle(0)]);
});

test('a stream that misses three candles with trades is reported once; candles without trades do not count', async () => {
  const { channel, exchange, requests } = watchMinutes();
  const pollAt = async (minute: number, candles: Candle[]): Promise<void> => {
    exchange.now = start + minute * minuteMs + graceMs;
    channel.poll();
    await requests.at(-1)!.answer(candles);
  };
  await pollAt(4, [candle(0, 0), candle(1, 0), candle(2, 0), candle(3, 0)]);
  await pollAt(6, [candle(4), candle(5)]);
  expect(exchange.incomplete).toBe(0);
  await pollAt(7, [candle(6)]);
  expect(exchange.incomplete).toBe(1);
  await pollAt(9, [candle(7), candle(8)]);
  expect(exchange.incomplete).toBe(1);
});

test('candles of before an interruption are not missed by the stream that began after it', async () => {
  const { channel, exchange, closed, requests } = watchMinutes();
  exchange.now = start + 5 * minuteMs + graceMs;
  channel.interrupt(undefined);
  channel.poll();
  await requests[0].answer([0, 1, 2, 3, 4].map((i) => candle(i)));
  expect([closed.length, exchange.incomplete]).toEqual([5, 0]);
  exchange.now = start + 9 * minuteMs + graceMs;
  channel.poll();
  await requests[1].answer([5, 6, 7].map((i) => candle(i)));
  expect(exchange.incomplete).toBe(0); // it began in the first of these
  channel.poll();
  await requests[2].answer([candle(8)]);
  expect(exchange.incomplete).toBe(1);
});

test('candles missed long ago do not count once the stream has closed one itself', async () => {
  const { channel, exchange, requests } = watchMinutes();
  exchange.now = start + 2 * minuteMs + graceMs;
  channel.poll();
  await requests[0].answer([candle(0), candle(1)]);
  channel.evaluate([row(2), row(3)]);
  exchange.now = start + 5 * minuteMs + graceMs;
  channel.poll();
  await requests[1].answer([candle(3), candle(4)]);
  expect(exchange.incomplete).toBe(0);
});

test('the open candle is emitted when it changes, as a copy, until it has closed', () => {
  const { channel, open } = watchMinutes();
  channel.evaluate([row(0, 0.5)]);
  channel.evaluate([row(0, 0.5)]);
  channel.evaluate([row(0, 0.75)]);
  expect(open).toEqual([candle(0, 0.5), candle(0, 0.75)]);
  channel.openCandle()!.close = 0;
  expect(channel.openCandle()).toEqual(candle(0, 0.75));
  channel.evaluate([row(0), row(2)]); // minute 1 is missing: REST is asked
  expect(open).toHaveLength(2);
  expect(watchMinutes().channel.openCandle()).toBeNull();
});

test('an open candle is over as soon as it was emitted as closed', async () => {
  const { channel, exchange, requests } = watchMinutes();
  channel.evaluate([row(0)]);
  expect(channel.openCandle()).toEqual(candle(0));
  exchange.now = start + minuteMs + graceMs;
  channel.poll();
  await requests[0].answer([candle(0)]);
  expect(channel.openCandle()).toBeNull();
});
