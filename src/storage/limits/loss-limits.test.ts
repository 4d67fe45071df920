import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { endAlarms, listAlarms } from '../alarms/alarms.ts';
import { writeAudit } from '../audit/audit-log.ts';
import { setBotStatus } from '../bots/bots.ts';
import { pauseOpenLosses } from './loss-limits.ts';
import type { StepWrites } from '../bots/running-bots.ts';
import { writeStep } from '../bots/running-bots.ts';
import { Changed, claimBots, renewLease } from '../bots/runners.ts';
import { aStep } from '../testing/a-step.ts';
import { anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { addToFigures } from '../trades/trade-writes.ts';
import { listSwitches, lockSwitch, setSwitch } from '../trading/trading-states.ts';
import { addUser } from '../users/users.ts';

const { db } = await freshDatabase();
const runnerId = randomUUID();
await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox', 'binance'] }, 3_600_000, true);
const now = new Date(Date.UTC(2026, 2, 1, 12));

/** A bot that a runner holds: stake 100, three slots. */
async function held(mode: TradeMode = 'paper', owner = `${randomUUID()}@example.com`) {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: randomUUID(), owner });
  if (mode !== 'paper')
    await sql`update bots set mode = 'live', exchange_id = ${mode === 'live' ? 'binance' : 'sandbox'} where id = ${id}`.execute(db);
  return { id, mode, owner };
}
type Bot = Awaited<ReturnType<typeof held>>;

async function step(bot: Bot, given: Partial<StepWrites>): Promise<void> {
  await claimBots(db, runnerId, 1000);
  const { epoch, updatedAt } = await db
    .selectFrom('bots')
    .select(['epoch', 'updatedAt'])
    .where('id', '=', bot.id)
    .executeTakeFirstOrThrow();
  await writeStep(db, { id: bot.id, epoch, runnerId, updatedAt }, bot.mode, aStep({ time: now, ...given }));
}
const closing = (bot: Bot, profit: number, closedAt = now) => ({
  botId: bot.id,
  mode: bot.mode,
  startingBalance: '300',
  profit,
  fees: '0',
  closedAt,
});
const close = (bot: Bot, profit: number, closedAt = now): Promise<void> => step(bot, { closed: [closing(bot, profit, closedAt)] });
const status = async ({ id }: Bot) => (await db.selectFrom('bots').select('status').where('id', '=', id).executeTakeFirstOrThrow()).status;
const audited = async (target: string) =>
  (
    await db
      .selectFrom('auditLog')
      .select('detail')
      .where('action', '=', 'limit-reached')
      .where('target', '=', target)
      .orderBy('id')
      .execute()
  ).map(({ detail }) => detail);
const switches = () => db.selectFrom('tradingStates').select(['level', 'state', 'reason', 'setBy']).orderBy('level').execute();
const limit = (bot: Bot, name: string, value: number) =>
  sql`insert into limits (level, bot_id, name, currency, value) values ('bot', ${bot.id}, ${name}, '', ${value})`.execute(db);

beforeEach(async () => {
  for (const table of ['alarms', 'limits', 'trading_states', 'trades', 'bots']) await sql`delete from ${sql.table(table)}`.execute(db);
});

describe('the daily loss limit of a bot', () => {
  test('pauses it with the closing trade that reaches it, with an alarm and an audit record', async () => {
    const bot = await held();
    await close(bot, -149);
    await close(bot, 10);
    expect(await status(bot)).toBe('active');
    await close(bot, -11);
    expect(await status(bot)).toBe('paused');
    const facts = { limit: 'daily-loss', use: '150', value: '150', currency: 'USDT', mode: 'paper' };
    expect(await listAlarms(db, null)).toMatchObject([{ kind: 'limit-reached', level: 'bot', targetId: bot.id, facts }]);
    expect(await audited(`bot ${bot.id}`)).toEqual([{ ...facts, status: 'paused' }]);
    expect(await switches()).toEqual([]);
  });

  test('OP-85 counts what becomes known of a closed trade only later', async () => {
    const bot = await held();
    const trade = aTradeRow(bot.id, { status: 'closed', closedAt: now, profit: -149 });
    await step(bot, { trades: [{ trade, orders: [], fills: [] }], closed: [closing(bot, -149)] });
    expect(await status(bot)).toBe('active');
    await step(bot, { trades: [{ trade: { ...trade, profit: -151 }, orders: [], fills: [] }], correctedTrades: [trade.id] });
    expect(await status(bot)).toBe('paused');
  });

  test('counts a UTC day', async () => {
    const bot = await held();
    await limit(bot, 'drawdown', 1);
    await close(bot, -100, new Date(Date.UTC(2026, 1, 28, 23, 59, 59, 999)));
    await close(bot, -1, new Date(Date.UTC(2026, 2, 1)));
    await close(bot, -149.5, new Date(Date.UTC(2026, 1, 28, 20))); // reported late, of a day that is over
    await close(bot, -1);
    expect(await status(bot)).toBe('active');
    await close(bot, -148);
    expect(await status(bot)).toBe('paused');
  });

  test('is that of the bot where it has been set; a loss that is not written pauses nothing', async () => {
    const bot = await held();
    await limit(bot, 'daily-loss', 20);
    const trade = aTradeRow(bot.id);
    const broken = { trade, orders: [anOrderRow(trade, { requested: 0 })], fills: [] };
    await expect(step(bot, { closed: [closing(bot, -20)], trades: [broken] })).rejects.toThrow();
    expect([await status(bot), await listAlarms(db, null)]).toEqual(['active', []]);
    await close(bot, -20);
    expect(await status(bot)).toBe('paused');
  });

  test('is never resumed from by itself; whoever activates the bot ends the alarm, and the limit stays', async () => {
    const bot = await held();
    await close(bot, -150);
    await close(bot, 200);
    expect(await status(bot)).toBe('paused');
    await setBotStatus(db, bot.id, 'active');
    expect(await listAlarms(db, null)).toEqual([]);
    await close(bot, -200);
    expect(await status(bot)).toBe('paused');
    expect(await listAlarms(db, null)).toHaveLength(1);
  });

  test('pauses no bot that was stopped: it closes what it still has', async () => {
    const bot = await held();
    await close(bot, -1);
    await sql`update bots set status = 'stopped' where id = ${bot.id}`.execute(db);
    await close(bot, -200);
    expect(await status(bot)).toBe('stopped');
    expect(await listAlarms(db, null)).toEqual([]);
  });

  test('a step that was decided before the pause is refused', async () => {
    const bot = await held();
    const { updatedAt, epoch } = await db
      .selectFrom('bots')
      .select(['updatedAt', 'epoch'])
      .where('id', '=', bot.id)
      .executeTakeFirstOrThrow();
    await close(bot, -150);
    const late = writeStep(
      db,
      { id: bot.id, epoch: String(Number(epoch) + 1), runnerId, updatedAt },
      'paper',
      aStep({ memory: { nextOrderNumber: 8 } }),
    );
    await expect(late).rejects.toThrow(Changed);
  });
});

test('the drawdown limit pauses over days', async () => {
  const bot = await held();
  for (let day = 0; day < 3; day++) await close(bot, -60, new Date(now.getTime() + day * 86_400_000));
  expect(await status(bot)).toBe('paused');
  expect((await listAlarms(db, null))[0]?.facts).toMatchObject({ limit: 'drawdown', use: '0.6', value: '0.5' });
});

describe('what all bots of a user or of the server have lost', () => {
  test('stops entries of them with real money, until a person re-arms', async () => {
    const first = await held('live');
    const second = await held('live', first.owner);
    await limit(first, 'daily-loss', 1000);
    await limit(second, 'daily-loss', 1000);
    await limit(first, 'drawdown', 1);
    await sql`insert into limits (level, user_id, name, currency, value) select 'user', user_id, 'daily-loss', 'USDT', 200 from bots where id = ${first.id}`.execute(
      db,
    );
    await close(first, -150);
    expect(await switches()).toEqual([]);
    await close(second, -50);
    expect(await switches()).toEqual([{ level: 'user', state: 'reducing', reason: 'daily-loss', setBy: null }]);
    expect(await listAlarms(db, null)).toMatchObject([
      { kind: 'limit-reached', level: 'user', facts: { use: '200', value: '200', mode: 'live' } },
    ]);
    await sql`insert into limits (level, name, currency, value) values ('server', 'drawdown', '', 0.5)`.execute(db);
    await close(second, -100);
    expect(await switches()).toMatchObject([{ level: 'server', reason: 'drawdown' }, { level: 'user' }]);
  });

  test('leaves a switch as a person has set it, with one alarm and as a further reason behind it', async () => {
    const bot = await held('live');
    const admin = await addUser(db, { email: `${randomUUID()}@example.com`, passwordHash: 'none', role: 'admin', verified: true });
    const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', bot.id).executeTakeFirstOrThrow();
    const target = { level: 'user', id: userId } as const;
    for (const state of ['reducing', 'halted'] as const) {
      await db.transaction().execute(async (trx) => {
        await lockSwitch(trx, target);
        await setSwitch(trx, target, { state, setBy: admin?.id ?? null, isImposed: true });
      });
      await sql`delete from alarms`.execute(db); // as by a re-arm
      const ofUser = () => db.selectFrom('tradingStates').selectAll().where('level', '=', 'user').execute();
      const [before] = await ofUser();
      expect(before).toMatchObject({ state, setBy: admin?.id, reasonAt: null });
      await close(bot, -200);
      expect(await status(bot)).toBe('paused');
      const [since] = await ofUser();
      expect(since).toEqual({ ...before, reasonAt: expect.any(Date) as Date });
      expect(await switches()).toHaveLength(2); // the server's has been set by the same loss
      const alarmsOfUser = async () => (await listAlarms(db, null)).filter(({ level }) => level === 'user').map(({ facts }) => facts);
      const hit = await alarmsOfUser();
      expect(hit.map((facts) => String(facts['limit'])).toSorted()).toEqual(['daily-loss', 'drawdown']);
      expect((await audited(`user ${userId}`)).slice(-2)).toMatchObject([{ state }, { state }]);
      const lines = (await audited(`user ${userId}`)).length;
      await close(bot, -1); // it is still beyond both
      const uses = (all: typeof hit) => all.map((facts) => [facts['limit'], facts['use']]);
      expect([await ofUser(), (await audited(`user ${userId}`)).length]).toEqual([[since], lines]);
      const after = await alarmsOfUser();
      expect(after.map((facts) => ({ ...facts, use: '' }))).toEqual(hit.map((facts) => ({ ...facts, use: '' })));
      expect(uses(after)).not.toEqual(uses(hit)); // what a person reads is how much it is now
    }
  });

  test('of the server is a further reason there, too, and whoever re-arms one level does not end the alarms of another', async () => {
    const bot = await held('live');
    const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', bot.id).executeTakeFirstOrThrow();
    const server = { level: 'server' } as const;
    await db.transaction().execute(async (trx) => {
      await lockSwitch(trx, server);
      await setSwitch(trx, server, { state: 'reducing', setBy: null, isImposed: true });
    });
    const other = await held('live');
    await close(bot, -200);
    await close(other, -200);
    const [ofServer] = (await listSwitches(db, null)).filter(({ level }) => level === 'server');
    expect(ofServer).toMatchObject({ reasonAt: expect.any(Date) as Date, behind: expect.any(Array) as object[] });
    expect(ofServer?.behind.map(({ facts }) => facts['limit'])).toContain('daily-loss');
    const levels = async () => (await listAlarms(db, null)).map(({ level, targetId }) => targetId ?? level).toSorted();
    const before = await levels();
    await endAlarms(db, ['limit-reached'], { level: 'user', id: userId });
    expect(await levels()).toEqual(before.filter((target) => target !== userId));
    expect(before.filter((target) => target === userId).length).toBeGreaterThan(0);
    await endAlarms(db, ['limit-reached'], server);
    expect(await levels()).not.toContain('server');
  });

  test('is written to the audit log last: whoever presses a switch meanwhile is not kept from writing there', async () => {
    const bot = await held('live');
    const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', bot.id).executeTakeFirstOrThrow();
    let closing = Promise.resolve();
    await db.transaction().execute(async (trx) => {
      await lockSwitch(trx, { level: 'server' });
      closing = close(bot, -200); // reaches the limits of the bot, of its owner and of the server
      await untilWaiting(db, 1);
      await writeAudit(trx, { actorId: null, actorRole: null, action: 'stop-trading', target: 'server', result: 'ok', detail: {} });
    });
    await closing;
    expect((await audited(`user ${userId}`)).length).toBeGreaterThan(0);
  });

  test('whose alarm an earlier version has left open raises it again when it stops entries again', async () => {
    const bot = await held('live');
    const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', bot.id).executeTakeFirstOrThrow();
    await close(bot, -200);
    await sql`update trading_states set state = 'active'`.execute(db); // as one that ends its own alarms alone
    const first = (await listAlarms(db, null)).filter(({ targetId }) => targetId === userId).map(({ id }) => id);
    await close(bot, -1);
    const again = (await listAlarms(db, null)).filter(({ targetId }) => targetId === userId).map(({ id }) => id);
    expect(again).toHaveLength(first.length);
    expect(again.filter((id) => first.includes(id))).toEqual([]);
  });

  test('is a further reason for each limit, and for the daily loss on each day', async () => {
    const bot = await held('live');
    await limit(bot, 'daily-loss', 1000);
    await limit(bot, 'drawdown', 1);
    await sql`insert into limits (level, user_id, name, currency, value) select 'user', user_id, 'daily-loss', 'USDT', 50 from bots where id = ${bot.id}`.execute(
      db,
    );
    await sql`insert into limits (level, name, currency, value) values ('server', 'daily-loss', 'USDT', 1000), ('server', 'drawdown', '', 1)`.execute(
      db,
    );
    const reasonAt = async () => (await db.selectFrom('tradingStates').select('reasonAt').executeTakeFirstOrThrow()).reasonAt;
    const hits = async () => (await listAlarms(db, null)).map(({ facts }) => String(facts['limit'])).toSorted();
    await close(bot, -60);
    expect([await reasonAt(), await hits()]).toEqual([null, ['daily-loss']]);
    await close(bot, -1);
    expect([await reasonAt(), await hits()]).toEqual([null, ['daily-loss']]);
    await close(bot, -130);
    const second = await reasonAt();
    expect([second, await hits()]).toEqual([expect.any(Date), ['daily-loss', 'drawdown']]);
    const tomorrow = new Date(now.getTime() + 86_400_000);
    await step(bot, { closed: [closing(bot, -10, tomorrow)], time: tomorrow });
    expect([await reasonAt(), await hits()]).toEqual([second, ['daily-loss', 'drawdown']]);
    await step(bot, { closed: [closing(bot, -40, tomorrow)], time: tomorrow });
    expect([await reasonAt(), await hits()]).toEqual([expect.any(Date), ['daily-loss', 'daily-loss', 'drawdown']]);
    expect(await reasonAt()).not.toEqual(second);
  });

  test('stops nothing on a test network or on paper: only the bots that lost are paused', async () => {
    for (const mode of ['testnet', 'paper'] as const) {
      const bot = await held(mode);
      await close(bot, -290);
      expect(await status(bot)).toBe('paused');
    }
    expect(await switches()).toEqual([]);
  });
});

describe('what open trades would lose', () => {
  const check = (bot: Bot, unrealizedPnl: number, closedTrades: number) =>
    pauseOpenLosses(db, [{ botId: bot.id, unrealizedPnl, closedTrades }], now);

  test('pauses the bot when it comes with the closed trades of the day to the limit', async () => {
    const bot = await held();
    await close(bot, -100);
    expect(await check(bot, -49.9, 1)).toEqual([]);
    expect(await check(bot, -50, 1)).toEqual([bot.id]);
    expect(await status(bot)).toBe('paused');
    expect(await audited(`bot ${bot.id}`)).toMatchObject([
      { limit: 'daily-loss', use: '150', value: '150', open: 'yes', status: 'paused' },
    ]);
    expect(await check(bot, -60, 1)).toEqual([]);
  });

  test('pauses it once, at the lower of what its owner and an administrator have set', async () => {
    const bot = await held();
    await limit(bot, 'daily-loss', 40);
    await sql`insert into limits (level, bot_id, name, currency, value, is_ceiling) values ('bot', ${bot.id}, 'daily-loss', '', 30, true)`.execute(
      db,
    );
    expect(await check(bot, -29.9, 0)).toEqual([]);
    expect(await check(bot, -30, 0)).toEqual([bot.id]);
  });

  test('pauses it by its limit of the loss, and by no other limit that was set', async () => {
    const bot = await held();
    await limit(bot, 'leverage', 2);
    expect(await check(bot, -149, 0)).toEqual([]);
    expect(await check(bot, -150, 0)).toEqual([bot.id]);
  });

  test('counts with the closed trades of the mode in which the bot trades, and not with those of another', async () => {
    const [won, lost] = [await held(), await held()];
    await close(won, 200);
    await close(lost, -100);
    const turn = (bot: Bot) => sql`update bots set mode = 'live', exchange_id = 'binance' where id = ${bot.id}`.execute(db);
    for (const bot of [won, lost]) await turn(bot);
    expect(await check(won, -149, 0)).toEqual([]);
    expect(await check(won, -150, 0)).toEqual([won.id]);
    expect(await audited(`bot ${won.id}`)).toMatchObject([{ use: '150', value: '150', mode: 'live' }]);
    await close({ ...lost, mode: 'live' }, -10); // one in either mode
    expect(await check(lost, -139, 1)).toEqual([]);
    expect(await status(lost)).toBe('active');
    expect(await check(lost, -140, 1)).toEqual([lost.id]);
  });

  test('is measured by what the bot stakes now, also when it was set to more once', async () => {
    const bot = await held();
    await sql`update bots set starting_balance = 1e12 where id = ${bot.id}`.execute(db);
    expect(await check(bot, -150, 0)).toEqual([bot.id]);
  });

  test('does not count a trade twice that was closed after it was reported', async () => {
    const bot = await held();
    await close(bot, -100);
    expect(await check(bot, -100, 0)).toEqual([]);
    expect(await status(bot)).toBe('active');
  });

  test('does not count a trade twice whose end was being written when the bot was looked at', async () => {
    const bot = await held();
    await limit(bot, 'daily-loss', 100);
    await limit(bot, 'drawdown', 1);
    const report = [{ botId: bot.id, unrealizedPnl: -110, closedTrades: 0 }];
    let check: Promise<string[]> = Promise.resolve([]);
    await db.transaction().execute(async (trx) => {
      await sql`select from bots where id = ${bot.id} for no key update`.execute(trx); // as a step does
      check = pauseOpenLosses(db, report, now);
      await untilWaiting(db, 1);
      await addToFigures(trx, closing(bot, -60)); // of the 110 only 60 were lost
    });
    expect(await check).toEqual([]);
    expect(await status(bot)).toBe('active');
    expect(await audited(`bot ${bot.id}`)).toEqual([]);
  });

  test('counts alone on a day on which nothing was closed', async () => {
    const bot = await held();
    await close(bot, 100, new Date(now.getTime() - 86_400_000));
    await limit(bot, 'daily-loss', 30);
    expect(await check(bot, -30, 1)).toEqual([bot.id]);
  });
});
