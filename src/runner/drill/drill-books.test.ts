import { botState } from '#engine/bot/state.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import type { OrderRequest } from '#engine/ports/trading.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { expect, test } from 'vitest';
import { MemoryDisk } from '../simulation/memory-disk.ts';
import { World } from '../simulation/world.ts';
import { aStoredOrder } from '../orders/testing/a-stored-order.ts';
import { drillDifferences } from './drill-books.ts';

/** What differs at the end of a drill that began with 1000 USDT and a coin, and has traded nothing but one order as far as its bot knows. */
async function differences(
  balances: Record<string, number>,
  order: Partial<OrderRequest> | null = null,
  instrument = anInstrument(),
): Promise<string[]> {
  const settings = requireSettings({ stakeAmount: 10, maxOpenTrades: 1, startingBalance: 100, stoploss: -0.1, minimalRoi: {} });
  const state = botState({ botId: 'b', timeframe: '1m', status: 'active', settings });
  const disk = new MemoryDisk(new World(1, 0), state, [instrument.symbol]);
  const venue = new InMemoryVenue({
    accountId: 'a',
    instruments: [instrument],
    balances,
    time: 0,
    remembersIds: 'always',
    feeCurrency: 'quote',
  });
  venue.setPrices(instrument.symbol, { bid: 100, ask: 100 });
  if (order !== null) {
    const made = await venue.place(anOrderRequest({ clientOrderId: 'b-1', symbol: instrument.symbol, expiresAt: 1, ...order }));
    disk.rows = new Map([['b-1', { ...aStoredOrder({ botId: 'b', clientOrderId: 'b-1', symbol: instrument.symbol }), ...made }]]);
  }
  return await drillDifferences({
    disk,
    venue,
    pairs: [{ instrument, price: 100 }],
    startingBalances: { USDT: 1_000, BTC: 1 },
    bids: new Map(),
  });
}

test.each([
  ['nothing where the account has what it began with', { USDT: 1_000, BTC: 1 }, []],
  ['that coins are missing', { USDT: 1_000, BTC: 0.75 }, ['0.25 BTC are missing.']],
  ['that money is missing', { USDT: 990, BTC: 1 }, ['The account has gained -10 USDT, and the books say 0.']],
])('the books of a drill say %s', async (_, balances, said) => {
  expect(await differences(balances)).toEqual(said);
});

test('the books of a drill say that an order still stands', async () => {
  const stop = { side: 'sell', type: 'stop', amount: 1, stopPrice: 90 } as const;
  expect(await differences({ USDT: 1_000, BTC: 1 }, stop)).toEqual(['Order b-1 still stands at the end.']);
});

test('the books of a drill say that a position is left', async () => {
  const perpetual = anInstrument({ symbol: 'BTC/USDT:USDT', marketType: 'futures', takerFee: 0 });
  expect(await differences({ USDT: 1_000 }, { amount: 2 }, perpetual)).toEqual(['A position of 2 BTC/USDT:USDT is left.']);
});
