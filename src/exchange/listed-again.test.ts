import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Candle } from '#engine/market/candle.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { MarketData, Quote } from '#engine/ports/market-data.ts';
import { patienceMs } from '../../test/support/patience.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import type { RestFault } from '../sandbox/wire/faults.ts';
import type { FeedTimes } from './live-feed.ts';
import { createMarketData } from './market-data.ts';

vi.useFakeTimers({ toFake: ['performance'], shouldAdvanceTime: true }); // which gives the age of a list
afterAll(() => void vi.useRealTimers());

const symbol = 'ETH/USDT';
const eventually = (check: () => void | Promise<void>): Promise<void> => vi.waitFor(check, { timeout: patienceMs, interval: 20 });

/** A minute of market in a quarter of a second, unless another factor is given, and market data that shares its clock. */
async function start({
  factor = 240,
  marketType = 'spot',
  ...times
}: Partial<FeedTimes> & { factor?: number; marketType?: MarketType } = {}): Promise<{
  sandbox: Sandbox;
  data: MarketData;
  logs: string[];
}> {
  const sandbox = await startSandbox({ factor, startTime: Date.UTC(2026, 2, 3, 10, 0, 20) });
  sandbox.faults.add({ path: '/time', fault: { kind: 'error', status: 500, code: -1000, message: 'no' } });
  const logs: string[] = [];
  const data = createMarketData({
    exchangeId: 'sandbox',
    marketType,
    sandboxUrl: sandbox.url,
    timeoutMs: patienceMs,
    now: () => sandbox.clock.now(),
    times: {
      silenceMs: 1500,
      streamAwayMs: 750,
      graceMs: 500,
      pollMs: 250,
      quietMs: 100 * hourMs, // or all prices would be asked for whenever the age of a list is moved
      backoffMs: 100,
      backoffMaxMs: 1000,
      lingerMs: 100,
      ...times,
    },
    retryMs: 50,
    log: (message) => logs.push(message),
  });
  onTestFinished(async () => {
    await data.close();
    await sandbox.close();
  });
  return { sandbox, data, logs };
}

const path = '/exchangeInfo';

/** An answer of the exchange that does not list these pairs. */
async function listWithout(sandbox: Sandbox, pairs: readonly string[], marketType: MarketType = 'spot') {
  const address = marketType === 'futures' ? `/fapi/v1${path}` : `/api/v3${path}`;
  const list = (await (await fetch(sandbox.url + address)).json()) as { symbols: { symbol: string }[] };
  const body = JSON.stringify({ ...list, symbols: list.symbols.filter((listed) => !pairs.includes(listed.symbol)) });
  return { kind: 'body', body } as const;
}

/** The exchange lists the symbol no more, until the returned function is called. */
async function delist(sandbox: Sandbox, marketType?: MarketType): Promise<() => void> {
  return sandbox.faults.add({ path, fault: await listWithout(sandbox, ['ETHUSDT'], marketType) });
}

const listens = async (data: MarketData, of = symbol): Promise<boolean> => (await data.instruments()).some((each) => each.symbol === of);
const subscribed = (sandbox: Sandbox, streams: number) => eventually(() => expect(sandbox.counts().subscriptions).toBe(streams));
const oldList = (): void => void vi.advanceTimersByTime(hourMs + 1);

/** Watches a symbol and keeps what is emitted. */
function listen(data: MarketData, of = symbol, timeframes: readonly Timeframe[] = ['1m']) {
  const received = { closed: [] as Candle[], quotes: [] as Quote[], events: [] as string[], isStale: false, end: () => {} };
  received.end = data.watch(
    { symbol: of, timeframes, quotes: true },
    {
      onCandle: (_timeframe, candle) => void (received.closed.push(candle), received.events.push('candle')),
      onQuote: (quote) => void (received.quotes.push(quote), received.events.push('quote')),
      onStale(stale) {
        received.isStale = stale;
        received.events.push(stale ? 'stale' : 'fresh');
      },
    },
  );
  return received;
}

test('a symbol that was not listed when it began to be watched is followed once it is', async () => {
  const { sandbox, data, logs } = await start();
  const list = await delist(sandbox);
  expect(await listens(data)).toBe(false);
  const [awaited, other] = [listen(data), listen(data, 'BTC/USDT')];
  await eventually(() => expect([awaited.events, other.closed.length > 1]).toEqual([['stale'], true]));
  expect(logs).toEqual([expect.stringContaining('has no instrument ETH/USDT')]);
  list();
  oldList();
  await eventually(() => expect(awaited.closed.length).toBeGreaterThan(2));
  // Nobody takes the price of before for the one of now.
  expect(awaited.events.slice(0, 2)).toEqual(['stale', 'quote']);
  await eventually(() => expect(awaited.events).toContain('fresh'));
});

test('a symbol that leaves the list and comes back is followed again by those who watched it before; no candle is missing or half', async () => {
  const { sandbox, data, logs } = await start();
  const watched = listen(data);
  await eventually(() => expect(watched.closed.length).toBeGreaterThan(1));
  const list = await delist(sandbox);
  oldList();
  await eventually(async () => expect(await listens(data)).toBe(false));
  const other = listen(data, 'BTC/USDT'); // its subscription is made without the one that has left
  await eventually(() => expect(logs).toContainEqual(expect.stringContaining('has no instrument ETH/USDT')));
  await eventually(() => expect([watched.isStale, other.closed.length > 1]).toEqual([true, true]));
  const [quotes, closed] = [watched.quotes.length, watched.closed.length];
  const late = listen(data); // is not given a price of before
  await eventually(() => expect(late.events).toEqual(['stale']));
  expect([watched.quotes.length, watched.closed.length]).toEqual([quotes, closed]);
  list();
  oldList();
  await eventually(() => expect(watched.closed.length).toBeGreaterThan(closed + 3));
  await eventually(() => expect(watched.quotes.length).toBeGreaterThan(quotes + 1));
  await eventually(() => expect(late.closed.length).toBeGreaterThan(1));
  expect(late.events.slice(0, 2)).toEqual(['stale', 'quote']);
  const candles = [...watched.closed];
  expect(candles).toEqual(await data.candles(symbol, '1m', candles[0].openTime, candles.at(-1)!.openTime + 1));
});

describe('a symbol without a price is looked for in a newer list', () => {
  /** Only REST gives prices, and no symbol is called stale for that. */
  async function startUnpriced() {
    const { sandbox, data, logs } = await start({ staleMs: 100 * hourMs });
    sandbox.faults.sockets.refuse(1_000_000);
    const list = (await (await fetch(`${sandbox.url}/api/v3${path}`)).json()) as { symbols: { symbol: string; baseAsset: string }[] };
    /** From now on the list has these pairs, of which the exchange knows nothing else. */
    const listOf = (listed: readonly string[]) => {
      const known = list.symbols.find((each) => each.symbol === 'ETHUSDT')!;
      const symbols = [...list.symbols, ...listed.map((pair) => ({ ...known, symbol: pair, baseAsset: pair.replace('USDT', '') }))];
      const most = 100;
      const fault = { kind: 'body', body: JSON.stringify({ ...list, symbols }) } as const;
      const ends = Array.from({ length: most }, () => sandbox.faults.add({ path, times: 1, fault }));
      return {
        asked: () => most - sandbox.faults.list().filter((rule) => rule.path === path).length,
        end: () => ends.forEach((end) => end()),
      };
    };
    /** The list was asked for as often, and what came of it is known. */
    const looked = async (of: { asked(): number }, times: number) => {
      await eventually(() => expect(of.asked()).toBe(times));
      await eventually(async () => {
        const [first] = await data.instruments();
        expect(first).not.toBe(newest);
        newest = first;
      });
    };
    let newest: unknown = null;
    /** Watches a pair of which there is no price, once the list of the start is known: the next one is another. */
    const watchNone = async () => {
      [newest] = await data.instruments();
      return listen(data, 'NONE/USDT', []);
    };
    const polled = async () => {
      const seen = performance.now();
      await eventually(() => expect(performance.now()).toBeGreaterThan(seen + 600));
    };
    return { sandbox, data, logs, listOf, looked, polled, watchNone };
  }

  test('less and less often, and at once when another one has no price either', async () => {
    const { data, logs, listOf, looked, polled, watchNone } = await startUnpriced();
    const both = listOf(['NONEUSDT', 'GONEUSDT']);
    const none = await watchNone();
    await looked(both, 2); // the first was at the start
    for (const [i, minutes] of [1, 2, 4, 8].entries()) {
      vi.advanceTimersByTime(0.85 * minutes * minuteMs);
      await polled();
      expect(both.asked()).toBe(i + 2);
      vi.advanceTimersByTime(0.15 * minutes * minuteMs);
      await looked(both, i + 3);
    }
    both.end();
    listOf(['NONEUSDT']);
    const gone = listen(data, 'GONE/USDT', []);
    vi.advanceTimersByTime(minuteMs);
    await eventually(() => expect(gone.events).toEqual(['stale']));
    expect(logs).toContainEqual(expect.stringContaining('has no instrument GONE/USDT'));
    expect(none.events).toEqual([]);
  });

  test('once a minute at most, however many have none, and as soon after a price as at first', async () => {
    const { sandbox, data, listOf, looked, polled, watchNone } = await startUnpriced();
    const both = listOf(['NONEUSDT', 'GONEUSDT']);
    const none = await watchNone();
    await looked(both, 2);
    const gone = listen(data, 'GONE/USDT', []);
    await polled();
    expect(both.asked()).toBe(2);
    vi.advanceTimersByTime(minuteMs);
    await looked(both, 3);
    gone.end();
    await polled(); // nobody looks for that one any more
    const tickers = (await (await fetch(`${sandbox.url}/api/v3/ticker/24hr`)).json()) as { symbol: string }[];
    const known = tickers.find((each) => each.symbol === 'ETHUSDT')!;
    const body = JSON.stringify({ ...known, symbol: 'NONEUSDT' }); // the only one that is asked for
    const priced = sandbox.faults.add({ path: '/ticker/24hr', fault: { kind: 'body', body } });
    await eventually(() => expect(none.quotes.length).toBeGreaterThan(0));
    priced();
    vi.advanceTimersByTime(minuteMs);
    await looked(both, 4);
    vi.advanceTimersByTime(minuteMs);
    await looked(both, 5);
  });

  test('after as long as before when that cannot be had', async () => {
    const { sandbox, data, logs, listOf } = await startUnpriced();
    const list = listOf(['NONEUSDT']);
    await data.instruments();
    list.end();
    sandbox.faults.add({ path, fault: { kind: 'error', status: 500, code: -1000, message: 'no list' } });
    listen(data, 'NONE/USDT', []);
    for (const count of [1, 2, 3, 4]) {
      await eventually(() => expect(logs.filter((message) => message.includes('no list'))).toHaveLength(count));
      vi.advanceTimersByTime(minuteMs);
    }
  });
});

/** The list is old without any stream that seems silent for it: the next question renews it. */
async function ageList(sandbox: Sandbox, other: { quotes: Quote[] }): Promise<void> {
  const renewed = sandbox.faults.add({ path, fault: { kind: 'reset' } });
  oldList();
  const seen = other.quotes.length;
  await eventually(() => expect(other.quotes.length).toBeGreaterThan(seen + 8)); // what was silent for an hour is subscribed again
  renewed();
}

/** Two symbols are watched; one leaves by a list that another question renews, and nobody subscribes to anything after it. */
async function watchWhileOneLeaves(options?: Parameters<typeof start>[0]) {
  const started = await start(options);
  const [left, other] = [listen(started.data), listen(started.data, 'BTC/USDT', [])];
  await eventually(() => expect([left.closed.length > 1, other.quotes.length > 1]).toEqual([true, true]));
  await ageList(started.sandbox, other);
  const list = await delist(started.sandbox);
  started.logs.length = 0;
  await eventually(async () => expect(await listens(started.data)).toBe(false));
  // Both: it may still be stale because the age of the list was moved.
  await eventually(() => expect(started.logs).toContainEqual(expect.stringContaining('has no instrument ETH/USDT')));
  const isStale = (): boolean => left.events.findLast((event) => event !== 'candle') === 'stale';
  await eventually(() => expect(isStale()).toBe(true));
  // Candles that were asked for before it left may still arrive: those of ten days, since the market's clock is moved with the age of the list.
  let length = -1;
  while (left.events.length > length) {
    ({ length } = left.events);
    const seen = other.quotes.length;
    await eventually(() => expect(other.quotes.length).toBeGreaterThan(seen + 8));
  }
  expect(isStale()).toBe(true);
  return { ...started, left, other, list };
}

test('a symbol that leaves the list is stale although nobody subscribes; its price comes before its candles when it is back', async () => {
  const { left, list } = await watchWhileOneLeaves();
  const { length } = left.events;
  list();
  oldList();
  await eventually(() => expect(left.events.slice(length)).toContain('fresh'));
  await eventually(() => expect(left.events.slice(length)).toContain('candle'));
  expect(left.events[length]).toBe('quote');
});

test('a symbol that comes back harms no stream of another one, however many candles it has missed', async () => {
  // Its stream sends nothing at first, and the streams count as working for longer than REST waits for it: half a minute of the market.
  const { sandbox, data, logs, left, other, list } = await watchWhileOneLeaves({ factor: 60, silenceMs: 20_000, streamAwayMs: 10_000 });
  list();
  await ageList(sandbox, other);
  const { length } = left.closed;
  const missed = 6 * minuteMs + left.closed[length - 1].openTime;
  await eventually(() => expect(sandbox.clock.now()).toBeGreaterThan(missed));
  logs.length = 0;
  sandbox.faults.sockets.silence();
  expect(await listens(data)).toBe(true);
  await eventually(() => expect(left.closed.length).toBeGreaterThan(length + 3));
  expect(logs.filter((message) => message.includes('sends no candles'))).toEqual([]);
});

test('a price that cannot be had at first keeps a symbol that is back from being followed for a moment only', async () => {
  const { sandbox, logs, left, list } = await watchWhileOneLeaves();
  const fault = { kind: 'error', status: 500, code: -1000, message: 'no price yet' } as const;
  const prices = sandbox.faults.add({ path: '/api/v3/ticker', fault });
  const { length } = left.events;
  list();
  oldList();
  await eventually(() => expect(logs).toContainEqual(expect.stringMatching(/quotes of ETH\/USDT.*no price yet/u)));
  prices();
  const failedAt = performance.now(); // the clock of the feed, which waits for a busy machine
  await eventually(() => expect(left.events.slice(length)).toContain('fresh'));
  expect(performance.now() - failedAt).toBeLessThan(30_000); // after a look at the list it would be a minute
});

/** No socket seems silent and no stream away, however far the age of a list is moved; a minute of the market is one. */
const steady = { factor: 1, silenceMs: 100 * hourMs, streamAwayMs: 100 * hourMs, staleMs: 100 * hourMs };

/** Shows that the feed has looked around since: its frames have come for longer than it waits between two looks. */
async function looked(witness: { quotes: Quote[] }): Promise<void> {
  const seen = witness.quotes.length;
  await eventually(() => expect(witness.quotes.length).toBeGreaterThan(seen + 3));
}

describe.each([
  ['spot', 'ETH/USDT', 'BTC/USDT'],
  ['futures', 'ETH/USDT:USDT', 'BTC/USDT:USDT'],
] as const)('streams that the exchange ends when a symbol leaves its list on %s', (marketType, of, otherSymbol) => {
  /** All sockets live on, and so do the streams of another symbol. */
  async function watchUntilStreamsEnd() {
    const started = await start({ ...steady, marketType });
    const { sandbox, data, logs } = started;
    const other = listen(data, otherSymbol);
    const left = [listen(data, of), listen(data, of)];
    for (const { quotes } of [other, ...left]) await eventually(() => expect(quotes.length).toBeGreaterThan(2));
    await subscribed(sandbox, 6);
    const list = await delist(sandbox, marketType);
    oldList();
    expect(await listens(data, of)).toBe(false);
    for (const { events } of left) await eventually(() => expect(events.at(-1)).toBe('stale'));
    expect(sandbox.faults.sockets.endStreams('ETHUSDT')).toBe(3);
    await looked(other);
    const comeBack = async () => {
      list();
      oldList();
      expect(await listens(data, of)).toBe(true);
    };
    const expectStreams = async (received: { quotes: Quote[] }) => {
      const { length } = received.quotes;
      await eventually(() => expect(received.quotes.length).toBeGreaterThan(length + 4));
      await subscribed(sandbox, 6);
      expect(logs.filter((message) => !message.includes('instrument'))).toEqual([]); // no stream was torn down
    };
    return { ...started, left, comeBack, expectStreams };
  }

  test('are subscribed again on the sockets that lived on, for all who watched it before', async () => {
    const { left, comeBack, expectStreams } = await watchUntilStreamsEnd();
    await comeBack();
    await Promise.all(left.map(expectStreams));
  });

  test('are subscribed for whoever watches it when it is back, too', async () => {
    const { data, left, comeBack, expectStreams } = await watchUntilStreamsEnd();
    for (const { end } of left) end();
    await comeBack();
    await expectStreams(listen(data, of));
  });
});

test.each(['{"symbols":[]}', '{}', '[]'])('the list %s says of no watched symbol that it has left', async (body) => {
  const { sandbox, data, logs } = await start(steady);
  const watched = listen(data);
  await looked(watched);
  sandbox.faults.add({ path, fault: { kind: 'body', body } });
  oldList();
  expect(await listens(data)).toBe(true);
  await subscribed(sandbox, 3);
  const later = listen(data, 'BTC/USDT');
  await looked(later);
  await looked(watched);
  await subscribed(sandbox, 6);
  expect([...watched.events, ...later.events]).not.toContain('stale');
  expect(logs.filter((message) => !message.includes('its list of instruments') && !message.includes('empty list'))).toEqual([]);
});

describe('while a watched symbol is not listed the list is asked for', () => {
  const wait = (minutes: number): void => void vi.advanceTimersByTime(minutes * minuteMs + 1_000);
  const away = { kind: 'error', status: 500, code: -1000, message: 'no list' } as const;

  /** A symbol is watched and another that leaves the list; `nextLists` are what the exchange answers from then on, each once. */
  async function watchWhatLeaves(nextLists: (short: Awaited<ReturnType<typeof listWithout>>) => readonly RestFault[]) {
    const { sandbox, data } = await start(steady);
    const [left, other] = [listen(data), listen(data, 'BTC/USDT')];
    for (const received of [left, other]) await looked(received);
    const short = await listWithout(sandbox, ['ETHUSDT']);
    for (const fault of [short, ...nextLists(short)]) sandbox.faults.add({ path, times: 1, fault });
    const unasked = () => sandbox.faults.list().length - 1; // that the sandbox hides its time is one of them
    oldList();
    expect(await listens(data)).toBe(false);
    await eventually(() => expect(left.events.at(-1)).toBe('stale'));
    return { sandbox, data, left, other, unasked };
  }

  test('after a minute, so that what one list lacked is followed again', async () => {
    const { left } = await watchWhatLeaves(() => []);
    const { length } = left.events;
    wait(1);
    await eventually(() => expect(left.events.length).toBeGreaterThan(length));
    expect(left.events[length]).toBe('quote');
  });

  test('again after as long as before when it could not be had', async () => {
    const { left, other, unasked } = await watchWhatLeaves(() => [away, { kind: 'body', body: '{"symbols":[]}' }]);
    for (const unanswered of [1, 0]) {
      wait(1);
      await eventually(() => expect(unasked()).toBe(unanswered));
      await looked(other);
      expect([unasked(), left.events.at(-1)]).toEqual([unanswered, 'stale']); // nothing more was asked for within the minute
    }
    wait(1);
    await eventually(() => expect(left.events.at(-1)).not.toBe('stale'));
  });

  test('after twice as long each time, once an hour at last; after a minute again when another symbol leaves', async () => {
    const { sandbox, other, unasked } = await watchWhatLeaves((short) => Array.from({ length: 20 }, () => short));
    const askedAfter = async (minutes: number) => {
      const before = unasked();
      wait(minutes);
      await looked(other);
      return before - unasked();
    };
    expect([await askedAfter(1), await askedAfter(1), await askedAfter(1), await askedAfter(3), await askedAfter(1)]).toEqual([
      1, 0, 1, 0, 1,
    ]);
    for (const minutes of [8, 16, 32, 60]) expect(await askedAfter(minutes)).toBe(1);
    expect([await askedAfter(53), await askedAfter(7)]).toEqual([0, 1]);
    sandbox.faults.clear();
    const shorter = await listWithout(sandbox, ['ETHUSDT', 'BTCUSDT']);
    sandbox.faults.add({ path, times: 1, fault: shorter });
    wait(60);
    await eventually(() => expect(other.events.at(-1)).toBe('stale'));
    wait(1);
    await eventually(() => expect(other.events.at(-1)).not.toBe('stale'));
  });

  test('although another one that is not there either is watched again and again', async () => {
    const { data, left, other } = await watchWhatLeaves(() => []);
    for (let second = 0; second < 61 && left.isStale; second += 4) {
      const end = data.watch({ symbol: 'NONE/USDT', timeframes: [], quotes: true }, {});
      await looked(other);
      end();
      await looked(other); // nobody watches it any more, and it is forgotten
      vi.advanceTimersByTime(4_000);
    }
    await eventually(() => expect(left.isStale).toBe(false));
  });
});
