import { botState } from '#engine/bot/state.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { expect, test } from 'vitest';
import { MemoryDisk } from '../simulation/memory-disk.ts';
import { World } from '../simulation/world.ts';
import { drillDifferences } from './drill-books.ts';

/** What differs at the end of a drill that began with 1000 USDT and a coin, and has traded nothing as far as its bot knows. */
async function differences(balances: Record<string, number>): Promise<string[]> {
  const instrument = anInstrument();
  const settings = requireSettings({ stakeAmount: 10, maxOpenTrades: 1, startingBalance: 100, stoploss: -0.1, minimalRoi: {} });
  const state = botState({ botId: 'b', timeframe: '1m', status: 'active', settings });
  return await drillDifferences({
    disk: new MemoryDisk(new World(1, 0), state, [instrument.symbol]),
    venue: new InMemoryVenue({
      accountId: 'a',
      instruments: [instrument],
      balances,
      time: 0,
      remembersIds: 'always',
      feeCurrency: 'quote',
    }),
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
