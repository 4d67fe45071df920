import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { botSettingsOf, changeBotSettings } from '../bots/bot-settings.ts';
import { findBot } from '../bots/bots.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { closedBefore } from './day-rows.ts';

const { db } = await freshDatabase();
const day = (n: number) => new Date(Date.UTC(2026, 2, n));

test('what a bot has closed before a day is in its stake currency: with another one its wallet began again', async () => {
  const botId = await addTestBot(db, { strategy: 'AlwaysFlat' });
  const close = (on: number, profit: number, symbol = 'BTC/USDT') =>
    writeTrades(db, [{ trade: aTradeRow(botId, { status: 'closed', closedAt: day(on), profit, symbol }), orders: [], fills: [] }]);
  const change = (on: number, stakeCurrency: string) =>
    db.transaction().execute(async (trx) => {
      const bot = await findBot(trx, botId);
      if (bot === null) throw new Error('The bot does not exist');
      await changeBotSettings(trx, bot, { ...botSettingsOf(bot), stakeCurrency }, bot.userId, day(on));
    });
  const before = (on: number) => closedBefore(db, { botId, mode: 'paper', from: day(on), to: day(on + 1) }, 'protections');
  await close(1, -100);
  expect((await before(2)).profit).toBe(-100);
  await change(2, 'BTC');
  expect((await before(3)).profit).toBe(0);
  await close(3, 0.05, 'ETH/BTC');
  const { profit, newest } = await before(4);
  expect([profit, newest.length]).toEqual([0.05, 2]); // protections go by the trades of before, too, as the runner's do
  await change(4, 'USDT');
  await close(5, 7);
  expect((await before(6)).profit).toBe(7);
});
