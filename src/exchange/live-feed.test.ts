import { afterAll, describe, expect, test, type TestContext, vi } from 'vitest';
import type { Candle } from '#engine/market/candle.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { MarketData, Quote } from '#engine/ports/market-data.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/sandbox.ts';
import type { FeedTimes } from './live-feed.ts';
import { createMarketData } from './market-data.ts';

const minute = 60_000;
const quickTimes: Partial<FeedTimes> = { silenceMs: 1500, staleMs: 2000, pollMs: 500, backoffMs: 100, backoffMaxMs: 1000, lingerMs: 100 };
const rejections: unknown[] = [];
process.on('unhandledRejection', (error) => rejections.push(error));

afterAll(() => expect(rejections).toEqual([]));

/** A sandbox at 60 times the speed, and market data that shares its clock. */
async function start(
  context: TestContext,
  options: SandboxOptions & { marketType?: MarketType; times?: Partial<FeedTimes> } = {},
): Promise<{ sandbox: Sandbox; data: MarketData; logs: string[] }> {
  const sandbox = await startSandbox({ factor: 60, startTime: Date.UTC(2026, 2, 3, 10, 0, 20), ...options });
  const logs: string[] = [];
  const data = createMarketData({
    exchangeId: 'sandbox',
    marketType: options.marketType ?? 'spot',
    sandboxUrl: sandbox.url,
    now: () => sandbox.clock.now(),
    times: { ...quickTimes, ...options.times },
    timeoutMs: 4000,
    log: (message) => logs.push(message),
  });
  context.onTestFinished(async () => {
    await data.close();
    await sandbox.close();
  });
  await data.instruments();
  return { sandbox, data, logs };
}

/** Watches candles of a symbol and keeps what is told. */
function listen(data: MarketData, symbol: string, timeframes: readonly Timeframe[] = ['1m']) {
  const closed = new Map<Timeframe, Candle[]>(timeframes.map((timeframe) => [timeframe, []]));
  const heard = { closed, open: [] as Candle[], quotes: [] as Quote[], stale: [] as boolean[], stop: () => {} };
  heard.stop = data.watch(
    { symbol, timeframes, quotes: true },
    {
      onCandle: (timeframe, candle) => closed.get(timeframe)!.push(candle),
      onOpenCandle: (_timeframe, candle) => heard.open.push(candle),
      onQuote: (quote) => heard.quotes.push(quote),
      onStale: (stale) => heard.stale.push(stale),
    },
  );
  return heard;
}

const enough = (candles: readonly Candle[], count: number) =>
  vi.waitFor(() => expect(candles.length).toBeGreaterThanOrEqual(count), { timeout: 40_000, interval: 50 });

/** What was told is exactly what history tells: each candle once, in order, none missing, none half. */
async function expectWhole(data: MarketData, symbol: string, told: readonly Candle[], timeframe: Timeframe = '1m'): Promise<void> {
  const candles = [...told];
  expect(candles).toEqual(await data.candles(symbol, timeframe, candles[0].openTime, candles.at(-1)!.openTime + 1));
}

describe.concurrent.each([
  { marketType: 'spot', symbol: 'BTC/USDT' },
  { marketType: 'futures', symbol: 'ETH/USDT:USDT' },
] as const)('$marketType live', ({ marketType, symbol }) => {
  test('closed candles are told once and in order over many minutes, open ones and quotes between', async (context) => {
    const { data } = await start(context, { marketType });
    const heard = listen(data, symbol, ['1m', '5m']);
    await enough(heard.closed.get('5m')!, 3);
    await expectWhole(data, symbol, heard.closed.get('1m')!);
    await expectWhole(data, symbol, heard.closed.get('5m')!, '5m');
    expect(heard.closed.get('1m')!.length).toBeGreaterThanOrEqual(11);
    expect(heard.open.length).toBeGreaterThan(20);
    expect(heard.quotes.length).toBeGreaterThan(20);
    expect(heard.quotes.every(({ bid, ask }) => bid < ask)).toBe(true);
    expect(heard.stale).toEqual([]);
  });
});

describe.concurrent('interruptions', () => {
  test('a dropped socket is opened again and what was missed is told in order', async (context) => {
    const { sandbox, data, logs } = await start(context);
    const heard = listen(data, 'BTC/USDT');
    const told = heard.closed.get('1m')!;
    await enough(told, 2);
    for (const count of [5, 8]) {
      sandbox.faults.sockets.refuse(4);
      expect(sandbox.faults.sockets.drop()).toBeGreaterThan(0);
      await enough(told, count);
    }
    await vi.waitFor(() => expect(sandbox.counts().subscriptions).toBe(3), { timeout: 10_000 });
    await enough(told, told.length + 3);
    await expectWhole(data, 'BTC/USDT', told);
    expect(logs.some((line) => line.includes('lost a stream'))).toBe(true);
  });

  test('candles missed during a long interruption are filled by REST before newer ones are told', async (context) => {
    const { sandbox, data } = await start(context);
    const told = listen(data, 'BTC/USDT').closed.get('1m')!;
    await enough(told, 1);
    sandbox.faults.add({ path: '/klines', fault: { kind: 'error', status: 503, code: -1001, message: 'away' } });
    sandbox.faults.sockets.refuse(1000);
    sandbox.faults.sockets.drop();
    await new Promise((resolve) => setTimeout(resolve, 4000)); // four minutes of market
    const before = told.length;
    sandbox.faults.clear();
    await enough(told, before + 6);
    await expectWhole(data, 'BTC/USDT', told);
  });

  test('a half-open socket is noticed by its silence and replaced; meanwhile REST tells the candles', async (context) => {
    const { sandbox, data, logs } = await start(context);
    const heard = listen(data, 'BTC/USDT');
    const told = heard.closed.get('1m')!;
    await enough(told, 2);
    sandbox.faults.sockets.silence();
    const before = told.length;
    await enough(told, before + 4);
    expect(logs.some((line) => line.includes('nothing was heard for'))).toBe(true);
    sandbox.faults.clear();
    await vi.waitFor(() => expect(sandbox.counts().subscriptions).toBe(3), { timeout: 10_000 });
    await enough(told, told.length + 3);
    await expectWhole(data, 'BTC/USDT', told);
  });

  test('while sockets are refused REST tells candles and quotes, and no promise is left behind', async (context) => {
    const { sandbox, data } = await start(context);
    sandbox.faults.sockets.refuse(1000);
    const heard = listen(data, 'BTC/USDT');
    await enough(heard.closed.get('1m')!, 4);
    await vi.waitFor(() => expect(heard.quotes.length).toBeGreaterThan(2), { timeout: 10_000 });
    expect(heard.open.length).toBeGreaterThan(0);
    expect(sandbox.counts().sockets).toBe(0);
    await expectWhole(data, 'BTC/USDT', heard.closed.get('1m')!);
    sandbox.faults.clear();
    await vi.waitFor(() => expect(sandbox.counts().subscriptions).toBe(3), { timeout: 10_000 });
  });

  test('an exchange that cannot be reached at all leaves no rejected promise behind and is told as stale', async (context) => {
    const { sandbox, data } = await start(context);
    const heard = listen(data, 'BTC/USDT');
    await enough(heard.closed.get('1m')!, 1);
    await sandbox.close();
    await vi.waitFor(() => expect(heard.stale).toEqual([true]), { timeout: 10_000 });
    await new Promise((resolve) => setTimeout(resolve, 4000)); // until the last live quote is too old
    await expect(data.quote('BTC/USDT')).rejects.toMatchObject({ kind: 'temporary' });
  });

  test('duplicate frames are told once', async (context) => {
    const { sandbox, data } = await start(context);
    const heard = listen(data, 'BTC/USDT');
    sandbox.faults.sockets.duplicate(1_000_000);
    const told = heard.closed.get('1m')!;
    await enough(told, 5);
    await expectWhole(data, 'BTC/USDT', told);
    const opens = heard.open.map((candle) => JSON.stringify(candle));
    expect(opens.some((open, i) => open === opens[i - 1])).toBe(false);
  });

  test('staleness is told once and taken back when the source speaks again', async (context) => {
    const { sandbox, data } = await start(context);
    const heard = listen(data, 'BTC/USDT');
    await enough(heard.closed.get('1m')!, 1);
    sandbox.faults.add({ fault: { kind: 'hang' } });
    sandbox.faults.sockets.silence();
    await vi.waitFor(() => expect(heard.stale).toEqual([true]), { timeout: 15_000 });
    sandbox.faults.clear();
    await vi.waitFor(() => expect(heard.stale).toEqual([true, false]), { timeout: 15_000 });
  });

  test('an answer with a candle that cannot be right is asked for again, not told', async (context) => {
    const { sandbox, data } = await start(context);
    const told = listen(data, 'BTC/USDT').closed.get('1m')!;
    await enough(told, 1);
    const bad = told.at(-1)!.openTime;
    sandbox.faults.sockets.drop();
    sandbox.faults.add({
      path: '/klines',
      times: 1,
      fault: { kind: 'body', body: JSON.stringify([[bad + minute, '1', '0', '2', '1', '1', 0, '1', 1, '1', '1', '0']]) },
    });
    await enough(told, 5);
    await expectWhole(data, 'BTC/USDT', told);
  });
});

test('an answer that took long does not close the candle that was open when it was asked for', async (context) => {
  const { sandbox, data } = await start(context);
  sandbox.faults.sockets.refuse(1000); // only REST speaks
  // Made at once, delivered 1.2 minutes of market later.
  const made = await fetch(`${sandbox.url}/api/v3/klines?symbol=BTCUSDT&interval=1m&limit=1`);
  sandbox.faults.add({ path: '/klines', times: 1, fault: { kind: 'late-body', ms: 1200, body: await made.text() } });
  const told = listen(data, 'BTC/USDT').closed.get('1m')!;
  await enough(told, 3);
  await expectWhole(data, 'BTC/USDT', told);
});

describe.concurrent('sharing', () => {
  test('a hundred listeners share one subscription per channel and hear the same, each its own copy', async (context) => {
    const { sandbox, data } = await start(context);
    const listeners = Array.from({ length: 100 }, () => listen(data, 'BTC/USDT'));
    for (const { closed } of listeners) await enough(closed.get('1m')!, 2);
    expect(sandbox.counts().subscriptions).toBe(3); // candles, best prices, last price
    const first = listeners.map(({ closed }) => closed.get('1m')![0]);
    expect(new Set(first).size).toBe(100);
    expect(new Set(first.map((candle) => JSON.stringify(candle))).size).toBe(1);
    for (const { stop } of listeners.slice(1)) stop();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const told = listeners[0].closed.get('1m')!;
    await enough(told, told.length + 2);
    expect(listeners[1].closed.get('1m')!.length).toBeLessThan(told.length);
    listeners[0].stop();
    await vi.waitFor(() => expect(sandbox.counts().subscriptions).toBe(0), { timeout: 5000 });
  });

  test('a symbol the exchange does not know is stale at once and harms no other', async (context) => {
    const { data, logs } = await start(context);
    const unknown = listen(data, 'NONE/USDT');
    const told = listen(data, 'BTC/USDT').closed.get('1m')!;
    await enough(told, 2);
    expect(unknown.stale).toEqual([true]);
    expect(logs).toEqual(['sandbox has no instrument NONE/USDT; there will be no news of it.']);
  });

  test('a symbol that is watched again while its end is not yet confirmed lives on', async (context) => {
    const { sandbox, data } = await start(context, { times: { lingerMs: 0 } });
    const others = ['ETH/USDT', 'SOL/USDT'].map((symbol) => listen(data, symbol));
    await enough(others[0].closed.get('1m')!, 1);
    for (const { stop } of others) stop();
    await new Promise((resolve) => setTimeout(resolve, 60)); // the ends are on their way, one message after the other
    const again = listen(data, 'SOL/USDT');
    await vi.waitFor(() => expect(again.quotes.length).toBeGreaterThan(5), { timeout: 10_000 });
    await enough(again.closed.get('1m')!, 3);
    expect(sandbox.counts().subscriptions).toBe(3);
  });

  test('a listener that fails does not keep the news from the others', async (context) => {
    const { data, logs } = await start(context);
    data.watch(
      { symbol: 'BTC/USDT', timeframes: ['1m'], quotes: false },
      {
        onCandle: () => {
          throw new Error('my own fault');
        },
      },
    );
    const told = listen(data, 'BTC/USDT').closed.get('1m')!;
    await enough(told, 2);
    expect(logs.some((line) => line.includes('my own fault'))).toBe(true);
  });

  test('three hundred symbols live on three sockets, one per kind of news', async (context) => {
    const { sandbox, data, logs } = await start(context, { crowd: 290, factor: 30, times: { silenceMs: 8000, staleMs: 8000 } });
    const symbols = (await data.instruments())
      .filter(({ quote }) => quote === 'USDT')
      .map(({ symbol }) => symbol)
      .slice(0, 300);
    expect(symbols).toHaveLength(300);
    const heard = new Map(symbols.map((symbol) => [symbol, listen(data, symbol)]));
    for (const { closed } of heard.values()) await enough(closed.get('1m')!, 3);
    expect(sandbox.counts()).toEqual({ sockets: 3, subscriptions: 900 });
    for (const symbol of symbols.slice(0, 20)) await expectWhole(data, symbol, heard.get(symbol)!.closed.get('1m')!);
    for (const [, { closed }] of heard)
      closed.get('1m')!.forEach(({ openTime }, i, all) => i > 0 && expect(openTime).toBe(all[i - 1].openTime + minute));
    for (const { stop } of heard.values()) stop();
    await vi.waitFor(() => expect(sandbox.counts().subscriptions).toBe(0), { timeout: 5000 });
    expect(logs).toEqual([]);
  });

  test('history never denies a candle that was told, even when our clock is slow and the exchange hides its own', async (context) => {
    const sandbox = await startSandbox({ factor: 60, startTime: Date.UTC(2026, 2, 3, 10, 0, 20) });
    sandbox.faults.add({ path: '/time', fault: { kind: 'error', status: 500, code: -1000, message: 'no' } });
    const slow = () => sandbox.clock.now() - 5 * minute;
    const data = createMarketData({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url, now: slow, times: quickTimes });
    context.onTestFinished(async () => {
      await data.close();
      await sandbox.close();
    });
    const told = listen(data, 'BTC/USDT').closed.get('1m')!;
    await enough(told, 8);
    await expectWhole(data, 'BTC/USDT', told);
  });

  test('a quote is taken from the live feed while it is fresh', async (context) => {
    const { sandbox, data } = await start(context);
    const heard = listen(data, 'BTC/USDT');
    await vi.waitFor(() => expect(heard.quotes.length).toBeGreaterThan(2), { timeout: 10_000 });
    sandbox.faults.add({ fault: { kind: 'reset' } });
    const quote = await data.quote('BTC/USDT');
    expect(quote.bid).toBeGreaterThan(0);
    await expect(data.quote('ETH/USDT')).rejects.toMatchObject({ kind: 'temporary' });
  });
});

test('one who joins late is told the price as it is, also when it does not move', async (context) => {
  const { data } = await start(context);
  const early: Quote[] = [];
  data.watch({ symbol: 'LINK/USDT', timeframes: [], quotes: true }, { onQuote: (quote) => early.push(quote) });
  await vi.waitFor(() => expect(early.length).toBeGreaterThan(0), { timeout: 10_000 });
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
