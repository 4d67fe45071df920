import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { botSettingsOf, changeBotSettings } from '../bots/bot-settings.ts';
import { findBot, setBotMode } from '../bots/bots.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { capitalUntil, closedBefore } from './day-rows.ts';

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

test('the capital of a bot until a time is what it had in the mode, and in the currency alone', async () => {
  const botId = await addTestBot(db, { strategy: 'AlwaysFlat', stakeAmount: 10_000 });
  const change = (on: number, given: { stakeAmount?: string; stakeCurrency?: string }) =>
    db.transaction().execute(async (trx) => {
      const bot = (await findBot(trx, botId))!;
      await changeBotSettings(trx, bot, { ...botSettingsOf(bot), ...given }, bot.userId, day(on));
    });
  const until = async (on: number, mode: TradeMode, currency = 'USDT') => {
    const capital = await capitalUntil(db, { botId, mode, to: day(on) }, currency);
    return capital === null ? null : Number(capital);
  };
  expect([await until(5, 'paper'), await until(5, 'testnet')]).toEqual([30_000, null]);
  await change(6, { stakeAmount: '20000' });
  await setBotMode(db, botId, 'live'); // at the sandbox
  await sql`update bot_capitals set since = ${day(9)} where bot_id = ${botId} and mode = 'testnet'`.execute(db);
  await change(12, { stakeAmount: '10' });
  // What a change has brought is not of the stretch that ends with it; what came in the midst of a stretch is.
  expect([await until(6, 'paper'), await until(7, 'paper'), await until(13, 'paper')]).toEqual([30_000, 60_000, 60_000]);
  expect([await until(9, 'testnet'), await until(10, 'testnet'), await until(12, 'testnet'), await until(13, 'testnet')]).toEqual([
    null,
    60_000,
    60_000,
    30,
  ]);
  expect(await until(13, 'live')).toBeNull();
  await change(14, { stakeCurrency: 'BTC' });
  expect([await until(14, 'testnet'), await until(15, 'testnet'), await until(15, 'testnet', 'BTC')]).toEqual([30, null, 30]);
});
