import { describe, expect, test, type TestContext, vi } from 'vitest';
import { minuteMs } from '#engine/market/durations.ts';
import type { MarketData, Quote } from '#engine/ports/market-data.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { patienceMs } from '../../test/support/patience.ts';
import type { RestFault } from '../sandbox/wire/faults.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import type { FeedTimes } from './live-feed.ts';
import { createMarketData } from './market-data.ts';

const quietMs = 1_000;
const noPrice = { kind: 'error', status: 500, code: -1000, message: 'no price' } as const;

const eventually = (check: () => void | Promise<void>): Promise<void> => vi.waitFor(check, { timeout: patienceMs, interval: 20 });

/** Watches the prices of a symbol, without its candles as bots do, unless others are named. */
function listen(data: MarketData, symbol: string, timeframes: readonly Timeframe[] = []) {
  const received = { quotes: [] as Quote[], stale: [] as boolean[], closed: [] as number[] };
  data.watch(
    { symbol, timeframes, quotes: true },
    {
      onQuote: (quote) => received.quotes.push(quote),
      onStale: (stale) => received.stale.push(stale),
      onCandle: (_timeframe, { openTime }) => received.closed.push(openTime),
    },
  );
  return received;
}

describe.concurrent.each([
  ['spot', 'ETH/USDT', 'BTC/USDT', '/api/v3/ticker'],
  ['futures', 'ETH/USDT:USDT', 'BTC/USDT:USDT', '/fapi/v1/ticker'],
] as const)('a symbol whose streams send nothing while others do on %s', (marketType, frozen, other, path) => {
  /** Two symbols whose prices have come for a while; no socket is ever silent, and no stream away. */
  async function start(
    context: TestContext,
    { factor = 10, silent, ...times }: Partial<FeedTimes> & { factor?: number; silent?: string } = {},
  ) {
    const sandbox = await startSandbox({ factor, startTime: Date.UTC(2026, 2, 3, 10, 0, 20) });
    sandbox.faults.add({ path: '/time', fault: { kind: 'error', status: 500, code: -1000, message: 'no' } });
    if (silent !== undefined) sandbox.faults.sockets.silence(silent);
    const logs: string[] = [];
    const data = createMarketData({
      exchangeId: 'sandbox',
      marketType,
      sandboxUrl: sandbox.url,
      now: () => sandbox.clock.now(),
      times: { silenceMs: 60_000, streamAwayMs: 30_000, staleMs: 30_000, quietMs, backoffMs: 100, ...times },
      timeoutMs: patienceMs,
      retryMs: 50,
      log: (message) => logs.push(message),
    });
    context.onTestFinished(async () => {
      await data.close();
      await sandbox.close();
    });
    const [left, live] = [listen(data, frozen), listen(data, other)];
    for (const { quotes } of [left, live]) await eventually(() => expect(quotes.length).toBeGreaterThan(3));
    await eventually(() => expect(sandbox.counts().subscriptions).toBe(silent === undefined ? 4 : 2));
    return { sandbox, data, logs, left, live };
  }

  /** Meets the next requests of prices with a fault and counts them. */
  function countRequests(sandbox: Sandbox, fault: RestFault, most = 200) {
    const before = sandbox.faults.list().length;
    for (let i = 0; i < most; i++) sandbox.faults.add({ path: `${path}/24hr`, times: 1, fault });
    return { asked: () => before + most - sandbox.faults.list().length };
  }

  /** Shows that the feed has looked around since. */
  async function looked({ quotes }: { quotes: Quote[] }): Promise<void> {
    const seen = quotes.length;
    await eventually(() => expect(quotes.length).toBeGreaterThan(seen + 3));
  }

  /** The exchange ends the streams of one symbol and keeps the sockets. */
  const endStreams = (sandbox: Sandbox) => expect(sandbox.faults.sockets.endStreams('ETHUSDT')).toBe(2);

  /** The exchange ends the streams of two symbols, whose prices REST gives as they were last emitted, but for the last price. */
  async function calmDown({ sandbox, data, left, live }: Awaited<ReturnType<typeof start>>, lastFactor = 1) {
    const calm = { ETHUSDT: left, SOLUSDT: listen(data, frozen.replace('ETH', 'SOL')) };
    await looked(calm.SOLUSDT);
    const [eth, sol] = await Promise.all(
      Object.keys(calm).map(async (pair) => await (await fetch(`${sandbox.url}${path}/24hr?symbol=${pair}`)).json()),
    );
    const priced = sandbox.faults.add({ path, fault: noPrice });
    for (const pair of Object.keys(calm)) expect(sandbox.faults.sockets.endStreams(pair)).toBeGreaterThan(0);
    await looked(live);
    const answers = Object.values(calm).map(({ quotes }, i) => {
      const { bid, ask, last } = quotes.at(-1)!;
      return { ...[eth, sol][i], bidPrice: String(bid), askPrice: String(ask), lastPrice: String(last * lastFactor) };
    });
    const fault = { kind: 'body', body: JSON.stringify(answers) } as const; // ccxt would not understand it for one symbol alone
    sandbox.faults.add({ path: `${path}/bookTicker`, fault });
    const { asked } = countRequests(sandbox, fault);
    priced();
    return { calm, asked };
  }

  test('has its price from REST, and its streams are subscribed again without touching any other', async (context) => {
    const { sandbox, logs, left, live } = await start(context);
    const seen = { left: left.quotes.length, live: live.quotes.length };
    endStreams(sandbox);
    await eventually(() => expect(left.quotes.length).toBeGreaterThan(seen.left + 12));
    expect(sandbox.counts().subscriptions).toBe(4);
    expect(live.quotes.length).toBeGreaterThan(seen.live);
    const times = left.quotes.map(({ time }) => time);
    expect(times).toEqual(times.toSorted((a, b) => a - b)); // no price of before the one REST gave
    // The ten seconds in which ccxt connects are over on a busy machine before it has; it connects again.
    const others = logs.filter((message) => !message.includes('connection timeout'));
    expect([others, left.stale, live.stale]).toEqual([[], [], []]);
  });

  test('reports nothing while REST says the same, and is asked for at most once in that while, all such in one request', async (context) => {
    const started = await start(context);
    const { sandbox, logs, live } = started;
    const since = performance.now(); // before any was asked for: on a slow machine several arrive together
    const { calm, asked } = await calmDown(started);
    const received = () => Object.values(calm).map(({ quotes, stale }) => [quotes.length, stale]);
    const before = asked();
    await eventually(() => expect(asked()).toBeGreaterThan(before + 1));
    const seen = received();
    await eventually(() => expect(asked()).toBeGreaterThan(before + 4));
    expect(performance.now() - since).toBeGreaterThan((asked() - 2) * quietMs);
    await looked(live);
    // On a slow machine the live one is quiet for a moment, too, and the answer lacks it; or a socket is not connected in ccxt's ten seconds.
    const expected = [noPrice.message, 'bidPrice is missing', 'lastPrice is missing', 'connection timeout'];
    const others = logs.filter((message) => !expected.some((part) => message.includes(part)));
    expect([received(), sandbox.counts().subscriptions, others]).toEqual([seen, 2, []]);
    sandbox.faults.clear();
    await eventually(() => expect(sandbox.counts().subscriptions).toBe(6));
  });

  test('has its last price from REST when no stream has given one, and nothing is subscribed again for it', async (context) => {
    const started = await start(context, { silent: '/2' }); // nothing is subscribed on the socket of the last prices
    const { calm, asked } = await calmDown(started, 1.01);
    const before = asked();
    await eventually(() => expect(asked()).toBeGreaterThan(before + 1));
    for (const { quotes } of Object.values(calm)) expect(quotes.at(-1)!.last / quotes.at(-2)!.last).toBeCloseTo(1.01, 4);
    expect(started.sandbox.counts().subscriptions).toBe(1); // the best prices of the one that is live
  });

  test('is asked for at most once in that while when REST refuses, too', async (context) => {
    const { sandbox } = await start(context);
    const since = performance.now();
    endStreams(sandbox);
    const { asked } = countRequests(sandbox, { kind: 'error', status: 400, code: -1121, message: 'Invalid symbol.' });
    await eventually(() => expect(asked()).toBeGreaterThan(3));
    expect(performance.now() - since).toBeGreaterThan((asked() - 2) * quietMs);
  });

  test('does not go back to what REST knew before a frame that came meanwhile', async (context) => {
    const { sandbox, left } = await start(context);
    endStreams(sandbox);
    const lateMs = 2_000;
    const { asked } = countRequests(sandbox, { kind: 'late-answer', ms: lateMs }, 1);
    await eventually(() => expect(asked()).toBe(1));
    const askedAt = performance.now();
    const seen = left.quotes.length;
    const droppedAt = sandbox.clock.now();
    sandbox.faults.sockets.drop(); // all streams are subscribed again
    await eventually(() => expect(left.quotes.length).toBeGreaterThan(seen + 1));
    await eventually(() => expect(performance.now()).toBeGreaterThan(askedAt + lateMs + quietMs));
    const length = left.quotes.length;
    await eventually(() => expect(left.quotes.length).toBeGreaterThan(length));
    // Frames of two sockets may overtake each other; what REST knew is of before the sockets were dropped.
    const times = left.quotes.map(({ time }) => time);
    const fresh = times.findIndex((time) => time > droppedAt);
    expect(fresh).toBeGreaterThan(0);
    expect(times.slice(fresh).filter((time) => time <= droppedAt)).toEqual([]);
  });

  test('has its candle that was open meanwhile from REST', async (context) => {
    const { sandbox, data } = await start(context, { factor: 20 });
    const { closed } = listen(data, frozen, ['1m']);
    await eventually(() => expect(closed.length).toBeGreaterThan(1)); // now, so that it is open still when its streams are back
    await eventually(() => expect(sandbox.counts().subscriptions).toBe(5));
    const given = sandbox.faults.add({ path: '/klines', fault: { kind: 'error', status: 500, code: -1000, message: 'no candles' } });
    expect(sandbox.faults.sockets.endStreams('ETHUSDT')).toBe(3);
    await eventually(() => expect(sandbox.counts().subscriptions).toBe(5));
    const { length } = closed; // what was on its way when they ended has come
    const closesAt = closed.at(-1)! + 2 * minuteMs;
    await eventually(() => expect(sandbox.clock.now()).toBeGreaterThan(closesAt + minuteMs / 2));
    expect(closed).toHaveLength(length);
    given();
    await eventually(() => expect(closed.length).toBeGreaterThan(length + 1));
  });
});
