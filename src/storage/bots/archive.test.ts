import { dayMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { archiveBot, bringBackBot, deleteBot } from './archive.ts';
import { botsInUse, findBot, listArchivedBots, listBotNames, listBots } from './bots.ts';
import { weekOfProfit } from './fleet.ts';
import { writeLastError, writeVitals } from './running-bots.ts';
import { claimBots, listSurplusBots, renewLease } from './runners.ts';

const { db } = await freshDatabase();
const now = new Date();
const longAgo = new Date(now.getTime() - dayMs - 1000);
let runnerId = '';

beforeEach(async () => {
  await sql`truncate trades cascade`.execute(db);
  await sql`delete from bots`.execute(db);
  await sql`delete from runners`.execute(db);
  runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: runnerId, exchanges: ['sandbox'] }, 3_600_000, true);
});

const aBot = (status: 'active' | 'stopped' = 'stopped') =>
  addTestBot(db, { strategy: 'AlwaysFlat', nickname: randomUUID(), status, owner: 'owner@example.com' });
const aTrade = (botId: string, mode: string, status: string) =>
  sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, amount, stake, leverage)
    values (gen_random_uuid(), ${botId}, 'BTC/USDT', 'long', ${mode}, ${status}, now(), 1, 5, 1)`.execute(db);

describe('an archived bot', () => {
  test('is in no list but its own, and comes back stopped', async () => {
    const [id, other] = [await aBot(), await aBot()];
    expect(await archiveBot(db, id, now)).toBeNull();
    const owner = (await findBot(db, id))?.userId ?? '';
    for (const ownerId of [null, owner]) {
      expect((await listBots(db, ownerId)).map((bot) => bot.id)).toEqual([other]);
      expect((await listBotNames(db, ownerId)).map((bot) => bot.id)).toEqual([other]);
      expect((await listArchivedBots(db, ownerId)).map((bot) => bot.id)).toEqual([id]);
      expect([...(await weekOfProfit(db, ownerId, now)).keys()]).toEqual([other]);
    }
    await bringBackBot(db, id, now);
    expect(await findBot(db, id)).toMatchObject({ status: 'stopped', archivedAt: null });
    expect(await listArchivedBots(db)).toEqual([]);
  });

  test('keeps the time of its archiving when it is archived again', async () => {
    const id = await aBot();
    await archiveBot(db, id, longAgo);
    expect(await archiveBot(db, id, now)).toBeNull();
    expect((await findBot(db, id))?.archivedAt).toEqual(longAgo);
  });

  test('must be stopped, without open trades of any mode', async () => {
    const active = await aBot('active');
    expect(await archiveBot(db, active, now)).toBe('not-stopped');
    for (const mode of ['paper', 'live', 'testnet']) {
      const id = await aBot();
      await aTrade(id, mode, 'open');
      expect(await archiveBot(db, id, now)).toBe('open-trades');
      expect((await findBot(db, id))?.archivedAt).toBeNull();
    }
  });

  test.each(['planned', 'sent', 'unknown', 'open', 'cancel-pending'] as const)(
    'has no order at an exchange that may still be filled: one that is %s, of a trade that is over',
    async (status) => {
      const id = await aBot();
      const trade = aTradeRow(id, { mode: 'testnet', status: 'closed', closedAt: now, profit: 1 });
      await writeTrades(db, [{ trade, orders: [anOrderRow(trade, { status, plannedAt: now })], fills: [] }]);
      expect(await archiveBot(db, id, now)).toBe('open-trades');
      await sql`delete from orders where bot_id = ${id}`.execute(db);
      expect(await archiveBot(db, id, now)).toBeNull();
    },
  );

  test('stays with runners for a day, so that late funding is booked, and is then released and claimed no more', async () => {
    const [recent, old] = [await aBot(), await aBot()];
    await archiveBot(db, recent, now);
    expect((await claimBots(db, runnerId, 10)).map(({ id }) => id).toSorted()).toEqual([recent, old].toSorted());
    expect(await listSurplusBots(db, runnerId)).toEqual([]);
    await archiveBot(db, old, longAgo);
    expect(await listSurplusBots(db, runnerId)).toEqual([old]);
    await sql`update bots set runner_id = null`.execute(db);
    expect((await claimBots(db, runnerId, 10)).map(({ id }) => id)).toEqual([recent]);
  });

  test('does not keep its market in use', async () => {
    const id = await aBot();
    await archiveBot(db, id, now);
    expect(await botsInUse(db)).toEqual({ active: 0, markets: [] });
  });
});

describe('a bot that is deleted', () => {
  test('takes its decisions with it, and its runner may still report it', async () => {
    const [id, other] = [await aBot('active'), await aBot('active')];
    await sql`insert into decisions (bot_id, symbol, candle_time, action, seen, decided_at) select id, 'BTC/USDT', now(), 'none', '{}', now() from bots`.execute(
      db,
    );
    expect(await deleteBot(db, id)).toBe(true);
    const { rows } = await sql<{ botId: string }>`select bot_id from decisions`.execute(db);
    expect(rows).toEqual([{ botId: other }]);
    const vital = { lastTickAt: now, openTrades: 0, unrealizedPnl: 0, closedTrades: 0, lastError: null };
    await writeVitals(
      db,
      [id, other].map((botId) => ({ ...vital, botId })),
    );
    await writeLastError(db, id, 'gone');
    const vitals = await sql<{ botId: string }>`select bot_id from bot_vitals`.execute(db);
    expect(vitals.rows).toEqual([{ botId: other }]);
  });

  test('OP-85 has no order at an exchange of which the record was lost', async () => {
    const id = await aBot();
    const apiKeyId = await goLive(db, id);
    await sql`
      insert into unrecorded_orders (client_order_id, bot_id, api_key_id, market_type, exchange_order_id, symbol, side, type, state, requested, filled, net, made_at)
      values ('fl-1', ${id}, ${apiKeyId}, 'spot', '1', 'BTC/USDT', 'buy', 'market', 'filled', 1, 1, 1, now())`.execute(db);
    expect(await deleteBot(db, id)).toBe(false);
    expect(await findBot(db, id)).not.toBeNull();
    await sql`delete from unrecorded_orders`.execute(db);
  });

  test('has never traded in any mode', async () => {
    for (const mode of ['paper', 'live', 'testnet'])
      for (const status of ['open', 'closed', 'cancelled', 'failed']) {
        const id = await aBot();
        await aTrade(id, mode, status);
        expect(await deleteBot(db, id)).toBe(false);
        expect(await findBot(db, id)).not.toBeNull();
      }
  });
});
