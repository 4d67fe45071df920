import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Candle } from '#engine/market/candle.ts';
import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import { patienceMs } from '../../test/support/patience.ts';
import { candleOpenTime } from '#engine/market/timeframe.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { createMarketData } from './market-data.ts';
import { type Priority, RequestBudget } from './request-budget.ts';

let sandbox: Sandbox;
const startTime = Date.UTC(2026, 4, 20, 13, 7, 21);
const connectTo = (marketType: MarketType, url = sandbox.url): MarketData =>
  createMarketData({ exchangeId: 'sandbox', marketType, sandboxUrl: url, now: () => sandbox.clock.now(), retryMs: 20 });

beforeAll(async () => {
  sandbox = await startSandbox({ startTime });
});
afterAll(() => sandbox.close());

describe.each([
  { marketType: 'spot', symbol: 'BTC/USDT' },
  { marketType: 'margin', symbol: 'BTC/USDT' },
  { marketType: 'futures', symbol: 'BTC/USDT:USDT' },
] as const)('$marketType', ({ marketType, symbol }) => {
  let data: MarketData;
  beforeAll(() => {
    data = connectTo(marketType);
  });
  afterAll(() => data.close());

  test('instruments have the steps and limits of the exchange', async () => {
    const instruments = await data.instruments();
    const futures = marketType === 'futures';
    expect(instruments.find((instrument) => instrument.symbol === symbol)).toEqual({
      symbol,
      base: 'BTC',
      quote: 'USDT',
      marketType,
      active: true,
      priceTick: futures ? 0.1 : 0.01,
      amountStep: futures ? 0.001 : 0.00001,
      minAmount: futures ? 0.001 : 0.00001,
      maxAmount: 521,
      maxMarketAmount: 104.2,
      minCost: futures ? 50 : 5,
      maxCost: futures ? Infinity : 9_000_000,
      contractSize: 1,
      takerFee: futures ? 0.0005 : 0.001,
      makerFee: futures ? 0.0002 : 0.001,
      maxLeverage: futures ? 20 : 1,
      // The sandbox publishes with each contract what Binance does.
      leverageTiers: futures
        ? [{ minNotional: 0, maxNotional: Infinity, maxLeverage: 20, maintenanceRate: 0.025, maintenanceAmount: 0 }]
        : [],
    });
    expect(await data.instrument(symbol)).toEqual(instruments.find((instrument) => instrument.symbol === symbol));
    expect(await data.instrument('NO/SUCH')).toBeNull();
    // In the sandbox, as often in the world, only pairs against USDT allow margin.
    expect(instruments.some(({ quote }) => quote === 'USDC')).toBe(marketType !== 'margin');
  });

  test('three months of candles come without gap or overlap, all closed', async () => {
    const from = Date.UTC(2026, 1, 18);
    const candles = await data.candles(symbol, '15m', from, startTime + dayMs);
    candles.forEach((candle, i) => expect(candle.openTime).toBe(from + i * 15 * minuteMs));
    const now = sandbox.clock.now();
    expect(candles.at(-1)!.openTime).toBe(candleOpenTime('15m', now) - 15 * minuteMs);
  });

  test('a range that ends inside a candle still holds the candle that opens before its end', async () => {
    const from = Date.UTC(2026, 3, 1);
    const openTimes = async (start: number, end: number) =>
      (await data.candles(symbol, '5m', start, end)).map(({ openTime }) => (openTime - from) / (5 * minuteMs));
    expect(await openTimes(from, from + 10 * minuteMs + 1)).toEqual([0, 1, 2]);
    expect(await openTimes(from + 1, from + 10 * minuteMs)).toEqual([1]);
  });

  test('a time range without closed candles is empty', async () => {
    expect(await data.candles(symbol, '1h', sandbox.clock.now(), sandbox.clock.now() + hourMs)).toEqual([]);
  });

  test('book and quote agree', async () => {
    const book = await data.orderBook(symbol, 7);
    const before = sandbox.clock.now();
    const quote = await data.quote(symbol);
    expect(book.bids).toHaveLength(7);
    expect(book.asks).toHaveLength(7);
    expect(quote.bid).toBeLessThan(quote.ask);
    expect(Math.abs(book.bids[0][0] / quote.bid - 1)).toBeLessThan(0.01);
    expect(Math.abs(quote.last / quote.bid - 1)).toBeLessThan(0.01);
    expect(quote.time).toBeGreaterThanOrEqual(before - 1000);
    expect(quote.time).toBeLessThanOrEqual(sandbox.clock.now());
  });
});

describe('funding', () => {
  const symbol = 'BTC/USDT:USDT';
  const payment = 8 * hourMs;
  let data: MarketData;
  beforeAll(() => {
    data = connectTo('futures');
  });
  afterAll(() => data.close());

  test('two years of payments come without gap or overlap, each with the mark price its hour opened at', async () => {
    const from = Date.UTC(2024, 4, 1);
    const events = await data.funding(symbol, from, startTime + dayMs);
    events.forEach(({ time }, i) => expect(time).toBe(from + i * payment));
    expect(events.at(-1)!.time).toBe(Math.floor(sandbox.clock.now() / payment) * payment);
    expect(events.length).toBeGreaterThan(2000);
    const marks = await data.markCandles(symbol, '1h', from, from + dayMs);
    expect(marks).toHaveLength(24);
    expect(marks.every(({ volume }) => volume === 0)).toBe(true);
    expect(events.slice(0, 3).map(({ mark }) => mark)).toEqual([marks[0].open, marks[8].open, marks[16].open]);
    const [candle] = await data.candles(symbol, '1h', from, from + hourMs);
    expect(Math.abs(marks[0].open / candle.open - 1)).toBeLessThan(0.005);
  });

  test('a range holds its first time and not its last', async () => {
    const from = Date.UTC(2026, 4, 1);
    const times = async (start: number, end: number) => (await data.funding(symbol, start, end)).map(({ time }) => time - from);
    expect(await times(from, from + payment)).toEqual([0]);
    expect(await times(from, from + payment + 1)).toEqual([0, payment]);
    expect(await times(from + 1, from + payment)).toEqual([]);
  });

  test('a payment is known as soon as it was made, although its hour still runs', async () => {
    const young = await startSandbox({ startTime: Date.UTC(2026, 4, 20, 16, 0, 5) });
    const connected = createMarketData({
      exchangeId: 'sandbox',
      marketType: 'futures',
      sandboxUrl: young.url,
      now: () => young.clock.now(),
    });
    const events = await connected.funding(symbol, Date.UTC(2026, 4, 20, 9), young.clock.now());
    expect(events).toEqual([{ time: Date.UTC(2026, 4, 20, 16), rate: expect.any(Number), mark: expect.any(Number) }]);
    expect(await connected.markCandles(symbol, '1h', Date.UTC(2026, 4, 20, 16), young.clock.now())).toEqual([]);
    await connected.close();
    await young.close();
  });

  test('spot has none', async () => {
    const spot = connectTo('spot');
    expect(await spot.funding('BTC/USDT', Date.UTC(2026, 4, 1), startTime)).toEqual([]);
    expect(await spot.markCandles('BTC/USDT', '1h', Date.UTC(2026, 4, 1), startTime)).toEqual([]);
    await spot.close();
  });

  test('a temporary failure is tried again; an unknown symbol is refused', async () => {
    sandbox.faults.add({ fault: { kind: 'reset' }, path: /fundingRate/u, times: 2 });
    expect(await data.funding(symbol, Date.UTC(2026, 4, 1), Date.UTC(2026, 4, 2))).toHaveLength(3);
    expect(sandbox.faults.list()).toHaveLength(0);
    await expect(data.funding('NO/SUCH:SUCH', 0, 1)).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('payments that an open trade waits for are as urgent as prices, also those of weeks without a runner', async () => {
    const asked: string[] = [];
    class NotedBudget extends RequestBudget {
      override as<Result>(priority: Priority, task: () => Promise<Result>): Promise<Result> {
        asked.push(priority);
        return super.as(priority, task);
      }
    }
    const connected = createMarketData({
      exchangeId: 'sandbox',
      marketType: 'futures',
      sandboxUrl: sandbox.url,
      now: () => sandbox.clock.now(),
      budget: new NotedBudget(1e6),
    });
    await connected.instruments();
    const urgencyOf = async (days: number): Promise<string | undefined> => {
      await connected.funding(symbol, startTime - days * dayMs, startTime);
      return asked.at(-1);
    };
    expect(await urgencyOf(1)).toBe('quote');
    expect(await urgencyOf(7)).toBe('quote');
    expect(await urgencyOf(21)).toBe('quote');
    expect(await urgencyOf(90)).toBe('history');
    await connected.close();
  });

  test('a stop ends the paging early with the oldest payments', async () => {
    const stop = { aborted: false };
    let asked = 0;
    const stopping = {
      get aborted() {
        return stop.aborted || ++asked > 2;
      },
    };
    const from = Date.UTC(2024, 4, 1);
    const events = await data.funding(symbol, from, startTime, stopping);
    events.forEach(({ time }, i) => expect(time).toBe(from + i * payment));
    expect(events.length).toBeLessThan(2000);
  });
});

test('the few candles that tell what a fee is worth are as urgent as prices, others are history', async () => {
  const asked: string[] = [];
  class NotedBudget extends RequestBudget {
    override as<Result>(priority: Priority, task: () => Promise<Result>): Promise<Result> {
      asked.push(priority);
      return super.as(priority, task);
    }
  }
  const sandbox = await startSandbox({ startTime, factor: 0 });
  const options = { exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url, now: () => sandbox.clock.now() } as const;
  const connected = createMarketData({ ...options, budget: new NotedBudget(1e6) });
  onTestFinished(async () => {
    await connected.close();
    await sandbox.close();
  });
  await connected.instruments();
  const urgencyOf = async (from: number, to: number): Promise<string | undefined> => {
    await connected.candles('BTC/USDT', '1m', from, to);
    return asked.at(-1);
  };
  const minute = candleOpenTime('1m', startTime);
  expect(await urgencyOf(minute - minuteMs, minute + minuteMs)).toBe('quote');
  expect(await urgencyOf(minute - 3 * minuteMs, minute)).toBe('history');
  expect(await urgencyOf(minute - minuteMs, Infinity)).toBe('history'); // the window of a bot
});

test('candles without an end are those that have closed by the clock of the exchange, wherever ours is', async () => {
  const sandbox = await startSandbox({ startTime, factor: 0 });
  onTestFinished(() => sandbox.close());
  for (const behindMs of [hourMs, 0, -hourMs]) {
    const now = () => sandbox.clock.now() - behindMs;
    const data = createMarketData({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url, now });
    onTestFinished(() => data.close());
    const end = candleOpenTime('1m', sandbox.clock.now());
    const candles = await data.candles('BTC/USDT', '1m', end - 90 * minuteMs, Infinity);
    expect([candles.length, candles.at(-1)?.openTime]).toEqual([90, end - minuteMs]);
  }
});

test('a stop ends the paging early with what is there', async () => {
  const data = connectTo('spot');
  await data.instruments();
  let pages = 0;
  const stop = {
    get aborted() {
      return ++pages > 3;
    },
  };
  const candles = await data.candles('BTC/USDT', '1m', Date.UTC(2025, 0, 1), Date.UTC(2026, 0, 1), stop);
  expect(candles).toHaveLength(3000);
  await data.close();
});

test('a page with a hole is requested again; what is missing at the exchange stays missing', async () => {
  const start = Date.UTC(2026, 0, 1);
  const file = join(mkdtempSync(join(tmpdir(), 'candles-')), 'holes.csv');
  const lines = Array.from({ length: 60 }, (_, i) => `${start + i * minuteMs},10,11,9,10.5,100`).filter((_, i) => i !== 17);
  writeFileSync(file, ['timestamp,open,high,low,close,volume', ...lines].join('\n'));
  const replay = await startSandbox({
    startTime: start + hourMs,
    replays: [{ market: 'spot', base: 'BTC', quote: 'USDT', file, loop: false }],
  });
  const data = createMarketData({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: replay.url, now: () => replay.clock.now() });
  const answer = await fetch(`${replay.url}/api/v3/klines?symbol=BTCUSDT&interval=1m&startTime=${start}&limit=59`);
  const rows = (await answer.json()) as unknown[];
  replay.faults.add({
    path: '/klines',
    times: 1,
    fault: { kind: 'body', body: JSON.stringify(rows.filter((_, i) => i < 30 || i > 33).reverse()) },
  });
  const candles = await data.candles('BTC/USDT', '1m', start, start + hourMs);
  expect(candles.map(({ openTime }) => (openTime - start) / minuteMs)).toEqual(
    Array.from({ length: 60 }, (_, i) => i).filter((i) => i !== 17),
  );
  await data.close();
  await replay.close();
});

test('a page that the exchange cuts short is neither the end nor a hole', async () => {
  const data = connectTo('spot');
  const from = Date.UTC(2026, 3, 1);
  const whole = await data.candles('BTC/USDT', '1m', from, from + 50 * minuteMs);
  const answer = await fetch(`${sandbox.url}/api/v3/klines?symbol=BTCUSDT&interval=1m&startTime=${from}&limit=20`);
  sandbox.faults.add({ path: '/klines', times: 1, fault: { kind: 'body', body: await answer.text() } });
  expect(await data.candles('BTC/USDT', '1m', from, from + 50 * minuteMs)).toEqual(whole);
  expect(whole).toHaveLength(50);
  expect(sandbox.faults.list()).toHaveLength(0);
  await data.close();
});

test('an old list of instruments serves while the exchange does not give a new one', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const logs: string[] = [];
  const options = { exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url } as const;
  const data = createMarketData({ ...options, log: (message) => logs.push(message) });
  const first = await data.instruments();
  sandbox.faults.add({ path: '/exchangeInfo', times: 1, fault: { kind: 'reset' } });
  vi.advanceTimersByTime(hourMs - 1);
  await data.instruments();
  expect(sandbox.faults.list()).toHaveLength(1); // fresh enough: not requested
  vi.advanceTimersByTime(1);
  expect(await data.instruments()).toEqual(first);
  expect(sandbox.faults.list()).toHaveLength(0);
  expect(logs).toHaveLength(1);
  await data.close();
});

test('an old list that could not be renewed is asked for once a minute, by one of those who ask', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  onTestFinished(() => sandbox.faults.clear());
  const logs: string[] = [];
  const options = { exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url } as const;
  const data = createMarketData({ ...options, timeoutMs: patienceMs, log: (message) => logs.push(message) });
  onTestFinished(() => data.close());
  const first = await data.instruments();
  const most = 20;
  for (let i = 0; i < most; i++) sandbox.faults.add({ path: '/exchangeInfo', times: 1, fault: { kind: 'reset' } });
  const failed = () => [most - sandbox.faults.list().length, logs.length];
  const ask = async () => expect(await Promise.all([data.instruments(), data.instruments()])).toEqual([first, first]);
  vi.advanceTimersByTime(hourMs);
  for (const count of [1, 2, 3]) {
    await ask();
    expect(failed()).toEqual([count, count]); // whoever asked waited for it
    vi.advanceTimersByTime(minuteMs - 1);
    await ask();
    expect(failed()).toEqual([count, count]);
    vi.advanceTimersByTime(1);
  }
  sandbox.faults.clear();
  const [newest] = await data.instruments();
  expect(newest).not.toBe(first[0]);
  vi.advanceTimersByTime(hourMs - 1);
  expect((await data.instruments())[0]).toBe(newest);
});

test('equal requests at the same time are sent once', async () => {
  const budget = new RequestBudget(1_000_000);
  const data = createMarketData({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url, budget });
  await data.instruments();
  sandbox.faults.add({ path: '/depth', times: 1, fault: { kind: 'delay', ms: 200 } });
  sandbox.faults.add({ path: '/depth', fault: { kind: 'reset' } }); // a second request would fail
  const books = await Promise.all(Array.from({ length: 10 }, () => data.orderBook('ETH/USDT', 5)));
  sandbox.faults.clear();
  expect(new Set(books.map((book) => JSON.stringify(book))).size).toBe(1);
  expect(new Set(books.map(({ bids }) => bids)).size).toBe(10);
  await data.close();
});

test('who asks for another depth of a book at the same time gets that', async () => {
  const data = createMarketData({
    exchangeId: 'sandbox',
    marketType: 'spot',
    sandboxUrl: sandbox.url,
    budget: new RequestBudget(1_000_000),
  });
  await data.instruments();
  const depths = [5, 100, 20];
  const books = await Promise.all(depths.map((depth) => data.orderBook('ETH/USDT', depth)));
  expect(books.map(({ bids, asks }) => [bids.length, asks.length])).toEqual(depths.map((depth) => [depth, depth]));
  await data.close();
});

test('our clock may go wrong: candles close by the clock of the exchange', async () => {
  const data = createMarketData({
    exchangeId: 'sandbox',
    marketType: 'spot',
    sandboxUrl: sandbox.url,
    now: () => sandbox.clock.now() + 2.5 * minuteMs,
  });
  const now = sandbox.clock.now();
  const candles = await data.candles('BTC/USDT', '1m', now - 10 * minuteMs, now + 10 * minuteMs);
  expect(candles.at(-1)!.openTime + minuteMs).toBeLessThanOrEqual(sandbox.clock.now());
  await data.close();
});

test.each([
  ['two seconds ahead', 2_000],
  ['two seconds behind', -2_000],
  ['an hour ahead', hourMs],
])(
  'what is watched before the time of the exchange is known has each candle once it has closed there, though our clock is %s',
  async (_name, aheadMs) => {
    const opened = Date.UTC(2026, 4, 20, 13, 7);
    const sandbox = await startSandbox({ startTime: opened + 59_000, factor: 0 });
    const data = createMarketData({
      exchangeId: 'sandbox',
      marketType: 'spot',
      sandboxUrl: sandbox.url,
      now: () => sandbox.clock.now() + aheadMs,
      times: { graceMs: 100 },
    });
    onTestFinished(async () => {
      await data.close();
      await sandbox.close();
    });
    const closed: Candle[] = [];
    data.watch({ symbol: 'BTC/USDT', timeframes: ['1m'], quotes: false }, { onCandle: (_, candle) => closed.push(candle) });
    const before = await data.candles('BTC/USDT', '1m', opened - 5 * minuteMs, Infinity);
    expect(before.at(-1)?.openTime).toBe(opened - minuteMs);
    sandbox.clock.advance(3_000);
    await expect.poll(() => closed.at(-1)?.openTime, { timeout: patienceMs }).toBe(opened);
    expect(closed).toEqual(await data.candles('BTC/USDT', '1m', opened, Infinity));
  },
);

test('a sandbox that is not on this machine is refused', () => {
  for (const url of ['https://api.binance.com', 'http://10.0.0.5:9000', 'http://127.0.0.1.evil.example']) {
    expect(() => connectTo('spot', url)).toThrow(/must lie on this machine/);
  }
});

const offered = ['1m', '3m', '5m', '15m', '30m', '1h', '4h', '1d'];

test('an exchange names the timeframes it has candles of, without being asked over the network', async () => {
  const timeframesOf = async (exchangeId: string): Promise<readonly string[]> => {
    const data = createMarketData({ exchangeId, marketType: 'spot', sandboxUrl: sandbox.url });
    await data.close();
    return data.timeframes;
  };
  expect(await timeframesOf('sandbox')).toEqual(expect.arrayContaining(offered));
  expect(await timeframesOf('binance')).toEqual(expect.arrayContaining(offered));
  const kraken = await timeframesOf('kraken');
  expect(kraken).toContain('5m');
  expect(kraken).not.toContain('3m');
});
