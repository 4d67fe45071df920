import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { twoConnections } from '../../../test/support/two-connections.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { acknowledgeAlarms, listAlarms, raiseAlarm, takeNewAlarm } from '../alarms/alarms.ts';
import { checkAudit, writeAudit } from '../audit/audit-log.ts';
import { addBacktest, beginAttempt, finishBacktest, stopBacktest } from '../backtests/backtests.ts';
import { findBot, lockBot, setBotMode } from '../bots/bots.ts';
import type { Database } from '../database.ts';
import { askToAdopt } from '../differences/adopted-holdings.ts';
import { endDifference, noteDifference } from '../differences/differences.ts';
import { ignoreDifference, lockDifference } from '../differences/found-differences.ts';
import { askHeldElsewhere } from '../differences/held-elsewhere.ts';
import { liveBotWith, lockApiKey, meantApiKey, removeApiKey, takeKeyToCheck } from '../exchange-accounts/api-keys.ts';
import { aBacktest } from '../testing/a-backtest.ts';
import { anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import { askToClose } from '../trades/close-asked.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { addUser } from '../users/users.ts';

// What people decide about keys, trades, differences and backtests, done by two connections at once.

const { db } = await freshDatabase();
const { meets, expectWaited } = twoConnections(db);
const now = new Date();
const later = new Date(now.getTime() + 3_600_000);
const owner = 'owner@example.com';

beforeEach(async () => {
  await sql`truncate trades, backtests, api_keys cascade`.execute(db);
  for (const table of ['alarms', 'limits', 'trading_states', 'bots', 'trade_messages', 'runners'])
    await sql`delete from ${sql.table(table)}`.execute(db);
});

const aBot = (): Promise<string> => addTestBot(db, { strategy: 'AlwaysFlat', nickname: randomUUID(), owner });
const aPerson = async (): Promise<string> =>
  (await addUser(db, { email: `${randomUUID()}@example.com`, passwordHash: 'none', role: 'trader', verified: true }))?.id ?? '';

describe('keys', () => {
  test('a bot does not go live with a key that is being deleted', async () => {
    const id = await aBot();
    const key = await goLive(db, id);
    await sql`update bots set mode = 'paper' where id = ${id}`.execute(db);
    const userId = (await findBot(db, id))?.userId ?? '';
    const second = await meets(
      async (trx) => {
        expect(await lockApiKey(trx, key, userId)).not.toBeNull();
        expect(await liveBotWith(trx, key)).toBeNull();
        await removeApiKey(trx, key);
      },
      () =>
        db.transaction().execute(async (trx) => {
          await lockBot(trx, id);
          return (await findBot(trx, id))?.apiKeyId;
        }),
    );
    expect(second).toEqual({ hasWaited: true, value: null });
  });

  test('a key is not deleted while its bot goes live', async () => {
    const id = await aBot();
    const key = await goLive(db, id);
    await sql`update bots set mode = 'paper' where id = ${id}`.execute(db);
    const second = await meets(
      async (trx) => {
        await lockBot(trx, id);
        expect(await setBotMode(trx, id, 'live')).toBe(true);
      },
      () => db.transaction().execute((trx) => liveBotWith(trx, key)),
    );
    expect(second).toMatchObject({ hasWaited: true, value: expect.any(String) as string });
  });

  test('one that is being deleted is given to no bot', async () => {
    const id = await aBot();
    const key = await goLive(db, id);
    const userId = (await findBot(db, id))?.userId ?? '';
    const second = await meets(
      (trx) => removeApiKey(trx, key),
      () => db.transaction().execute((trx) => meantApiKey(trx, { userId, exchangeId: 'sandbox' }, new Date(0))),
    );
    expect(second).toEqual({ hasWaited: true, value: null });
  });

  test('one is checked by one process at a time', async () => {
    const key = await goLive(db, await aBot());
    const take = (on: Database) => takeKeyToCheck(on, later, ['sandbox']);
    const second = await meets(take, () => take(db));
    expect(second.value ?? null).toBeNull();
    expect(key).not.toBe('');
  });
});

describe('what people decide', () => {
  async function aTrade(): Promise<{ botId: string; tradeId: string }> {
    const botId = await aBot();
    const trade = aTradeRow(botId, { mode: 'testnet', amount: 2 });
    await writeTrades(db, [{ trade, orders: [anOrderRow(trade)], fills: [] }]);
    return { botId, tradeId: trade.id };
  }
  async function aDifference(): Promise<{ id: string; botId: string }> {
    const { botId } = await aTrade();
    await goLive(db, botId);
    await noteDifference(db, { botId, symbol: 'BTC/USDT', expected: 1, actual: 0.5 });
    const { rows } = await sql<{ id: string }>`select id from differences where bot_id = ${botId}`.execute(db);
    return { id: rows[0]?.id ?? '', botId };
  }

  test('a trade is asked to be closed once', async () => {
    const { tradeId } = await aTrade();
    const ask = (on: Database) => askToClose(on, tradeId, now);
    expect(await meets(ask, () => ask(db))).toMatchObject({ hasWaited: true, value: { isNew: false } });
  });

  test('a trade is corrected once', async () => {
    const { tradeId } = await aTrade();
    const ask = (on: Database) => askHeldElsewhere(on, tradeId, 0.5, now);
    expect(await meets(ask, () => ask(db))).toEqual({ hasWaited: true, value: false });
  });

  test('a holding is adopted once', async () => {
    const { botId } = await aTrade();
    const holding = { direction: 'long', amount: 1, price: 100, fee: null } as const;
    const ask = (on: Database) => askToAdopt(on, { botId, symbol: 'BTC/USDT' }, holding, { closes: false, now });
    expect(await meets(ask, () => ask(db))).toEqual({ hasWaited: true, value: false });
  });

  test('a difference is decided once', async () => {
    const { id } = await aDifference();
    const second = await meets(
      async (trx) => ignoreDifference(trx, (await lockDifference(trx, id))!),
      () => db.transaction().execute((trx) => lockDifference(trx, id)),
    );
    expect(second).toMatchObject({ hasWaited: true, value: { outcome: 'ignored', ignored: -0.5 } });
  });

  test('one that a person decides about does not end as gone', async () => {
    const { id, botId } = await aDifference();
    const second = await meets(
      async (trx) => ignoreDifference(trx, (await lockDifference(trx, id))!),
      () => endDifference(db, botId, 'BTC/USDT'),
    );
    expectWaited(second);
    expect((await sql`select outcome from differences where id = ${id}`.execute(db)).rows).toEqual([{ outcome: 'ignored' }]);
  });

  test('one that two runners find is one, with one alarm', async () => {
    const botId = await aBot();
    const note = (on: Database, actual: number) => noteDifference(on, { botId, symbol: 'BTC/USDT', expected: 1, actual });
    const second = await meets(
      (trx) => note(trx, 0.5),
      () => note(db, 0.4),
    );
    expectWaited(second);
    const rows = await sql<{ actual: number }>`select actual::float8 from differences where bot_id = ${botId}`.execute(db);
    expect(rows.rows).toEqual([{ actual: 0.4 }]);
    expect(await listAlarms(db, null)).toHaveLength(1);
  });

  test('an alarm is raised once, and its mail is written by one process', async () => {
    const raise = (on: Database) => raiseAlarm(on, { kind: 'no-runner', target: { level: 'server' }, facts: {} });
    expectWaited(await meets(raise, () => raise(db)));
    expect(await listAlarms(db, null)).toHaveLength(1);
    const second = await meets(takeNewAlarm, () => db.transaction().execute(takeNewAlarm));
    expect(second).toEqual({ hasWaited: false, value: null });
    const [alarm] = await listAlarms(db, null);
    const [one, other] = [await aPerson(), await aPerson()];
    const acknowledge = (on: Database, id: string) => acknowledgeAlarms(on, [alarm?.id ?? ''], { id, seesAll: true });
    const noted = await meets(
      (trx) => acknowledge(trx, one),
      () => acknowledge(db, other),
    );
    expectWaited(noted);
    const by = await db
      .selectFrom('alarms')
      .select('acknowledgedBy')
      .where('id', '=', alarm?.id ?? '')
      .execute();
    expect(by).toEqual([{ acknowledgedBy: one }]);
  });

  test('lines of the audit log follow each other', async () => {
    const write = (on: Database) => writeAudit(on, { actorId: null, actorRole: null, action: 'test', result: 'ok' });
    expectWaited(await meets(write, () => write(db)));
    expect(await checkAudit(db)).toMatchObject({ broken: null });
  });
});

describe('a backtest', () => {
  const aRun = async (): Promise<string> => {
    const bot = await findBot(db, await aBot());
    return (await addBacktest(db, aBacktest({ userId: await aPerson(), strategyId: bot?.strategyId ?? '' }))) ?? '';
  };

  test('that is cancelled while it is taken is not worked on', async () => {
    const id = await aRun();
    const second = await meets(
      (trx) => stopBacktest(trx, id, 'cancelled'),
      () => beginAttempt(db, { id, attempt: 0 }),
    );
    expect(second).toEqual({ hasWaited: true, value: null });
  });

  test('that is cancelled while it ends has one of the two ends', async () => {
    const id = await aRun();
    const attempt = { id, attempt: 0 };
    expect(await beginAttempt(db, attempt)).not.toBeNull();
    const outcome = { metrics: {}, equity: [], result: {} } as unknown as Parameters<typeof finishBacktest>[2];
    const second = await meets(
      (trx) => finishBacktest(trx, attempt, outcome),
      () => stopBacktest(db, id, 'cancelled'),
    );
    expect(second).toEqual({ hasWaited: true, value: false });
  });

  test('is begun by one person once', async () => {
    const bot = await findBot(db, await aBot());
    const run = aBacktest({ userId: await aPerson(), strategyId: bot?.strategyId ?? '' });
    const second = await meets(
      (trx) => addBacktest(trx, run),
      () => addBacktest(db, run),
    );
    expect(second).toEqual({ hasWaited: true, value: null });
  });
});
