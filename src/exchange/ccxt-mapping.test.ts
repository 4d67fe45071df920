import { pro } from 'ccxt';
import { expect, test } from 'vitest';
import type { Instrument } from '#engine/market/instrument.ts';
import { truncateAmount } from '#engine/market/rounding.ts';
import { toInstruments, toOrderBook, toQuote } from './ccxt-mapping.ts';
import type { CcxtClient } from './ccxt-client.ts';

// As OKX publishes it (GET /api/v5/public/instruments), shortened to what is read: 0.01 BTC a contract, in steps of 0.1 contract.
const published = {
  instType: 'SWAP',
  instId: 'BTC-USDT-SWAP',
  instFamily: 'BTC-USDT',
  uly: 'BTC-USDT',
  settleCcy: 'USDT',
  ctType: 'linear',
  ctVal: '0.01',
  ctMult: '1',
  ctValCcy: 'BTC',
  lotSz: '0.1',
  minSz: '0.1',
  tickSz: '0.1',
  lever: '100',
  state: 'live',
  maxLmtSz: '100000000',
  maxMktSz: '12000',
};

test('the amounts of an order book are in coins, where the exchange counts contracts too', () => {
  const published = { bids: [[99, 50]], asks: [[100, 200]], timestamp: 5 } as unknown as Parameters<typeof toOrderBook>[0];
  const book = toOrderBook(published, 'okx', 'BTC/USDT:USDT', 5, 0.01, 9);
  expect(book).toEqual({ symbol: 'BTC/USDT:USDT', bids: [[99, 0.5]], asks: [[100, 2]], time: 5 });
});

test('the step of an amount is in contracts, its limits are in coins', () => {
  const client = new pro.okx();
  const market = client.parseMarket(published);
  Object.assign(market?.limits ?? {}, { amount: { min: 0.1, max: 12_000 } });
  const [instrument] = toInstruments(client as unknown as CcxtClient, [market], 'futures');
  expect(instrument).toMatchObject({ symbol: 'BTC/USDT:USDT', contractSize: 0.01, amountStep: 0.1, priceTick: 0.1 });
  expect(instrument).toMatchObject({ minAmount: 0.001, maxAmount: 120 });
  // 0.12345 BTC are 12.345 contracts: 12.3 can be ordered.
  expect(truncateAmount(0.12345, instrument.amountStep, instrument.contractSize)).toBeCloseTo(0.123, 12);
});

test.each([
  [{ max: 9_000_000 }, 9_000_000],
  [{ max: 0 }, Infinity],
  [{}, Infinity],
])('the largest value of an order: %o', (cost, expected) => {
  const client = new pro.okx();
  const market = client.parseMarket(published);
  Object.assign(market?.limits ?? {}, { cost });
  const [instrument] = toInstruments(client as unknown as CcxtClient, [market], 'futures');
  expect(instrument?.maxCost).toBe(expected);
});

test.each([
  ['less than that of other orders', { amount: { max: 20_000 }, market: { max: 12_000 } }, { maxAmount: 200, maxMarketAmount: 120 }],
  ['the only one', { amount: {}, market: { max: 12_000 } }, { maxAmount: Infinity, maxMarketAmount: 120 }],
  ['zero, as where there is none', { amount: { max: 20_000 }, market: { max: 0 } }, { maxAmount: 200 }],
  ['the only one, beside a zero', { amount: { max: 0 }, market: { max: 12_000 } }, { maxAmount: Infinity, maxMarketAmount: 120 }],
  ['no less', { amount: { max: 20_000 }, market: { max: 20_000 } }, { maxAmount: 200 }],
  ['not known', { amount: { max: 20_000 } }, { maxAmount: 200 }],
])('the largest amount of a market order, in coins: %s', (_name, limits, expected) => {
  const client = new pro.okx();
  const market = client.parseMarket(published);
  Object.assign(market?.limits ?? {}, { market: undefined, ...limits });
  const [{ maxAmount, maxMarketAmount }] = toInstruments(client as unknown as CcxtClient, [market], 'futures') as [Instrument];
  expect(maxMarketAmount === undefined ? { maxAmount } : { maxAmount, maxMarketAmount }).toEqual(expected);
});

test('a quote is as old as the newer of its two parts, and of now only where neither says when it was', () => {
  const timeOf = (best?: number, ticker?: number) =>
    toQuote('BTC/USDT', { bid: 99, ask: 101, timestamp: best } as never, { last: 100, timestamp: ticker } as never, 100_000)?.time;
  expect([timeOf(5_000, 7_000), timeOf(9_000, 7_000), timeOf(5_000), timeOf(undefined, 7_000), timeOf()]).toEqual([
    7_000, 9_000, 5_000, 7_000, 100_000,
  ]);
});
