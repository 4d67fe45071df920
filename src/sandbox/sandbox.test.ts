import { type Exchange, pro } from 'ccxt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
    enableRateLimit: true,
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
    const time = (await exchange.fetchTime())!;
    expect(Math.abs(time - sandbox.clock.now())).toBeLessThan(1000);
  });

  test('three months of candles can be paged without gap or overlap', async () => {
    const hour = 3_600_000;
    const since = Date.UTC(2026, 1, 1);
    const rows: number[][] = [];
    for (let from = since; from < Date.UTC(2026, 4, 1);) {
      const page = (await exchange.fetchOHLCV(symbol, '15m', from, 1000)) as number[][];
      rows.push(...page);
      from = page.at(-1)![0] + hour / 4;
    }
    expect(rows.length).toBeGreaterThan(89 * 96);
    rows.forEach((row, i) => expect(row[0]).toBe(since + (i * hour) / 4));
  });

  test('the last row of the candles is the unfinished one', async () => {
    const rows = (await exchange.fetchOHLCV(symbol, '5m')) as number[][];
    expect(rows).toHaveLength(500);
    const age = sandbox.clock.now() - rows.at(-1)![0];
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(300_000);
  });

  test('tickers, best prices, book and executions agree', async () => {
    const ticker = await exchange.fetchTicker(symbol);
    const tickers = await exchange.fetchTickers([symbol, other]);
    const best = await exchange.fetchBidsAsks([symbol]);
    const book = await exchange.fetchOrderBook(symbol, 20);
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
    expect(sandbox.clock.now() - trades.at(-1)!.timestamp!).toBeLessThan(5000);
  });

  test('an order of 1,000 USDT moves no price by more than a tenth of a per cent', async () => {
    for (const market of Object.values(exchange.markets ?? {})) {
      const { asks, bids } = await exchange.fetchOrderBook(market.symbol, 20);
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
    const [candles, ticker, best, trades, book] = await Promise.all([
      exchange.watchOHLCV(symbol, '1m'),
      exchange.watchTicker(symbol),
      exchange.watchBidsAsks([symbol]),
      exchange.watchTrades(symbol),
      exchange.watchOrderBook(symbol),
    ]);
    expect(candles.at(-1)![0]).toBe(Math.floor(sandbox.clock.now() / 60_000) * 60_000);
    expect(ticker.last).toBeGreaterThan(0);
    expect(best[symbol].bid!).toBeLessThan(best[symbol].ask!);
    expect(trades[0].symbol).toBe(symbol);
    expect(book.bids.length).toBeGreaterThan(50);
  });

  test('the book of the stream stays gap-free over many changes', async () => {
    for (let i = 0; i < 12; i++) {
      const book = await exchange.watchOrderBook(symbol);
      expect(book.bids[0][0]!).toBeLessThan(book.asks[0][0]!);
    }
  });
});

test('funding, mark price and index of the perpetuals can be asked for', async () => {
  const exchange = (await connect('binanceusdm')) as unknown as Exchange;
  const rate = await exchange.fetchFundingRate('ETH/USDT:USDT');
  expect(rate.markPrice).toBeGreaterThan(0);
  expect(rate.fundingTimestamp! % 28_800_000).toBe(0);
  const history = await exchange.fetchFundingRateHistory('ETH/USDT:USDT', Date.UTC(2026, 3, 1), 60);
  expect(history).toHaveLength(60);
  const mark = (await exchange.fetchOHLCV('ETH/USDT:USDT', '1h', Date.UTC(2026, 3, 1), 10, { price: 'mark' })) as number[][];
  const last = (await exchange.fetchOHLCV('ETH/USDT:USDT', '1h', Date.UTC(2026, 3, 1), 10)) as number[][];
  mark.forEach((row, i) => expect(Math.abs(row[4] / last[i][4] - 1)).toBeLessThan(0.01));
  await (exchange as unknown as ProExchange).close();
});

test('each answer says that it is simulated', async () => {
  const answer = await fetch(`${sandbox.url}/api/v3/time`);
  expect(answer.headers.get('x-simulated')).toBe('true');
  expect(await (await fetch(sandbox.url)).text()).toContain('Simulated market');
});

test('over the request weight the answer is 429 with a time to wait', async () => {
  const small = await startSandbox({ weightLimits: { spot: 30 } });
  const statuses: number[] = [];
  for (let i = 0; i < 20; i++) statuses.push((await fetch(`${small.url}/api/v3/klines?symbol=BTCUSDT&interval=1m&limit=2`)).status);
  const refused = await fetch(`${small.url}/api/v3/time`);
  await small.close();
  expect(statuses).toContain(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});
