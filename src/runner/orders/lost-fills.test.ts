import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { openDifferences } from '#storage/differences/differences.ts';
import { anOrderRow, aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { AccountCheck } from './account-check.ts';

const { db } = await freshDatabase();
const symbol = 'BTC/USDT:USDT';

test.each([
  ['a minute ago are on their way', 1, []],
  ['two hours ago are lost, and a person decides about what they have changed', 120, [symbol]],
])('ADD-differences the fills of an exit that has ended %s', async (_name, minutes, differing) => {
  const botId = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `bot ${minutes}`, marketType: 'futures', symbols: [symbol] });
  const apiKeyId = await goLive(db, botId);
  const trade = aTradeRow(botId, {
    symbol,
    mode: 'testnet',
    amount: 2,
    engineState: JSON.stringify({ amountStep: 0.001, contractSize: 1 }),
  });
  const ended = new Date(Date.now() - minutes * 60_000);
  const exit = anOrderRow(trade, { purpose: 'stop', side: 'sell', status: 'filled', filled: 2, acknowledgedAt: ended, closedAt: ended });
  await writeTrades(db, [{ trade, orders: [exit], fills: [] }]);
  const instruments = [anInstrument({ symbol, marketType: 'futures' })];
  const common = { balances: { USDT: 1_000 }, time: Date.now(), remembersIds: 'always', feeCurrency: 'quote' } as const;
  const venue = new InMemoryVenue({ accountId: apiKeyId, instruments, ...common }); // which holds nothing any more
  let looks = 0;
  const check = new AccountCheck(db, venue, 'futures', { doubt: () => undefined, isCertainOf: () => true }, () => (looks += 1_000));
  for (let i = 0; i < 2; i++) await check.run();
  expect((await openDifferences(db, apiKeyId)).map((each) => each.symbol)).toEqual(differing);
});
