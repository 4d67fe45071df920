import { exchanges } from 'ccxt';
import { describe, expect, test } from 'vitest';
import { type MarketType, marketTypes } from '#engine/market/instrument.ts';
import { connect } from './connect.ts';
import { defaultExchanges } from './default-exchanges.ts';
import { assertLoopback, sandboxUrls, type UrlTable } from './loopback.ts';
import { createMarketData } from './market-data.ts';
import { exchangeListing } from './supported.ts';

describe('the exchanges that can be connected to', () => {
  test('OP-37 the test network of an exchange has an id and a name of its own, where there is one', () => {
    expect(exchangeListing('bybit_testnet')).toEqual({ id: 'bybit_testnet', name: 'Bybit Testnet' });
    expect(exchangeListing('kucoin_testnet')).toBeNull();
  });

  test('every exchange ccxt knows can be reached by its id, no other', () => {
    for (const id of Object.keys(exchanges)) expect(exchangeListing(id)?.name).toBeTruthy();
    expect(exchangeListing('constructor')).toBeNull();
    expect(exchangeListing('no-such-exchange')).toBeNull();
    expect(() => connect({ exchangeId: 'no-such-exchange', marketType: 'spot' })).toThrow('The exchange "no-such-exchange" is not known.');
  });
});

test('every offered exchange, and each test network, can be set up for every market type', async () => {
  const ids = defaultExchanges.flatMap(({ id }) => [id, `${id}_testnet`]).filter((id) => exchangeListing(id) !== null);
  expect(ids).toContain('binance_testnet');
  for (const id of ids) {
    for (const marketType of marketTypes) {
      const data = createMarketData({ exchangeId: id, marketType, sandboxUrl: 'http://127.0.0.1:9' });
      expect(data).toMatchObject({ exchangeId: id, marketType });
      await data.close();
    }
  }
});

test('all connections to one exchange share its request budget, others do not', () => {
  const budgetOf = (exchangeId: string, marketType: MarketType, port: number) =>
    connect({ exchangeId, marketType, sandboxUrl: `http://127.0.0.1:${port}` }).budget;
  expect(budgetOf('sandbox', 'spot', 9)).toBe(budgetOf('sandbox', 'margin', 9));
  expect(budgetOf('sandbox', 'spot', 9)).not.toBe(budgetOf('sandbox', 'futures', 9));
  expect(budgetOf('sandbox', 'spot', 9)).not.toBe(budgetOf('sandbox', 'spot', 10));
  expect(budgetOf('binance', 'spot', 9)).not.toBe(budgetOf('sandbox', 'spot', 9));
});

describe('the way to the sandbox', () => {
  const sandboxUrl = 'http://127.0.0.1:9';

  test('no section of any address is left to point at the real exchange', () => {
    for (const marketType of ['spot', 'margin', 'futures'] as const) {
      const { client } = connect({ exchangeId: 'sandbox', marketType, sandboxUrl });
      expect(() => assertLoopback(client.urls.api)).not.toThrow();
      expect(client.id).toBe(marketType === 'futures' ? 'binanceusdm' : 'binance');
    }
  });

  test('one foreign address among many is found', () => {
    const real: UrlTable = { public: 'https://api.binance.com/api/v3', ws: { spot: 'wss://stream.binance.com:9443/ws' } };
    const table = sandboxUrls(real, sandboxUrl);
    expect(table).toEqual({ public: 'http://127.0.0.1:9/api/v3', ws: { spot: 'ws://127.0.0.1:9/stream/ws' } });
    expect(() => assertLoopback({ ...table, sapi: 'https://api.binance.com/sapi/v1' })).toThrow(/its section sapi leads to/);
    expect(() => assertLoopback({ ws: { spot: 'not an address' } })).toThrow(/its section spot/);
  });

  test('without its address the sandbox is refused', () => {
    expect(() => connect({ exchangeId: 'sandbox', marketType: 'spot' })).toThrow(/address of the sandbox is not known/);
  });

  test('a testnet points at the addresses ccxt names for it', () => {
    const { client } = connect({ exchangeId: 'binance_testnet', marketType: 'futures' });
    expect(JSON.stringify(client.urls.api)).not.toContain('fapi.binance.com');
  });
});
