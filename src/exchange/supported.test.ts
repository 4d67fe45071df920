import { exchanges } from 'ccxt';
import { describe, expect, test } from 'vitest';
import { type MarketType, marketTypes } from '#engine/market/instrument.ts';
import { connect } from './connect.ts';
import { assertLoopback, sandboxUrls, type UrlTable } from './loopback.ts';
import { createMarketData } from './market-data.ts';
import { exchangeListing, offeredExchanges } from './supported.ts';

describe('the offered exchanges', () => {
  test('API-28 each has an id and a name, the sandbox among them', () => {
    const offered = offeredExchanges();
    expect(offered[0]).toEqual({ id: 'sandbox', name: 'Sandbox' });
    expect(offered).toContainEqual({ id: 'binance', name: 'Binance' });
    expect(new Set(offered.map(({ id }) => id)).size).toBe(offered.length);
  });

  test('OP-37 test networks are own entries where they are switched on and exist', () => {
    const ids = ['sandbox', 'bybit', 'kucoin'];
    expect(offeredExchanges({ ids })).toEqual([
      { id: 'sandbox', name: 'Sandbox' },
      { id: 'bybit', name: 'Bybit' },
      { id: 'kucoin', name: 'KuCoin' },
    ]);
    expect(offeredExchanges({ ids, testnets: true })).toContainEqual({ id: 'bybit_testnet', name: 'Bybit Testnet' });
    expect(offeredExchanges({ ids, testnets: true }).some(({ id }) => id === 'kucoin_testnet')).toBe(false);
  });

  test('every exchange ccxt knows can be reached by its id, no other', () => {
    for (const id of Object.keys(exchanges)) expect(exchangeListing(id)?.name).toBeTruthy();
    expect(exchangeListing('constructor')).toBeNull();
    expect(exchangeListing('no-such-exchange')).toBeNull();
    expect(() => connect({ exchangeId: 'no-such-exchange', marketType: 'spot' })).toThrow(/There is no exchange/);
  });
});

test('every offered exchange can be set up for every market type without a word to the world', async () => {
  for (const { id } of offeredExchanges({ testnets: true })) {
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
