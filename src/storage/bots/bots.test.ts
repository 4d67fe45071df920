import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { findApiKeyLabel } from '../exchange-accounts/api-keys.ts';
import { findBot, listBotNames, listBots, listBotsOfStrategy, lockBot, setBotMode, setBotStatus } from './bots.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import { tradeModeOf } from '../trades/trade-mode.ts';
import { addToFigures, writeTrades } from '../trades/trade-writes.ts';
import { findUserByEmail } from '../users/users.ts';

const { db } = await freshDatabase();
beforeEach(async () => {
  await sql`truncate bots cascade`.execute(db);
});
const names = (bots: { nickname: string }[]): string[] => bots.map(({ nickname }) => nickname);
const rowOf = (id: string) => db.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const sleep = (id: string) => sql`update bots set updated_at = now() - interval '1 hour' where id = ${id}`.execute(db);

describe('lists', () => {
  test('OP-29 active first, then paused, then stopped; within a status by nickname', async () => {
    for (const [nickname, status] of [
      ['d', 'stopped'],
      ['c', 'paused'],
      ['B', 'active'],
      ['a', 'active'],
    ] as const)
      await addTestBot(db, { strategy: 'EmaCross', nickname, status, owner: nickname === 'c' ? 'c@example.com' : 'other@example.com' });
    const owner = await findUserByEmail(db, 'c@example.com');
    for (const list of [listBots, listBotNames]) {
      expect(names(await list(db))).toEqual(['a', 'B', 'c', 'd']);
      expect(names(await list(db, owner?.id))).toEqual(['c']);
      expect(names(await list(db, randomUUID()))).toEqual([]);
    }
    const [named] = await listBotNames(db, owner?.id);
    expect(named).toMatchObject({
      exchangeId: 'sandbox',
      symbols: ['BTC/USDT'],
      mode: 'paper',
      status: 'paused',
      strategyName: 'EMA cross',
    });
  });

  test('the bots of a strategy are listed without those of others', async () => {
    const id = await addTestBot(db, { strategy: 'EmaCross', nickname: 'mine' });
    await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'another' });
    const { strategyId } = await rowOf(id);
    expect(names(await listBotsOfStrategy(db, strategyId))).toEqual(['mine']);
  });

  test('a bot is shown with its owner, its strategy and the figures of its current mode', async () => {
    const id = await addTestBot(db, { strategy: 'EmaCross', nickname: 'shown' });
    const closed = { botId: id, startingBalance: '300', profit: 5, fees: '0.1', closedAt: new Date(0) };
    expect(await findBot(db, id)).toMatchObject({ trades: null, realizedPnl: null, lastTradeAt: null });
    await addToFigures(db, { ...closed, mode: 'paper' });
    await addToFigures(db, { ...closed, mode: 'testnet', profit: 100 });
    expect(await findBot(db, id)).toMatchObject({
      email: 'owner@example.com',
      ownerVerified: true,
      strategyClass: 'EmaCross',
      trades: 1,
      wins: 1,
      realizedPnl: '5.000000000000000000',
      lastTradeAt: new Date(0),
    });
    await sql`update bots set mode = 'live' where id = ${id}`.execute(db);
    expect(await findBot(db, id)).toMatchObject({ realizedPnl: '100.000000000000000000' });
    await sql`update bots set exchange_id = 'binance' where id = ${id}`.execute(db);
    expect(await findBot(db, id)).toMatchObject({ realizedPnl: null });
    expect(await findBot(db, randomUUID())).toBeNull();
  });
});

describe('changes', () => {
  test('OP-59 activating a bot starts its count of losses again; every other status keeps it', async () => {
    const id = await addTestBot(db, { strategy: 'EmaCross' });
    for (const [status, losses] of [
      ['paused', 3],
      ['stopped', 3],
      ['active', 0],
    ] as const) {
      await sql`update bots set consecutive_losses = 3 where id = ${id}`.execute(db);
      await sleep(id);
      const before = await rowOf(id);
      await setBotStatus(db, id, status);
      const after = await rowOf(id);
      expect(after).toMatchObject({ status, consecutiveLosses: losses });
      expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
    }
  });

  test('a change to live leaves a bot paused, a change to paper leaves its status', async () => {
    const id = await addTestBot(db, { strategy: 'EmaCross', status: 'active' });
    await sleep(id);
    const before = await rowOf(id);
    expect(await setBotMode(db, id, 'live')).toBe(true);
    expect(await rowOf(id)).toMatchObject({ mode: 'live', status: 'paused' });
    expect((await rowOf(id)).updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
    await setBotStatus(db, id, 'active');
    expect(await setBotMode(db, id, 'paper')).toBe(true);
    expect(await rowOf(id)).toMatchObject({ mode: 'paper', status: 'active' });
  });

  test('OP-59, OP-70 losses in a row are those of the mode it has', async () => {
    const id = await addTestBot(db, { strategy: 'EmaCross', status: 'active' });
    await sql`update bots set consecutive_losses = 3 where id = ${id}`.execute(db);
    expect(await setBotMode(db, id, 'paper')).toBe(true); // it has that already
    expect(await rowOf(id)).toMatchObject({ consecutiveLosses: 3 });
    expect(await setBotMode(db, id, 'live')).toBe(true);
    expect(await rowOf(id)).toMatchObject({ consecutiveLosses: 0 });
  });

  test('a bot with an open trade keeps its mode', async () => {
    const id = await addTestBot(db, { strategy: 'EmaCross' });
    const trade = aTradeRow(id);
    await writeTrades(db, [{ trade, orders: [], fills: [] }]);
    const before = await rowOf(id);
    expect(await setBotMode(db, id, 'live')).toBe(false);
    expect(await rowOf(id)).toEqual(before);
    await writeTrades(db, [{ trade: { ...trade, status: 'closed', closedAt: new Date(0), profit: 1 }, orders: [], fills: [] }]);
    expect(await setBotMode(db, id, 'live')).toBe(true);
  });

  test('a bot is locked while its mode changes: no trade opens and no role is taken away in between', async () => {
    const id = await addTestBot(db, { strategy: 'EmaCross' });
    await db.transaction().execute(async (trx) => {
      await lockBot(trx, id);
      for (const change of [
        sql`select from bots where id = ${id} for update nowait`,
        sql`select from users where email = 'owner@example.com' for update nowait`,
      ])
        await expect(change.execute(db)).rejects.toThrow('could not obtain lock');
    });
    await sql`select from bots where id = ${id} for update nowait`.execute(db);
  });
});

test('a bot’s trades are simulated, real, or real on a test network', () => {
  const modes = (['paper', 'live'] as const).flatMap((mode) =>
    ['sandbox', 'binance', 'binance_testnet'].map((exchangeId) => tradeModeOf({ mode, exchangeId })),
  );
  expect(modes).toEqual(['paper', 'paper', 'paper', 'testnet', 'live', 'testnet']);
});

test('of a stored key only its label and its last characters are shown', async () => {
  const id = await addTestBot(db, { strategy: 'EmaCross' });
  const { userId } = await rowOf(id);
  const key = await db
    .insertInto('apiKeys')
    .values({ userId, exchangeId: 'binance', label: 'mine', keyHint: 'abcd', sealed: '{"key":"secret"}' })
    .returning('id')
    .executeTakeFirstOrThrow();
  expect(await findApiKeyLabel(db, key.id)).toEqual({ label: 'mine', keyHint: 'abcd', hasPassphrase: false });
  expect(await findApiKeyLabel(db, randomUUID())).toBeNull();
});
