import { once } from 'node:events';
import { createConnection } from 'node:net';
import { pro } from 'ccxt';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { patienceMs } from '../../test/support/patience.ts';
import { hourMs, minuteMs, secondMs } from '#engine/market/durations.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';

type ProExchange = InstanceType<typeof pro.binance>;

let sandbox: Sandbox;
const startTime = Date.UTC(2026, 4, 20, 13, 7, 21);

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, startTime });
});
afterAll(() => sandbox.close());

async function connect(id: 'binance' | 'binanceusdm'): Promise<ProExchange> {
  const exchange = new pro[id]({
    enableRateLimit: false, // the limits of the sandbox are wide
    timeout: patienceMs,
    urls: { test: sandbox.urls() },
    options: { fetchMarkets: { types: [id === 'binance' ? 'spot' : 'linear'] } },
  });
  exchange.setSandboxMode(true);
  await exchange.loadHttpProxyAgent();
  return exchange;
}

describe.each([
  { id: 'binance', symbol: 'BTC/USDT', other: 'ETH/USDC' },
  { id: 'binanceusdm', symbol: 'BTC/USDT:USDT', other: 'ETH/USDC:USDC' },
] as const)('unmodified ccxt.pro.$id against the sandbox', ({ id, symbol, other }) => {
  let exchange: ProExchange;
  beforeAll(async () => {
    exchange = await connect(id);
    await exchange.loadMarkets();
  });
  afterAll(() => exchange.close());

  test('all pairs are listed with steps and smallest orders', () => {
    const markets = Object.values(exchange.markets ?? {});
    expect(markets.filter((market) => market.quote === 'USDT').length).toBeGreaterThanOrEqual(20);
    expect(markets.filter((market) => market.quote === 'USDC').length).toBeGreaterThanOrEqual(5);
    for (const market of markets) {
      expect(market.active).toBe(true);
      expect(market.precision.price).toBeGreaterThan(0);
      expect(market.precision.amount).toBeGreaterThan(0);
      expect(market.limits.amount?.min).toBeGreaterThan(0);
      expect(market.limits.cost?.min).toBeGreaterThanOrEqual(5);
    }
    expect(exchange.market(symbol).precision).toMatchObject(
      id === 'binance' ? { price: 0.01, amount: 0.00001 } : { price: 0.1, amount: 0.001 },
    );
    expect(exchange.market(symbol)).toMatchObject(
      id === 'binance' ? { spot: true, margin: true } : { swap: true, linear: true, contractSize: 1 },
    );
  });

  test('the time is the time of the market', async () => {
    const before = sandbox.clock.now();
    const time = (await exchange.fetchTime())!;
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(sandbox.clock.now());
  });

  test('three months of candles can be paged without gap or overlap', async () => {
    const since = Date.UTC(2026, 1, 1);
    const rows: number[][] = [];
    for (let from = since; from < Date.UTC(2026, 4, 1);) {
      const page = (await exchange.fetchOHLCV(symbol, '15m', from, 1000)) as number[][];
      rows.push(...page);
      from = page.at(-1)![0] + 15 * minuteMs;
    }
    expect(rows.length).toBeGreaterThan(89 * 96);
    rows.forEach((row, i) => expect(row[0]).toBe(since + i * 15 * minuteMs));
  });

  test('the last row of the candles is the unfinished one', async () => {
    const before = sandbox.clock.now();
    const rows = (await exchange.fetchOHLCV(symbol, '5m')) as number[][];
    expect(rows).toHaveLength(500);
    expect(rows.at(-1)![0]).toBeGreaterThan(before - 5 * minuteMs);
    expect(rows.at(-1)![0]).toBeLessThanOrEqual(sandbox.clock.now());
  });

  test('tickers, best prices, book and executions agree', async () => {
    const ticker = await exchange.fetchTicker(symbol);
    const tickers = await exchange.fetchTickers([symbol, other]);
    const best = await exchange.fetchBidsAsks([symbol]);
    const book = await exchange.fetchOrderBook(symbol, 20);
    const before = sandbox.clock.now();
    const trades = await exchange.fetchTrades(symbol, undefined, 50);
    expect(Object.keys(tickers).sort()).toEqual([symbol, other].sort());
    expect(Object.keys(await exchange.fetchTickers()).length).toBeGreaterThanOrEqual(25);
    expect(ticker.high!).toBeGreaterThanOrEqual(ticker.last!);
    expect(ticker.low!).toBeLessThanOrEqual(ticker.last!);
    expect(ticker.baseVolume!).toBeGreaterThan(100);
    expect(best[symbol].bid!).toBeLessThan(best[symbol].ask!);
    expect(book.bids).toHaveLength(20);
    expect(book.bids[0][0]!).toBeLessThan(book.asks[0][0]!);
    expect(Math.abs(book.bids[0][0]! / ticker.last! - 1)).toBeLessThan(0.005);
    expect(trades).toHaveLength(50);
    expect(Math.abs(trades.at(-1)!.price! / ticker.last! - 1)).toBeLessThan(0.005);
    expect(trades.at(-1)!.timestamp!).toBeGreaterThan(before - 5 * secondMs);
  });

  test('an order of 1,000 USDT moves no price by more than a tenth of a per cent', async () => {
    const symbols = Object.keys(exchange.markets ?? {});
    expect(symbols.length).toBeGreaterThanOrEqual(25);
    const books = await Promise.all(symbols.map((name) => exchange.fetchOrderBook(name, 20)));
    for (const { asks, bids } of books) {
      for (const side of [asks, bids]) {
        let missing = 1000;
        let worst = side[0][0]!;
        for (const [price, amount] of side) {
          if (missing <= 0) break;
          worst = price!;
          missing -= price! * amount!;
        }
        expect(missing).toBeLessThanOrEqual(0);
        expect(Math.abs(worst / side[0][0]! - 1)).toBeLessThan(0.001);
      }
    }
  });

  test('candles, best prices, tickers, executions and book arrive as a stream', async () => {
    const before = sandbox.clock.now();
    const [candles, ticker, best, trades, book] = await Promise.all([
      exchange.watchOHLCV(symbol, '1m'),
      exchange.watchTicker(symbol),
      exchange.watchBidsAsks([symbol]),
      exchange.watchTrades(symbol),
      exchange.watchOrderBook(symbol),
    ]);
    expect(candles.at(-1)![0]! % minuteMs).toBe(0);
    expect(candles.at(-1)![0]).toBeGreaterThan(before - minuteMs);
    expect(candles.at(-1)![0]).toBeLessThanOrEqual(sandbox.clock.now());
    expect(ticker.last).toBeGreaterThan(0);
    expect(best[symbol].bid!).toBeLessThan(best[symbol].ask!);
    expect(trades[0].symbol).toBe(symbol);
    expect(book.bids.length).toBeGreaterThan(50);
  });

  test('the book of the stream stays gap-free over many changes', async () => {
    sandbox.clock.setFactor(4); // each round of the sandbox has a change
    for (let i = 0; i < 12; i++) {
      const book = await exchange.watchOrderBook(symbol);
      expect(book.bids[0][0]!).toBeLessThan(book.asks[0][0]!);
    }
    sandbox.clock.setFactor(1);
  });
});

describe('funding through unmodified ccxt', () => {
  const symbol = 'BTC/USDT:USDT'; // its tick is not that of the spot pair its mark price comes from
  const payment = 8 * hourMs;
  let exchange: ProExchange;
  beforeAll(async () => {
    exchange = await connect('binanceusdm');
    await exchange.loadMarkets();
  });
  afterAll(() => exchange.close());

  test('the history holds a payment at 0, 8 and 16 h UTC, of both signs and around 0.01 %', async () => {
    const since = Date.UTC(2026, 0, 1);
    const history = await exchange.fetchFundingRateHistory(symbol, since, 400);
    expect(history).toHaveLength(400);
    history.forEach(({ timestamp }, i) => expect(timestamp).toBe(since + i * payment));
    const rates = history.map(({ fundingRate }) => fundingRate!);
    expect(rates.some((rate) => rate < 0)).toBe(true);
    expect(Math.max(...rates.map(Math.abs))).toBeLessThan(0.001);
    expect(rates.reduce((sum, rate) => sum + rate, 0) / rates.length).toBeGreaterThan(0);
  });

  test('pages of any size and any start hold the same payments, and none of the future', async () => {
    const since = Date.UTC(2026, 4, 1);
    const whole = await exchange.fetchFundingRateHistory(symbol, since, 1000);
    const paged = [];
    for (let from = since; ;) {
      const page = await exchange.fetchFundingRateHistory(symbol, from, 7, { until: from + 20 * payment });
      if (page.length === 0) break;
      expect(page.length).toBeLessThanOrEqual(7);
      paged.push(...page);
      from = page.at(-1)!.timestamp! + 1;
    }
    const facts = (rows: typeof whole) => rows.map(({ timestamp, fundingRate }) => [timestamp, fundingRate]);
    expect(facts(paged)).toEqual(facts(whole));
    expect(whole.at(-1)!.timestamp).toBe(Math.floor(sandbox.clock.now() / payment) * payment);
    const newest = await exchange.fetchFundingRateHistory(symbol, undefined, 3);
    expect(facts(newest)).toEqual(facts(whole).slice(-3));
    const middle = await exchange.fetchFundingRateHistory(symbol, since + 1, undefined, { until: since + 2 * payment });
    expect(facts(middle)).toEqual(facts(whole).slice(1, 3));
  });

  test('the rate announced for the next payment is the one that is paid', async () => {
    const announced = await exchange.fetchFundingRate(symbol);
    const later = await startSandbox({ seed: 7, startTime: announced.fundingTimestamp! + 1000 });
    const answer = await fetch(`${later.url}/fapi/v1/fundingRate?symbol=BTCUSDT&limit=1`);
    const [paid] = (await answer.json()) as { fundingTime: number; fundingRate: string }[];
    await later.close();
    expect(announced.fundingTimestamp! - sandbox.clock.now()).toBeLessThanOrEqual(payment);
    expect(paid).toMatchObject({ fundingTime: announced.fundingTimestamp, fundingRate: announced.fundingRate!.toFixed(8) });
  });

  test('the mark price of a payment is the open of its mark candle, close to the price that is traded', async () => {
    const history = await exchange.fetchFundingRateHistory(symbol, Date.UTC(2026, 3, 1), 3);
    const marks = (await exchange.fetchMarkOHLCV(symbol, '1h', Date.UTC(2026, 3, 1), 24)) as number[][];
    const traded = (await exchange.fetchOHLCV(symbol, '1h', Date.UTC(2026, 3, 1), 24)) as number[][];
    expect(marks).toHaveLength(24);
    expect(marks.map(([time]) => time)).toEqual(traded.map(([time]) => time));
    marks.forEach((row, i) => expect(Math.abs(row[4] / traded[i][4] - 1)).toBeLessThan(0.005));
    for (const { timestamp, info } of history) {
      expect(Number((info as { markPrice: string }).markPrice)).toBe(marks.find(([time]) => time === timestamp)![1]);
    }
  });

  test('mark and index price now are close to the price that is traded', async () => {
    const { markPrice, indexPrice } = await exchange.fetchFundingRate(symbol);
    const { last } = await exchange.fetchTicker(symbol);
    expect(Math.abs(markPrice! / last! - 1)).toBeLessThan(0.005);
    expect(Math.abs(indexPrice! / markPrice! - 1)).toBeLessThan(0.005);
  });
});

test('each answer says that it is simulated', async () => {
  const answer = await fetch(`${sandbox.url}/api/v3/time`);
  expect(answer.headers.get('x-simulated')).toBe('true');
  expect(await (await fetch(sandbox.url)).text()).toContain('Simulated market');
});

test('over the request weight the answer is 429 with a time to wait', async () => {
  const small = await startSandbox({ weightLimits: { spot: 1 } });
  onTestFinished(() => small.close());
  expect((await fetch(`${small.url}/api/v3/time`)).status).toBe(200);
  const refused = await fetch(`${small.url}/api/v3/klines?symbol=BTCUSDT&interval=1m&limit=2`); // weighs 2
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await fetch(`${small.url}/fapi/v1/time`)).status).toBe(200); // each market has its own limit
});

test('a connection that nobody uses is kept so long that no call comes as it ends', async (context) => {
  const idle = await startSandbox({ controlPort: 0 });
  context.onTestFinished(() => idle.close());
  for (const address of [`${idle.url}/api/v3/ping`, `http://127.0.0.1:${idle.controlPort}/clock`])
    expect((await fetch(address)).headers.get('keep-alive')).toBe('timeout=75');
});

test('a caller that resets a refused socket ends nothing', async (context) => {
  const refusing = await startSandbox({});
  context.onTestFinished(() => refusing.close());
  const faults: unknown[] = [];
  const note = (fault: unknown): void => void faults.push(fault);
  process.on('uncaughtException', note);
  context.onTestFinished(() => void process.off('uncaughtException', note));
  const { hostname, port } = new URL(refusing.url);
  for (let i = 0; i < 50; i++) {
    const socket = createConnection(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    if (i % 2 === 0) await once(socket, 'data');
    socket.resetAndDestroy();
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(faults).toEqual([]);
});
