import { afterAll, describe, expect, test, type TestContext, vi } from 'vitest';
import type { Candle } from '#engine/market/candle.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { MarketData, Quote } from '#engine/ports/market-data.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/sandbox.ts';
import { clockOffsets } from './exchange-clock.ts';
import { type FeedTimes, feedTimes } from './live-feed.ts';
import { createMarketData } from './market-data.ts';
import { patienceMs } from '../../test/support/patience.ts';

const startTime = Date.UTC(2026, 2, 3, 10, 0, 20);
const factor = 240; // a minute of market in a quarter of a second
const quickTimes: Partial<FeedTimes> = {
  silenceMs: 1500,
  streamAwayMs: 750,
  graceMs: 500,
  pollMs: 250,
  quoteMaxAgeMs: 2000,
  backoffMs: 100,
  backoffMaxMs: 1000,
  lingerMs: 100,
};
const rejections: unknown[] = [];
process.on('unhandledRejection', (error) => rejections.push(error));

afterAll(() => expect(rejections).toEqual([]));

/** Waits as long as a slow machine may need; what is awaited must come, however late. */
const eventually = (check: () => void | Promise<void>, timeout = patienceMs): Promise<void> => vi.waitFor(check, { timeout, interval: 20 });

/** The sandbox does not say its time, however often it is asked. */
const hideClock = (sandbox: Sandbox): void =>
  void sandbox.faults.add({ path: '/time', fault: { kind: 'error', status: 500, code: -1000, message: 'no' } });

/** Ends all faults of a test. */
function clearFaults(sandbox: Sandbox): void {
  sandbox.faults.clear();
  hideClock(sandbox);
}

/**
 * A fast sandbox, and market data that shares its clock. The sandbox hides its time: the delay of a measurement would be
 * multiplied by the speed.
 */
async function start(
  context: TestContext,
  options: SandboxOptions & {
    marketType?: MarketType;
    times?: Partial<FeedTimes>;
    behindMs?: number;
    ours?: { setBy: number }; // our own clock is set by so many ms, and a steady one beside it is not
    timeoutMs?: number;
  } = {},
): Promise<{ sandbox: Sandbox; data: MarketData; logs: string[] }> {
  const sandbox = await startSandbox({ factor, startTime, ...options });
  hideClock(sandbox);
  const logs: string[] = [];
  const data = createMarketData({
    exchangeId: 'sandbox',
    marketType: options.marketType ?? 'spot',
    sandboxUrl: sandbox.url,
    now: () => sandbox.clock.now() - (options.behindMs ?? 0) + (options.ours?.setBy ?? 0),
    ...(options.ours === undefined ? {} : { pace: () => sandbox.clock.now() }),
    times: { ...quickTimes, ...options.times },
    timeoutMs: options.timeoutMs ?? 4000,
    retryMs: 50,
    log: (message) => logs.push(message),
  });
  context.onTestFinished(async () => {
    await data.close();
    await sandbox.close();
  });
  return { sandbox, data, logs };
}

/** Watches a symbol and keeps everything that is emitted. */
function listen(data: MarketData, symbol: string, timeframes: readonly Timeframe[] = ['1m']) {
  const closed = new Map<Timeframe, Candle[]>(timeframes.map((timeframe) => [timeframe, []]));
  const received = { closed, open: [] as Candle[], quotes: [] as Quote[], stale: [] as boolean[], stop: () => {} };
  received.stop = data.watch(
    { symbol, timeframes, quotes: true },
    {
      onCandle: (timeframe, candle) => closed.get(timeframe)!.push(candle),
      onOpenCandle: (_timeframe, candle) => received.open.push(candle),
      onQuote: (quote) => received.quotes.push(quote),
      onStale: (stale) => received.stale.push(stale),
    },
  );
  return received;
}

const listenToCandles = (data: MarketData): Candle[] => listen(data, 'BTC/USDT').closed.get('1m')!;

const enough = (items: readonly unknown[], count: number, timeout?: number) =>
  eventually(() => expect(items.length).toBeGreaterThanOrEqual(count), timeout);

/** Candles, best prices and last price of one symbol run. */
const subscribed = (sandbox: Sandbox, symbols = 1) => eventually(() => expect(sandbox.counts().subscriptions).toBe(3 * symbols));

/** The closed candles are exactly those of history: each once, oldest first, none missing, none half. */
async function expectWhole(data: MarketData, symbol: string, closed: readonly Candle[], timeframe: Timeframe = '1m'): Promise<void> {
  const candles = [...closed];
  expect(candles).toEqual(await data.candles(symbol, timeframe, candles[0].openTime, candles.at(-1)!.openTime + 1));
}

describe.concurrent.each([
  { marketType: 'spot', symbol: 'BTC/USDT' },
  { marketType: 'futures', symbol: 'ETH/USDT:USDT' },
] as const)('$marketType live', ({ marketType, symbol }) => {
  test('closed candles are emitted once, oldest first, over many minutes, open ones and quotes between', async (context) => {
    const { data } = await start(context, { marketType, times: { staleMs: 60_000 } });
    const received = listen(data, symbol, ['1m', '5m']);
    await enough(received.closed.get('5m')!, 3);
    await enough(received.open, 21);
    await enough(received.quotes, 21);
    await expectWhole(data, symbol, received.closed.get('1m')!);
    await expectWhole(data, symbol, received.closed.get('5m')!, '5m');
    expect(received.closed.get('1m')!.length).toBeGreaterThanOrEqual(11);
    expect(received.quotes.every(({ bid, ask }) => bid < ask)).toBe(true);
    expect(received.stale).toEqual([]);
  });
});

describe.concurrent('interruptions', () => {
  test('a dropped socket is opened again and what was missed is emitted, oldest first', async (context) => {
    const { sandbox, data, logs } = await start(context);
    const closed = listenToCandles(data);
    await enough(closed, 2);
    for (let i = 0; i < 2; i++) {
      await subscribed(sandbox);
      sandbox.faults.sockets.refuse(4);
      expect(sandbox.faults.sockets.drop()).toBeGreaterThan(0);
      await eventually(() => expect(sandbox.counts().sockets).toBe(0));
      await subscribed(sandbox);
      await enough(closed, closed.length + 3);
    }
    await expectWhole(data, 'BTC/USDT', closed);
    expect(logs.some((line) => line.includes('lost a stream'))).toBe(true);
  });

  test('candles missed during a long interruption are filled by REST before newer ones are emitted', async (context) => {
    const { sandbox, data, logs } = await start(context);
    const closed = listenToCandles(data);
    await enough(closed, 1);
    sandbox.faults.add({ path: '/klines', fault: { kind: 'error', status: 503, code: -1001, message: 'away' } });
    sandbox.faults.sockets.refuse(1000);
    sandbox.faults.sockets.drop();
    sandbox.clock.advance(4 * minuteMs);
    await eventually(() => expect(logs.some((line) => line.includes('away'))).toBe(true)); // REST was asked and refused
    const before = closed.length;
    clearFaults(sandbox);
    await enough(closed, before + 6);
    await expectWhole(data, 'BTC/USDT', closed);
  });

  test('a half-open socket is noticed by its silence and replaced; meanwhile candles come by REST', async (context) => {
    const { sandbox, data, logs } = await start(context);
    const closed = listenToCandles(data);
    await enough(closed, 2);
    sandbox.faults.sockets.silence();
    await enough(closed, closed.length + 4);
    await eventually(() => expect(logs.some((line) => line.includes('no frame was received for'))).toBe(true));
    clearFaults(sandbox);
    await subscribed(sandbox);
    await enough(closed, closed.length + 3);
    await expectWhole(data, 'BTC/USDT', closed);
  });

  test('while sockets are refused candles and quotes come by REST, and no promise is left behind', async (context) => {
    const { sandbox, data } = await start(context);
    sandbox.faults.sockets.refuse(1000);
    const received = listen(data, 'BTC/USDT');
    const closed = received.closed.get('1m')!;
    await enough(closed, 4);
    await enough(received.quotes, 3);
    await enough(received.open, 1);
    expect(sandbox.counts().sockets).toBe(0);
    await expectWhole(data, 'BTC/USDT', closed);
    clearFaults(sandbox);
    await subscribed(sandbox);
  });

  test('an exchange that is lost for good is reported as stale, and its last quote is not served for ever', async (context) => {
    const { sandbox, data } = await start(context, { times: { staleMs: 1000 } });
    const received = listen(data, 'BTC/USDT');
    await enough(received.closed.get('1m')!, 1);
    await sandbox.close();
    await eventually(() => expect(received.stale.at(-1)).toBe(true));
    await eventually(() => expect(data.quote('BTC/USDT')).rejects.toMatchObject({ kind: 'temporary' }));
  });

  test('an exchange that is away at the start is reported as stale, and works as soon as it is back', async (context) => {
    const { sandbox, data, logs } = await start(context, { times: { staleMs: 300 } });
    sandbox.faults.add({ fault: { kind: 'reset' } });
    sandbox.faults.sockets.refuse(1000);
    const received = listen(data, 'BTC/USDT');
    await eventually(() => expect(received.stale).toEqual([true]));
    await enough(logs, 3); // it is tried again and again
    expect([received.quotes, received.open]).toEqual([[], []]);
    clearFaults(sandbox);
    await eventually(() => expect(received.stale.slice(0, 2)).toEqual([true, false]));
    await enough(received.closed.get('1m')!, 2);
    await expectWhole(data, 'BTC/USDT', received.closed.get('1m')!);
  });

  test('duplicate frames are emitted once', async (context) => {
    const { sandbox, data } = await start(context);
    const received = listen(data, 'BTC/USDT');
    sandbox.faults.sockets.duplicate(1_000_000);
    const closed = received.closed.get('1m')!;
    await enough(closed, 5);
    await expectWhole(data, 'BTC/USDT', closed);
    const opens = received.open.map((candle) => JSON.stringify(candle));
    expect(opens.some((open, i) => open === opens[i - 1])).toBe(false);
  });

  test('staleness is reported once, and ends when the source works again', async (context) => {
    const { sandbox, data } = await start(context, { times: { staleMs: 2000 } });
    const received = listen(data, 'BTC/USDT');
    await enough(received.closed.get('1m')!, 1);
    sandbox.faults.add({ fault: { kind: 'hang' } });
    sandbox.faults.sockets.silence();
    await eventually(() => expect(received.stale.at(-1)).toBe(true));
    clearFaults(sandbox);
    await eventually(() => expect(received.stale.at(-1)).toBe(false));
    // Each change once; on a slow machine it may have been stale before, for a while.
    expect(received.stale).toEqual(received.stale.map((_, change) => change % 2 === 0));
  });

  test('an answer with a candle that cannot be right is requested again, not emitted', async (context) => {
    const { sandbox, data } = await start(context);
    const closed = listenToCandles(data);
    await enough(closed, 1);
    const bad = closed.at(-1)!.openTime + minuteMs;
    sandbox.faults.add({
      path: '/klines',
      times: 1,
      fault: { kind: 'body', body: JSON.stringify([[bad, '1', '0', '2', '1', '1', 0, '1', 1, '1', '1', '0']]) },
    });
    sandbox.faults.sockets.drop();
    sandbox.clock.advance(2 * minuteMs); // however soon the stream is back, it has missed a candle
    await enough(closed, closed.length + 5);
    expect(sandbox.faults.list().some(({ path }) => path === '/klines')).toBe(false); // the bad answer was given
    await expectWhole(data, 'BTC/USDT', closed);
  });

  test('an answer that took long does not close the candle that was open when it was requested', async (context) => {
    const { sandbox, data } = await start(context);
    sandbox.faults.sockets.refuse(1000); // only REST answers
    sandbox.faults.add({ path: '/klines', times: 1, fault: { kind: 'late-answer', ms: 300 } }); // more than a minute of market
    const closed = listenToCandles(data);
    await enough(closed, 3);
    expect(sandbox.faults.list().some(({ path }) => path === '/klines')).toBe(false);
    await expectWhole(data, 'BTC/USDT', closed);
  });
});

describe.concurrent('sharing', () => {
  test('a hundred listeners share one subscription per channel and receive the same, each its own copy', async (context) => {
    // No stream counts as lost, however slow the machine is: it would be subscribed again.
    const patient = 600_000;
    const { sandbox, data } = await start(context, {
      factor: 0,
      times: { silenceMs: patient, graceMs: patient, quietMs: patient },
      timeoutMs: patient,
    });
    const listeners = Array.from({ length: 100 }, () => listen(data, 'BTC/USDT'));
    sandbox.clock.setFactor(factor); // all have joined in the same minute
    for (const { closed } of listeners) await enough(closed.get('1m')!, 2);
    await subscribed(sandbox, 1); // candles, best prices, last price
    const first = listeners.map(({ closed }) => closed.get('1m')![0]);
    expect(new Set(first).size).toBe(100);
    expect(new Set(first.map((candle) => JSON.stringify(candle))).size).toBe(1);
    for (const { stop } of listeners.slice(1)) stop();
    const stopped = listeners[1].closed.get('1m')!;
    const countAtStop = stopped.length;
    await enough(listeners[0].closed.get('1m')!, countAtStop + 4);
    expect(sandbox.counts().subscriptions).toBeLessThanOrEqual(3);
    expect(stopped).toHaveLength(countAtStop);
    await subscribed(sandbox, 1); // also after a stream that a busy machine has lost meanwhile
    listeners[0].stop();
    await subscribed(sandbox, 0);
  });

  test('a subscription is kept for a while after its last listener, so that a page that is opened again finds it', async (context) => {
    const { sandbox, data } = await start(context, { times: { lingerMs: 600_000, silenceMs: 600_000 } });
    const [left, other] = ['ETH/USDT', 'SOL/USDT'].map((symbol) => listen(data, symbol));
    await subscribed(sandbox, 2);
    left.stop();
    await enough(other.quotes, other.quotes.length + 5);
    await subscribed(sandbox, 2); // also after a stream that a busy machine has lost meanwhile
  });

  test('a symbol the exchange does not know is stale at once and harms no other', async (context) => {
    // No stream or call counts as lost, and only two minutes pass, however slow the machine is: another line would not be of this symbol.
    const patient = 600_000;
    const { sandbox, data, logs } = await start(context, {
      factor: 0,
      times: { staleMs: patient, silenceMs: patient, streamAwayMs: patient },
      timeoutMs: patient,
    });
    const unknown = listen(data, 'NONE/USDT');
    const closed = listenToCandles(data);
    await subscribed(sandbox);
    for (let minute = 1; minute <= 2; minute++) {
      sandbox.clock.advance(minuteMs);
      await enough(closed, minute);
    }
    expect(unknown.stale).toEqual([true]);
    expect(logs).toEqual(['sandbox has no instrument NONE/USDT; nothing will be reported of it until it has.']);
  });

  test('a symbol that is watched again while its end is not yet confirmed continues', async (context) => {
    const { sandbox, data } = await start(context, { times: { lingerMs: 0 } });
    const others = ['ETH/USDT', 'SOL/USDT'].map((symbol) => listen(data, symbol));
    await subscribed(sandbox, 2);
    await enough(others[0].closed.get('1m')!, 1);
    for (const { stop } of others) stop();
    await eventually(() => expect(sandbox.counts().subscriptions).toBeLessThan(6)); // the ends are sent one after the other
    const again = listen(data, 'SOL/USDT');
    await enough(again.quotes, 6);
    await enough(again.closed.get('1m')!, 3);
    await subscribed(sandbox);
  });

  test('a listener that throws does not keep the events from the others', async (context) => {
    const { data, logs } = await start(context);
    data.watch(
      { symbol: 'BTC/USDT', timeframes: ['1m'], quotes: false },
      {
        onCandle: () => {
          throw new Error('my own fault');
        },
      },
    );
    await enough(listenToCandles(data), 2);
    expect(logs.some((line) => line.includes('my own fault'))).toBe(true);
  });

  test('history never lacks a candle that was emitted, even when our clock is slow and the exchange hides its own', async (context) => {
    const { data } = await start(context, { behindMs: 5 * minuteMs });
    const closed = listenToCandles(data);
    await enough(closed, 8);
    await expectWhole(data, 'BTC/USDT', closed);
  });

  test('a quote is taken from the live feed while it is fresh', async (context) => {
    const { sandbox, data } = await start(context, { times: { quoteMaxAgeMs: 600_000 } });
    const received = listen(data, 'BTC/USDT');
    await enough(received.quotes, 3);
    sandbox.faults.add({ fault: { kind: 'reset' } });
    expect(await data.quote('BTC/USDT')).toEqual(received.quotes.at(-1));
    await expect(data.quote('ETH/USDT')).rejects.toMatchObject({ kind: 'temporary' });
  });

  test('a watcher that joins late receives the current price, also when it does not move', async (context) => {
    const { data } = await start(context, { factor: 0 });
    const early: Quote[] = [];
    data.watch({ symbol: 'LINK/USDT', timeframes: [], quotes: true }, { onQuote: (quote) => early.push(quote) });
    await enough(early, 1);
    const late: Quote[] = [];
    const end = data.watch({ symbol: 'LINK/USDT', timeframes: [], quotes: true }, { onQuote: (quote) => late.push(quote) });
    await Promise.resolve();
    expect(late).toEqual([early.at(-1)]);
    end();
    const gone: Quote[] = [];
    data.watch({ symbol: 'LINK/USDT', timeframes: [], quotes: true }, { onQuote: (quote) => gone.push(quote) })();
    await Promise.resolve();
    expect(gone).toEqual([]);
  });
});

test('the clock of the exchange is followed while the streams run: no candle closes early after our own was set', async (context) => {
  const patient = 600_000;
  const graceMs = 30_000; // each look for what is awaited lets some ms pass: on a busy machine a second until the clock is measured
  const times = { silenceMs: patient, staleMs: patient, streamAwayMs: patient, quietMs: patient, graceMs };
  const options = { factor: 0, times, behindMs: 0 };
  const { sandbox, data } = await start(context, options);
  sandbox.faults.clear(); // it says its time
  vi.useFakeTimers({ toFake: ['performance'] });
  context.onTestFinished(() => void vi.useRealTimers());
  const { closed, quotes, open } = listen(data, 'BTC/USDT');
  await enough(quotes, 1);
  await enough(open, 1);
  options.behindMs = -5 * minuteMs;
  vi.advanceTimersByTime(minuteMs);
  await eventually(() => expect(clockOffsets().get('sandbox')).toBe(-5 * minuteMs));
  for (let poll = 1; poll <= 3; poll++) {
    const seen = quotes.length;
    sandbox.clock.advance(1_000);
    await enough(quotes, seen + 1);
    vi.advanceTimersByTime(graceMs + 1_000); // longer than a candle waits for its stream when its time is over
  }
  expect(closed.get('1m')).toEqual([]);
  sandbox.clock.advance(minuteMs);
  await enough(closed.get('1m')!, 1);
  await expectWhole(data, 'BTC/USDT', closed.get('1m')!);
});

test('no candle closes before the exchange’s time when our own clock is set ahead, or late when it is set back, and each is measured at once', async (context) => {
  const patient = hourMs;
  const times = { ...feedTimes, silenceMs: patient, staleMs: patient, streamAwayMs: patient, quietMs: patient };
  const ours = { setBy: 0 };
  const { sandbox, data } = await start(context, { factor: 0, times, ours });
  sandbox.faults.clear(); // it says its time
  vi.useFakeTimers({ toFake: ['performance'] });
  context.onTestFinished(() => void vi.useRealTimers());
  const { closed, quotes, open } = listen(data, 'BTC/USDT');
  await enough(quotes, 1);
  await enough(open, 1);
  await eventually(() => expect(clockOffsets().get('sandbox')).toBe(0));
  /** Longer than a candle waits for its stream when its time is over, while the feed looks at it. */
  const staysOpen = async () => {
    for (let poll = 1; poll <= 3; poll++) {
      const seen = quotes.length;
      sandbox.clock.advance(1_000);
      await enough(quotes, seen + 1);
      vi.advanceTimersByTime(times.graceMs);
    }
    expect(closed.get('1m')).toEqual([]);
  };
  hideClock(sandbox); // and cannot be asked
  ours.setBy = 40_000; // 20 seconds into a candle: by our own clock it is over
  await staysOpen();
  sandbox.faults.clear();
  await eventually(() => {
    vi.advanceTimersByTime(1_000); // a measurement that failed is repeated after five seconds
    expect(clockOffsets().get('sandbox')).toBe(-40_000);
  });
  await staysOpen();
  ours.setBy = -hourMs;
  await expect.poll(() => clockOffsets().get('sandbox'), { timeout: patienceMs }).toBe(hourMs); // unlike `eventually` it lets no time pass
  sandbox.clock.advance(minuteMs);
  await enough(closed.get('1m')!, 1);
  await expectWhole(data, 'BTC/USDT', closed.get('1m')!);
});

test('while sockets are refused the open candles of forty symbols move, also of those that one round of questions does not reach', async (context) => {
  const { sandbox, data } = await start(context, { crowd: 40, factor: 60 });
  sandbox.faults.sockets.refuse(1000);
  const symbols = (await data.instruments()).filter(({ quote }) => quote === 'USDT').slice(0, 40);
  expect(symbols).toHaveLength(40);
  const received = symbols.map(({ symbol }) => listen(data, symbol, ['1h'])); // none closes meanwhile
  for (const { open } of received) await enough(open, 3, 4 * patienceMs);
});

// The clock is frozen and moved by hand, so that nothing depends on how fast the machine reads nine hundred streams.
// Nine hundred streams whose sockets are lost take several rounds to be whole again on a busy machine: it is waited for longer.
test('three hundred symbols live on three sockets, one per kind of data', { timeout: 12 * patienceMs }, async (context) => {
  const patient = 600_000;
  const longer = 4 * patienceMs;
  const times = { silenceMs: patient, staleMs: patient, streamAwayMs: patient, graceMs: patient, quietMs: patient };
  const { sandbox, data, logs } = await start(context, { crowd: 290, factor: 0, times, timeoutMs: patient });
  const symbols = (await data.instruments())
    .filter(({ quote }) => quote === 'USDT')
    .map(({ symbol }) => symbol)
    .slice(0, 300);
  expect(symbols).toHaveLength(300);
  // Sockets that a busy machine has lost are back without what was sent meanwhile; that is noticed with the next frame, of which a frozen clock
  // sends none. All of it is less than what is left of a minute.
  let nudges = 0;
  const nudging = setInterval(() => void (nudges++ < 30 && sandbox.clock.advance(1_000)), 30_000);
  context.onTestFinished(() => clearInterval(nudging));
  const received = new Map(symbols.map((symbol) => [symbol, listen(data, symbol)]));
  for (const { open, quotes } of received.values()) {
    await enough(open, 1, longer);
    await enough(quotes, 1, longer);
  }
  await eventually(() => expect(sandbox.counts()).toEqual({ sockets: 3, subscriptions: 900 }), longer);
  for (let minute = 1; minute <= 3; minute++) {
    sandbox.clock.advance(minuteMs);
    for (const { closed } of received.values()) await enough(closed.get('1m')!, minute, longer);
  }
  const opened = [0, 1, 2].map((minute) => startTime - 20_000 + minute * minuteMs);
  for (const { closed } of received.values()) expect(closed.get('1m')!.map(({ openTime }) => openTime)).toEqual(opened);
  for (const symbol of symbols.slice(0, 20)) await expectWhole(data, symbol, received.get(symbol)!.closed.get('1m')!);
  for (const { stop } of received.values()) stop();
  await subscribed(sandbox, 0);
  expect(logs.filter((message) => !message.includes('lost a stream'))).toEqual([]);
});
