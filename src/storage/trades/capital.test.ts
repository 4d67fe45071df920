import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { addToFigures, writeTrades } from './trade-writes.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import type { TradeMode } from './trade-mode.ts';
import { tradeModeOf } from './trade-mode.ts';
import type { BotSettings } from '../bots/bot-settings.ts';
import { botSettingsOf, changeBotSettings } from '../bots/bot-settings.ts';
import type { BotView } from '../bots/bots.ts';
import { findBot, setBotMode } from '../bots/bots.ts';

const { db } = await freshDatabase();
const time = Date.parse('2026-03-01T12:00:00Z');
let id = '';
let changes = 0;

beforeEach(async () => {
  await sql`truncate bots cascade`.execute(db);
  id = await addTestBot(db, { strategy: 'EmaCross', stakeAmount: 100, maxOpenTrades: 3 }); // 300, on paper
});

const bot = async (): Promise<BotView> => {
  const found = await findBot(db, id);
  if (found === null) throw new Error('The bot does not exist');
  return found;
};
const capital = async (): Promise<number> => Number((await bot()).startingBalance);
const change = async (given: Partial<BotSettings>): Promise<void> => {
  const now = new Date(Date.now() + ++changes);
  await db.transaction().execute(async (trx) => {
    const before = await bot();
    await changeBotSettings(trx, before, { ...botSettingsOf(before), ...given }, before.userId, now);
  });
};
/** A trade closed in the mode that the bot is in, as its runner writes it. */
const close = async (profit: number): Promise<void> => {
  const { startingBalance, ...row } = await bot();
  await addToFigures(db, { botId: id, mode: tradeModeOf(row), startingBalance, profit, fees: '0', closedAt: new Date(time) });
};
const peak = async (mode: TradeMode): Promise<number | null> => {
  const row = await db.selectFrom('botFigures').select('peakBalance').where('botId', '=', id).where('mode', '=', mode).executeTakeFirst();
  return row === undefined ? null : Number(row.peakBalance);
};

describe('OP-70 the capital of a bot', () => {
  test('that traded large on paper and goes live small is what it is live with, and its drawdown is measured from that', async () => {
    await change({ stakeAmount: '10000' });
    await close(-500);
    await change({ stakeAmount: '10' });
    expect(await capital()).toBe(30_000); // on paper it stays
    await setBotMode(db, id, 'live');
    expect(await capital()).toBe(30);
    await close(-12);
    expect(await peak('testnet')).toBe(30);
    const { maxDrawdownRatio } = await db
      .selectFrom('botFigures')
      .select('maxDrawdownRatio')
      .where('mode', '=', 'testnet')
      .executeTakeFirstOrThrow();
    expect(Number(maxDrawdownRatio)).toBe(0.4);
  });

  test('is again what it was in a mode that it comes back to, unless more is needed; its peaks in others stay', async () => {
    await close(20); // peak 320
    await setBotMode(db, id, 'live');
    await change({ stakeAmount: '10' }); // 30: none is closed
    await close(5); // peak 35
    await change({ stakeAmount: '5' });
    expect([await capital(), await peak('testnet'), await peak('paper')]).toEqual([30, 35, 320]);
    await setBotMode(db, id, 'paper');
    expect([await capital(), await peak('testnet'), await peak('paper')]).toEqual([300, 35, 320]);
    await change({ stakeAmount: '1000' }); // 3,000 on paper
    await change({ stakeAmount: '20' });
    expect([await capital(), await peak('testnet'), await peak('paper')]).toEqual([3_000, 35, 3_020]);
    await setBotMode(db, id, 'live');
    expect([await capital(), await peak('testnet'), await peak('paper')]).toEqual([60, 65, 3_020]); // 20 x 3 are more than 30
    await setBotMode(db, id, 'paper');
    expect([await capital(), await peak('testnet'), await peak('paper')]).toEqual([3_000, 65, 3_020]);
  });

  test('at a test network is none of what it has with real money, also when only its exchange changes', async () => {
    await setBotMode(db, id, 'live'); // at the sandbox
    await change({ stakeAmount: '10000' });
    await close(-500);
    await change({ stakeAmount: '10' });
    expect(await capital()).toBe(30_000);
    await change({ exchangeId: 'binance' });
    expect([await capital(), await peak('testnet'), await peak('live')]).toEqual([30, 30_000, null]);
    await close(3);
    await change({ exchangeId: 'sandbox' });
    expect([await capital(), await peak('testnet'), await peak('live')]).toEqual([30_000, 30_000, 33]);
  });

  test('is that of its stake in a mode that it comes back to without having traded in it', async () => {
    await setBotMode(db, id, 'live');
    await setBotMode(db, id, 'paper');
    await close(20);
    await change({ stakeAmount: '10' });
    await setBotMode(db, id, 'live');
    expect(await capital()).toBe(30);
  });

  test('stays under a trade that is open: what is lost by it is of what the bot had when it was opened', async () => {
    await close(20);
    await setBotMode(db, id, 'live');
    await change({ stakeAmount: '1000' }); // 3,000
    const trade = aTradeRow(id, { mode: 'testnet', entryPrice: null });
    await writeTrades(db, [{ trade, orders: [], fills: [] }]);
    await change({ stakeAmount: '900' });
    expect(await capital()).toBe(2_700); // nothing is bought yet
    await writeTrades(db, [{ trade: { ...trade, entryPrice: 100 }, orders: [], fills: [] }]);
    await change({ stakeAmount: '10' });
    expect(await capital()).toBe(2_700);
  });

  test('begins again with another stake currency, in every mode', async () => {
    await close(20);
    await setBotMode(db, id, 'live');
    await setBotMode(db, id, 'paper');
    await change({ stakeCurrency: 'BTC', stakeAmount: '0.1' });
    expect(await capital()).toBe(0.3);
    await setBotMode(db, id, 'live');
    expect(await capital()).toBe(0.3);
  });

  test('does not go into the peak of trades that were imported only: it has no peak of its own yet', async () => {
    await setBotMode(db, id, 'live');
    await change({ stakeAmount: '10' });
    await sql`insert into bot_figures (bot_id, mode, peak_balance, imported_trades) values (${id}, 'paper', 30, 5)`.execute(db); // while it is live
    await setBotMode(db, id, 'paper');
    expect([await capital(), await peak('paper')]).toEqual([30, 30]);
  });

  test('is kept with every change of it, in the order of the changes also when the clock is set back', async () => {
    await close(1);
    await change({ stakeAmount: '200' });
    await db.transaction().execute(async (trx) => {
      const before = await bot();
      await changeBotSettings(trx, before, { ...botSettingsOf(before), stakeAmount: '300' }, before.userId, new Date(time));
    });
    await setBotMode(db, id, 'live');
    const { rows } = await sql<{ mode: string; capital: string }>`
      select mode, trim_scale(capital)::text as capital from bot_capitals order by mode, since`.execute(db);
    expect(rows).toEqual([
      { mode: 'paper', capital: '300' },
      { mode: 'paper', capital: '600' },
      { mode: 'paper', capital: '900' },
      { mode: 'testnet', capital: '900' },
    ]);
    await change({ nickname: 'the same' });
    expect((await sql`select from bot_capitals`.execute(db)).rows).toHaveLength(4);
  });
});
