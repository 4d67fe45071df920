import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Candle } from '#engine/market/candle.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { MarketData, Quote } from '#engine/ports/market-data.ts';
import { patienceMs } from '../../test/support/patience.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import type { FeedTimes } from './live-feed.ts';
import { createMarketData } from './market-data.ts';

vi.useFakeTimers({ toFake: ['performance'], shouldAdvanceTime: true }); // which gives the age of a list
afterAll(() => void vi.useRealTimers());

const symbol = 'ETH/USDT';
const eventually = (check: () => void | Promise<void>): Promise<void> => vi.waitFor(check, { timeout: patienceMs, interval: 20 });

/** A minute of market in a quarter of a second unless told otherwise, and market data that shares its clock. */
async function start({ factor = 240, ...times }: Partial<FeedTimes> & { factor?: number } = {}): Promise<{
  sandbox: Sandbox;
  data: MarketData;
  logs: string[];
}> {
  const sandbox = await startSandbox({ factor, startTime: Date.UTC(2026, 2, 3, 10, 0, 20) });
  sandbox.faults.add({ path: '/time', fault: { kind: 'error', status: 500, code: -1000, message: 'no' } });
  const logs: string[] = [];
  const data = createMarketData({
    exchangeId: 'sandbox',
    marketType: 'spot',
    sandboxUrl: sandbox.url,
    now: () => sandbox.clock.now(),
    times: { silenceMs: 1500, streamAwayMs: 750, graceMs: 500, pollMs: 250, backoffMs: 100, backoffMaxMs: 1000, lingerMs: 100, ...times },
    retryMs: 50,
    log: (message) => logs.push(message),
  });
  onTestFinished(async () => {
    await data.close();
    await sandbox.close();
  });
  return { sandbox, data, logs };
}

/** The exchange lists the symbol no more, until the returned function is called. */
async function delist(sandbox: Sandbox): Promise<() => void> {
  const list = (await (await fetch(`${sandbox.url}/api/v3/exchangeInfo`)).json()) as { symbols: { symbol: string }[] };
  const body = JSON.stringify({ ...list, symbols: list.symbols.filter((listed) => listed.symbol !== 'ETHUSDT') });
  return sandbox.faults.add({ path: '/api/v3/exchangeInfo', fault: { kind: 'body', body } });
}

const listens = async (data: MarketData): Promise<boolean> => (await data.instruments()).some((each) => each.symbol === symbol);
const oldList = (): void => void vi.advanceTimersByTime(hourMs + 1);

/** Watches a symbol and keeps what is emitted. */
function listen(data: MarketData, of = symbol, timeframes: readonly Timeframe[] = ['1m']) {
  const received = { closed: [] as Candle[], quotes: [] as Quote[], events: [] as string[] };
  data.watch(
    { symbol: of, timeframes, quotes: true },
    {
      onCandle: (_timeframe, candle) => void (received.closed.push(candle), received.events.push('candle')),
      onQuote: (quote) => void (received.quotes.push(quote), received.events.push('quote')),
      onStale: (stale) => received.events.push(stale ? 'stale' : 'fresh'),
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
  const { sandbox, data } = await start();
  const watched = listen(data);
  await eventually(() => expect(watched.closed.length).toBeGreaterThan(1));
  const list = await delist(sandbox);
  watched.events.length = 0;
  oldList();
  expect(await listens(data)).toBe(false);
  const other = listen(data, 'BTC/USDT'); // its subscription is made without the one that has left
  await eventually(() => expect([watched.events.at(-1), other.closed.length > 1]).toEqual(['stale', true]));
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

/** The list is old without any stream that seems silent for it: the next question renews it. */
async function ageList(sandbox: Sandbox, data: MarketData, other: { quotes: Quote[] }): Promise<void> {
  const renewed = sandbox.faults.add({ path: '/api/v3/exchangeInfo', fault: { kind: 'reset' } });
  oldList();
  await data.instruments();
  const seen = other.quotes.length;
  await eventually(() => expect(other.quotes.length).toBeGreaterThan(seen + 8)); // what was silent for an hour is subscribed again
  renewed();
}

/** Two symbols are watched; one leaves by a list that another question renews, and nobody subscribes to anything after it. */
async function watchWhileOneLeaves(options?: Parameters<typeof start>[0]) {
  const started = await start(options);
  const [left, other] = [listen(started.data), listen(started.data, 'BTC/USDT', [])];
  await eventually(() => expect([left.closed.length > 1, other.quotes.length > 1]).toEqual([true, true]));
  await ageList(started.sandbox, started.data, other);
  const list = await delist(started.sandbox);
  started.logs.length = 0;
  expect(await listens(started.data)).toBe(false);
  await eventually(() => expect(left.events.at(-1)).toBe('stale'));
  const [seen, { length }] = [other.quotes.length, left.events];
  await eventually(() => expect(other.quotes.length).toBeGreaterThan(seen + 8));
  expect(left.events).toHaveLength(length);
  expect(started.logs).toContainEqual(expect.stringContaining('has no instrument ETH/USDT'));
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
  await ageList(sandbox, data, other);
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
  list();
  oldList();
  await eventually(() => expect(logs).toContainEqual(expect.stringMatching(/quotes of ETH\/USDT.*no price yet/u)));
  prices();
  const failedAt = Date.now();
  await eventually(() => expect(left.events.at(-1)).not.toBe('stale'));
  expect(Date.now() - failedAt).toBeLessThan(30_000); // after a look at the list it would be a minute
});
