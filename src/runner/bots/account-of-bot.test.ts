import { aTrade } from '#engine/account/testing/a-trade.ts';
import { botState } from '#engine/bot/state.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { AccountOfBot } from './account-of-bot.ts';

const { db } = await freshDatabase();

test('closed trades are only added to, in closing order, also when there are more than are read at once', async () => {
  const botId = await addTestBot(db, { strategy: 'BuyAndHold', symbols: ['BTC/USDT'] });
  const close = (number: number, mode: 'paper' | 'live' = 'paper') =>
    db
      .insertInto('trades')
      .values(
        aTradeRow(botId, {
          mode,
          status: 'closed',
          closedAt: new Date(number),
          profit: '1',
          exitReason: 'roi',
          engineState: JSON.stringify(aTrade({ id: number })),
        }),
      )
      .execute();
  const settings = requireSettings({
    stakeAmount: 100,
    stoploss: -0.1,
    maxOpenTrades: 3,
    startingBalance: 1_000,
    tradableBalanceRatio: 0.5,
  });
  const state = botState({ botId, timeframe: '5m', settings, status: 'active', closedProfit: 4 });
  const account = new AccountOfBot(db, { botId, mode: 'paper' }, 3);
  const closed = async (count: number) => (await account.now(state, count)).closed.map(({ id }) => id);

  for (const number of [1, 2, 3, 4]) await close(number);
  await close(9, 'live');
  expect(await closed(4)).toEqual([2, 3, 4]); // the newest
  await close(5);
  expect(await closed(4)).toEqual([2, 3, 4]); // read again when the bot has closed one more
  expect(await closed(5)).toEqual([2, 3, 4, 5]);
  await close(6);
  await close(7);
  expect(await closed(7)).toEqual([2, 3, 4, 5, 6, 7]);
  expect(await account.now(state, 7)).toMatchObject({ startingBalance: 500, wallet: { free: 1_004, total: 502 }, open: [] });
});

test('trades that were imported are none that a strategy is shown: the engine has not made them, and keeps nothing of them', async () => {
  const botId = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'moved here', symbols: ['BTC/USDT'] });
  const row = (number: number, given: object) =>
    aTradeRow(botId, { status: 'closed', mode: 'paper', closedAt: new Date(number), profit: '1', exitReason: 'roi', ...given });
  await db
    .insertInto('trades')
    .values([
      row(1, { engineState: JSON.stringify({ priceTick: 0.01 }), importedFrom: 'freqtrade' }),
      row(2, { engineState: JSON.stringify(aTrade({ id: 2 })) }),
    ])
    .execute();
  const settings = requireSettings({ stakeAmount: 100, stoploss: -0.1, maxOpenTrades: 3, startingBalance: 1_000 });
  const state = botState({ botId, timeframe: '5m', settings, status: 'active' });
  expect((await new AccountOfBot(db, { botId, mode: 'paper' }).now(state, 1)).closed.map(({ id }) => id)).toEqual([2]);
});
