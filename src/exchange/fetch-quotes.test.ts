import { AuthenticationError, NetworkError, pro } from 'ccxt';
import { expect, test } from 'vitest';
import type { CcxtClient } from './ccxt-client.ts';
import { fetchQuotes } from './fetch-quotes.ts';

const time = Date.UTC(2026, 2, 3, 10);
const ids = new Map([
  ['BTC/USD', 'BTC-USD'],
  ['ETH/USD', 'ETH-USD'],
  ['SOL/USD', 'SOL-USD'],
]);

/** A client of ccxt without a key whose exchange answers as Coinbase: the list of all products has no best prices, the ticker of one has. */
function coinbase({ silent = [] }: { silent?: readonly string[] } = {}) {
  const asked: string[] = [];
  const idOf = (symbol: string) => ids.get(symbol) ?? '';
  const symbolOf = (id: string) => [...ids].find(([, each]) => each === id)?.[0] ?? id;
  const client = Object.assign(new pro.coinbase(), {
    markets: {},
    market: (symbol: string) => ({ id: idOf(symbol), symbol, type: 'spot' }),
    marketSymbols: (symbols: readonly string[]) => symbols,
    marketIds: (symbols: readonly string[]) => symbols.map(idOf),
    getMarketFromSymbols: () => ({ type: 'spot' }),
    safeMarket: (id: string) => ({ id, symbol: symbolOf(id) }),
    fetch2: async (path: string, api: readonly string[], _method: string, { product_id: id }: { product_id?: string }) => {
      if (api.includes('private')) throw new AuthenticationError('coinbase requires "apiKey" credential');
      asked.push(id ?? path);
      if (id === undefined) return { products: [...ids.values()].map((each) => ({ product_id: each, price: '100' })) };
      if (silent.includes(id)) throw new NetworkError(`no answer about ${id}`);
      return { trades: [{ product_id: id, price: '100', time: new Date(time).toISOString() }], best_bid: '99', best_ask: '101' };
    },
  });
  const logs: string[] = [];
  const quotes = (symbols: readonly string[]) =>
    fetchQuotes(client as unknown as CcxtClient, symbols, time, (message) => logs.push(message));
  return { quotes, asked, logs };
}

const priced = (symbol: string) => ({ symbol, bid: 99, ask: 101, last: 100, time });

test('where neither the tickers of all nor anything else without a key has best prices, each symbol is asked for', async () => {
  const { quotes, asked, logs } = coinbase();
  expect(await quotes(['BTC/USD', 'ETH/USD'])).toEqual([priced('BTC/USD'), priced('ETH/USD')]);
  expect(asked).toEqual(['brokerage/market/products', 'BTC-USD', 'ETH-USD']);
  expect(logs).toEqual([]); // every few seconds, and nobody can do anything about it
});

test('of symbols that are asked for one by one, one without an answer costs no other its price', async () => {
  const { quotes, logs } = coinbase({ silent: ['ETH-USD'] });
  expect(await quotes(['BTC/USD', 'ETH/USD', 'SOL/USD'])).toEqual([priced('BTC/USD'), priced('SOL/USD')]);
  expect(logs).toEqual([expect.stringContaining('no answer about ETH-USD')]);
});

test('an exchange that answers for none of the symbols has failed', async () => {
  const { quotes } = coinbase({ silent: ['BTC-USD', 'ETH-USD'] });
  await expect(quotes(['BTC/USD', 'ETH/USD'])).rejects.toThrow('no answer about BTC-USD');
});
