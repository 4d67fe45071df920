import { describe, expect, test, type TestContext, vi } from 'vitest';
import type { MarketData, Quote } from '#engine/ports/market-data.ts';
import { patienceMs } from '../../test/support/patience.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import type { RestFault } from '../sandbox/wire/faults.ts';
import type { FeedTimes } from './live-feed.ts';
import { createMarketData } from './market-data.ts';

const gone = 'GONE/USDT';
const eventually = (check: () => void | Promise<void>): Promise<void> => vi.waitFor(check, { timeout: patienceMs, interval: 20 });

/** Watches the prices of a symbol. */
function listen(data: MarketData, symbol: string) {
  const received = { quotes: [] as Quote[], stale: [] as boolean[] };
  data.watch(
    { symbol, timeframes: [], quotes: true },
    { onQuote: (quote) => received.quotes.push(quote), onStale: (stale) => received.stale.push(stale) },
  );
  return received;
}

/** Meets the next requests of a path with a fault, and counts them. */
function meet(sandbox: Sandbox, path: string, fault: RestFault) {
  const most = 200;
  const ends = Array.from({ length: most }, () => sandbox.faults.add({ path, times: 1, fault }));
  return {
    asked: () => most - sandbox.faults.list().filter((rule) => rule.path === path).length,
    end: () => ends.forEach((end) => end()),
  };
}

describe.concurrent('a symbol the exchange refuses although its list has it', () => {
  /** The list has one pair that the exchange has removed until `lists` ends. */
  async function start(context: TestContext, times: Partial<FeedTimes> = {}) {
    const sandbox = await startSandbox({ factor: 10, startTime: Date.UTC(2026, 2, 3, 10, 0, 20) });
    sandbox.faults.add({ path: '/time', fault: { kind: 'error', status: 500, code: -1000, message: 'no' } });
    const list = (await (await fetch(`${sandbox.url}/api/v3/exchangeInfo`)).json()) as { symbols: { symbol: string }[] };
    const removed = { ...list.symbols.find(({ symbol }) => symbol === 'ETHUSDT')!, symbol: 'GONEUSDT', baseAsset: 'GONE' };
    const body = JSON.stringify({ ...list, symbols: [...list.symbols, removed] });
    const lists = meet(sandbox, '/exchangeInfo', { kind: 'body', body });
    const logs: string[] = [];
    const data = createMarketData({
      exchangeId: 'sandbox',
      marketType: 'spot',
      sandboxUrl: sandbox.url,
      now: () => sandbox.clock.now(),
      times: { silenceMs: 60_000, streamAwayMs: 750, staleMs: 10 * patienceMs, pollMs: 250, backoffMs: 100, ...times },
      timeoutMs: patienceMs,
      retryMs: 50,
      log: (message) => logs.push(message),
    });
    context.onTestFinished(async () => {
      await data.close();
      await sandbox.close();
    });
    return { sandbox, data, logs, lists };
  }

  /** Only REST gives prices; all are asked for in one request. */
  async function startWithoutStreams(context: TestContext, times?: Partial<FeedTimes>) {
    const started = await start(context, times);
    started.sandbox.faults.sockets.refuse(1_000_000);
    await started.data.instruments();
    const watch = () => [gone, 'ETH/USDT', 'BTC/USDT'].map((symbol) => listen(started.data, symbol));
    return { ...started, watch };
  }

  test.for([
    ['still has it', null],
    ['cannot be had', { kind: 'error', status: 500, code: -1000, message: 'no list' }],
  ] as const)('costs no other its price while the streams are away and a newer list %s', async ([, fault], context) => {
    const { sandbox, lists, watch } = await startWithoutStreams(context);
    if (fault !== null) lists.end();
    const newer = fault === null ? lists : meet(sandbox, '/exchangeInfo', fault);
    const before = newer.asked();
    const [removed, ...others] = watch();
    for (const { quotes } of others) await eventually(() => expect(quotes.length).toBeGreaterThan(7));
    expect([removed.quotes, removed.stale]).toEqual([[], []]);
    expect(newer.asked() - before).toBeLessThan(4); // one, and more after minutes on a slow machine
  });

  test('costs no more than one request more, of the prices and of the list', async (context) => {
    const { sandbox, lists, watch } = await startWithoutStreams(context, { pollMs: 600_000 });
    const prices = meet(sandbox, '/ticker', { kind: 'delay', ms: 0 });
    const [, ...others] = watch();
    for (const { quotes } of others) await eventually(() => expect(quotes).toHaveLength(1));
    await eventually(() => expect(lists.asked()).toBe(2));
    expect(prices.asked()).toBe(2);
  });

  test('is looked for in a newer list, so that nobody takes its last price for one of now', async (context) => {
    const { logs, lists, watch } = await startWithoutStreams(context);
    lists.end();
    const [removed, ...others] = watch();
    await eventually(() => expect(removed.stale).toEqual([true]));
    expect(logs).toContainEqual(expect.stringContaining(`has no instrument ${gone}`));
    for (const { quotes, stale } of others) {
      await eventually(() => expect(quotes.length).toBeGreaterThan(3));
      expect(stale).toEqual([]);
    }
  });

  test('is looked for in a newer list when it is asked for alone, too', async (context) => {
    const { data, lists } = await startWithoutStreams(context);
    lists.end();
    const { stale } = listen(data, gone);
    await eventually(() => expect(stale).toEqual([true]));
  });

  test('is not what a failure means: prices that cannot be had now are asked for once', async (context) => {
    const { sandbox, data, logs, lists, watch } = await startWithoutStreams(context, { pollMs: 600_000 });
    const prices = meet(sandbox, '/ticker/24hr', { kind: 'error', status: 500, code: -1000, message: 'no prices' });
    const before = lists.asked();
    watch();
    await eventually(() => expect(logs).toContainEqual(expect.stringContaining('no prices')));
    await data.orderBook('BTC/USDT', 5); // what had been asked for before would have reached the exchange by now
    expect([prices.asked(), lists.asked()]).toEqual([1, before]);
  });

  test('costs no other its price when their streams have ended without a word', async (context) => {
    const quietMs = 1_000;
    const { sandbox, data, logs } = await start(context, { quietMs, streamAwayMs: 30_000 });
    const [ended, live] = ['ETH/USDT', 'BTC/USDT'].map((symbol) => listen(data, symbol));
    for (const { quotes } of [ended, live]) await eventually(() => expect(quotes.length).toBeGreaterThan(3));
    await eventually(() => expect(sandbox.counts().subscriptions).toBe(4));
    listen(data, gone);
    await eventually(() => expect(logs).toContainEqual(expect.stringMatching(/quotes of GONE\/USDT.*Invalid symbol/u)));
    expect(sandbox.faults.sockets.endStreams('ETHUSDT')).toBe(2);
    const seen = ended.quotes.length;
    await eventually(() => expect(ended.quotes.length).toBeGreaterThan(seen + 12));
  });
});

test.for([
  ['spot', '/api/v3'], // of so many Binance takes as much as of all
  ['futures', '/fapi/v1'], // gives all, whatever is asked for
] as const)(
  'the prices of 250 pairs on %s are asked for in one request, without names that could be refused',
  async ([marketType, root], context) => {
    const sandbox = await startSandbox({ factor: 0, crowd: 290, startTime: Date.UTC(2026, 2, 3, 10, 0, 20) });
    sandbox.faults.sockets.refuse(1_000_000);
    const list = (await (await fetch(`${sandbox.url}${root}/exchangeInfo`)).json()) as { symbols: { symbol: string }[] };
    const known = list.symbols.find(({ symbol }) => symbol === 'ETHUSDT')!;
    const removed = { ...known, symbol: 'GONEUSDT', pair: 'GONEUSDT', baseAsset: 'GONE' };
    sandbox.faults.add({
      path: '/exchangeInfo',
      fault: { kind: 'body', body: JSON.stringify({ ...list, symbols: [...list.symbols, removed] }) },
    });
    const data = createMarketData({
      exchangeId: 'sandbox',
      marketType,
      sandboxUrl: sandbox.url,
      times: { pollMs: 600_000 },
      timeoutMs: patienceMs,
    });
    context.onTestFinished(async () => {
      await data.close();
      await sandbox.close();
    });
    const instruments = (await data.instruments()).filter(({ base, quote }) => quote === 'USDT' && base !== 'GONE').slice(0, 250);
    expect(instruments).toHaveLength(250);
    const prices = meet(sandbox, `${root}/ticker/24hr`, { kind: 'delay', ms: 0 });
    listen(data, marketType === 'spot' ? gone : `${gone}:USDT`);
    const received = instruments.map(({ symbol }) => listen(data, symbol));
    for (const { quotes } of received) await eventually(() => expect(quotes).toHaveLength(1));
    expect(prices.asked()).toBe(1);
  },
);

test('best prices that cannot be had cost those no price that have one', async (context) => {
  const sandbox = await startSandbox({ factor: 0, startTime: Date.UTC(2026, 2, 3, 10, 0, 20) });
  sandbox.faults.sockets.refuse(1_000_000);
  const logs: string[] = [];
  const data = createMarketData({
    exchangeId: 'sandbox',
    marketType: 'spot',
    sandboxUrl: sandbox.url,
    timeoutMs: patienceMs,
    log: (message) => logs.push(message),
  });
  context.onTestFinished(async () => {
    await data.close();
    await sandbox.close();
  });
  await data.instruments();
  const tickers = (await (await fetch(`${sandbox.url}/api/v3/ticker/24hr`)).json()) as {
    symbol: string;
    bidPrice: string;
    askPrice: string;
  }[];
  const without = tickers.map((each) => (each.symbol === 'ETHUSDT' ? { ...each, bidPrice: undefined, askPrice: undefined } : each));
  sandbox.faults.add({ path: '/ticker/24hr', fault: { kind: 'body', body: JSON.stringify(without) } });
  sandbox.faults.add({ path: '/ticker/bookTicker', fault: { kind: 'error', status: 500, code: -1000, message: 'no best prices' } });
  const [lacking, other] = ['ETH/USDT', 'BTC/USDT'].map((symbol) => listen(data, symbol));
  await eventually(() => expect(other.quotes.length).toBeGreaterThan(0));
  expect(lacking.quotes).toEqual([]);
  expect(logs).toContainEqual(expect.stringContaining('no best prices'));
  sandbox.faults.clear();
  await eventually(() => expect(lacking.quotes.length).toBeGreaterThan(0));
});
