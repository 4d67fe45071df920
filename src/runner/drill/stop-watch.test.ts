import { aTrade } from '#engine/account/testing/a-trade.ts';
import { botState } from '#engine/bot/state.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import type { OrderRequest } from '#engine/ports/trading.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { expect, test } from 'vitest';
import { StopWatch } from './stop-watch.ts';

const symbols = { spot: 'BTC/USDT', futures: 'BTC/USDT:USDT' } as const;

/** The watch over an account that holds a coin, or is short of one, for a trade of its bot. */
async function rig(marketType: 'spot' | 'futures') {
  const symbol = symbols[marketType];
  const venue = new InMemoryVenue({
    accountId: 'a',
    instruments: [anInstrument({ symbol, marketType })],
    balances: { USDT: 1_000, ...(marketType === 'spot' ? { BTC: 1 } : {}) },
    time: 0,
    remembersIds: 'always',
    feeCurrency: 'quote',
  });
  venue.setPrices(symbol, { bid: 100, ask: 100 });
  const place = (clientOrderId: string, order: Partial<OrderRequest>) =>
    venue.place(anOrderRequest({ amount: 1, ...order, clientOrderId, symbol, expiresAt: Infinity }));
  if (marketType === 'futures') await place('1', { side: 'sell' });
  const settings = requireSettings({ stakeAmount: 10, maxOpenTrades: 1, startingBalance: 100, stoploss: -0.1, minimalRoi: {} });
  const state = botState({ botId: 'b', timeframe: '1m', status: 'active', settings });
  const watch = new StopWatch(venue, { state: { ...state, trades: [aTrade({ symbol })] } });
  return { venue, place, watch, check: (now: number) => watch.check(symbol, now) };
}

test.each([
  ['a long', 'spot', 'buy', 'sell'],
  ['a short', 'futures', 'sell', 'buy'],
] as const)(
  'an entry that waits does not protect what is held: %s is without a stop until one stands',
  async (_, market, enters, leaves) => {
    const { venue, place, watch, check } = await rig(market);
    await place('2', { side: enters, type: 'limit', price: enters === 'buy' ? 50 : 150 });
    await check(1_000);
    await check(6_000);
    expect(watch.longestMs).toBe(5_000);
    await place('3', { side: leaves, type: 'stop', stopPrice: leaves === 'sell' ? 90 : 110, reduceOnly: market === 'futures' });
    expect((await venue.openOrders()).map(({ side }) => side).toSorted()).toEqual(['buy', 'sell']);
    await check(7_000);
    await check(60_000);
    expect(watch.longestMs).toBe(5_000);
  },
);
