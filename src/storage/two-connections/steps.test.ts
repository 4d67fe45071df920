import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { lockWaits } from '../../../test/support/lock-waits.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { acknowledgeAlarms, raiseAlarm } from '../alarms/alarms.ts';
import { lockBot, setBotMode, setBotStatus } from '../bots/bots.ts';
import type { Step } from '../bots/running-bots.ts';
import { writeStep, writeStepsTogether } from '../bots/running-bots.ts';
import { Changed, claimBots, Fenced, releaseBot, renewLease } from '../bots/runners.ts';
import type { Database } from '../database.ts';
import { noteDifference } from '../differences/differences.ts';
import { LimitReached } from '../limits/limits.ts';
import { pauseOpenLosses } from '../limits/loss-limits.ts';
import { lockSetLimits } from '../limits/set-limits.ts';
import { changeOrder, markSent } from '../orders/order-outbox.ts';
import { aStep } from '../testing/a-step.ts';
import { anEntryStep } from '../testing/an-entry-step.ts';
import { lockSwitch, setSwitch } from '../trading/trading-states.ts';

// Steps of bots, orders, limits and claims, done by two connections at once.

const { db } = await freshDatabase();
const { meets, expectWaited } = twoConnections(db);
const now = new Date();
const owner = 'owner@example.com';
let runnerId = '';

beforeEach(async () => {
  await sql`truncate trades, backtests, api_keys cascade`.execute(db);
  for (const table of ['alarms', 'limits', 'trading_states', 'bots', 'trade_messages', 'runners'])
    await sql`delete from ${sql.table(table)}`.execute(db);
  runnerId = await aRunner();
});

async function aRunner(leaseMs = 3_600_000): Promise<string> {
  const id = randomUUID();
  await renewLease(db, { id, host: id, exchanges: ['sandbox'] }, leaseMs, true);
  return id;
}
const aBot = (): Promise<string> => addTestBot(db, { strategy: 'AlwaysFlat', nickname: randomUUID(), owner });
const setState = async (trx: Database, state: 'active' | 'reducing' | 'halted'): Promise<void> => {
  await lockSwitch(trx, { level: 'server' });
  await setSwitch(trx, { level: 'server' }, { state, setBy: null, isImposed: false });
};
const press = (state: 'active' | 'reducing' | 'halted'): Promise<void> => db.transaction().execute((trx) => setState(trx, state));
const entries = async (botId: string): Promise<number> =>
  (await db.selectFrom('orders').select('id').where('botId', '=', botId).where('purpose', '=', 'entry').execute()).length;

describe('an alarm of a step and somebody who takes note of it', () => {
  test('lock alarms in one sequence, whichever step comes first', async () => {
    const steps: Step[] = [];
    for (let i = 0; i < 2; i++) {
      const { holder, mode } = await anEntryStep(db, runnerId, now);
      const alarm = { kind: 'late-fill', target: { level: 'bot', id: holder.id }, facts: {} } as const;
      await raiseAlarm(db, { ...alarm, detail: 'first' });
      steps.push({ holder, mode, writes: aStep({ alarms: [{ ...alarm, detail: 'second' }] }) });
    }
    const { rows } = await sql<{ id: string; botId: string }>`select id, bot_id from alarms order by id`.execute(db);
    const [low, high] = rows.map(({ id }) => id) as [string, string];
    const highestFirst = steps.toSorted((a) => (a.holder.id === rows[1]?.botId ? -1 : 1));
    const { id } = await db.selectFrom('users').select('id').limit(1).executeTakeFirstOrThrow();
    const viewer = { id, seesAll: true };
    let work: Promise<ReadonlySet<Step>> | undefined;
    await db.transaction().execute(async (trx) => {
      await acknowledgeAlarms(trx, [low], viewer);
      work = writeStepsTogether(db, highestFirst);
      await expect.poll(() => lockWaits(db)).toBe(1);
      await acknowledgeAlarms(trx, [high], viewer);
    });
    expect((await work)?.size).toBe(2);
  });
});

describe('the kill switch and an entry', () => {
  test('a step that enters waits for a confirmation under way, and is refused when the switch was pressed', async () => {
    const { holder, mode, writes } = await anEntryStep(db, runnerId, now);
    const confirming = async (trx: Database): Promise<void> => {
      await press('halted');
      await sql`select pg_advisory_xact_lock(7364002)`.execute(trx); // the lock of `waitForEntries`
    };
    const outcome = await meets(confirming, () => writeStep(db, holder, mode, writes));
    expect(outcome).toEqual({ hasWaited: true, error: expect.any(Changed) as Changed });
    expect(await entries(holder.id)).toBe(0);
  });

  test('so do steps that are written together; those that enter nothing wait for nobody', async () => {
    const entering = await anEntryStep(db, runnerId, now);
    const leaving = await anEntryStep(db, runnerId, now);
    leaving.writes = { ...leaving.writes, entersTrades: false, trades: [], entries: [] };
    const confirming = async (trx: Database): Promise<void> => {
      await press('halted');
      await sql`select pg_advisory_xact_lock(7364002)`.execute(trx);
    };
    const together = await meets(confirming, () => writeStepsTogether(db, [entering, leaving]));
    expect(together).toEqual({ hasWaited: true, value: new Set([leaving]) });
    const alone = await meets(confirming, () => writeStep(db, leaving.holder, leaving.mode, leaving.writes));
    expect(alone).toEqual({ hasWaited: false, value: undefined });
  });

  test('an entry that was planned before is not sent after the switch was pressed', async () => {
    const { holder, mode, writes } = await anEntryStep(db, runnerId, now);
    await writeStep(db, holder, mode, writes);
    const clientOrderId = writes.entries?.[0]?.clientOrderId ?? '';
    const confirming = async (trx: Database): Promise<void> => {
      await press('reducing');
      await sql`select pg_advisory_xact_lock(7364002)`.execute(trx);
    };
    const sent = await meets(confirming, () => markSent(db, { holder, clientOrderId, isEntry: true, expiryMs: 2_000 }));
    expect(sent).toEqual({ hasWaited: true, value: { kind: 'forbidden' } });
  });

  test('of two who set a switch the second knows what the first has set', async () => {
    const second = await meets(
      (trx) => setState(trx, 'halted'),
      () => db.transaction().execute((trx) => lockSwitch(trx, { level: 'server' })),
    );
    expect(second).toMatchObject({ hasWaited: true, value: { state: 'halted' } });
  });

  test('a difference that is found while a person halts the bot leaves it halted', async () => {
    const id = await aBot();
    const target = { level: 'bot', id } as const;
    const second = await meets(
      async (trx) => {
        await lockSwitch(trx, target);
        await setSwitch(trx, target, { state: 'halted', setBy: null, isImposed: true });
      },
      () => noteDifference(db, { botId: id, symbol: 'BTC/USDT', expected: 1, actual: 0 }),
    );
    expectWaited(second);
    expect(await db.transaction().execute((trx) => lockSwitch(trx, target))).toMatchObject({ state: 'halted', isImposed: true });
  });
});

describe('limits and entries', () => {
  const useLimit = (level: 'user' | 'server', value: number) =>
    sql`insert into limits (level, user_id, name, currency, value)
      select ${level}, case ${level}::text when 'user' then id end, 'position-value', 'USDT', ${value} from users where email = ${owner}`.execute(
      db,
    );

  test.each(['user', 'server'] as const)('two bots never both use what is left of a limit of the %s', async (level) => {
    const [one, other] = [await anEntryStep(db, runnerId, now, owner), await anEntryStep(db, runnerId, now, owner)];
    await useLimit(level, 150);
    const second = await meets(
      (trx) => writeStep(trx, one.holder, one.mode, one.writes),
      () => writeStep(db, other.holder, other.mode, other.writes),
    );
    expect(second).toEqual({ hasWaited: true, error: expect.any(LimitReached) as LimitReached });
    expect([await entries(one.holder.id), await entries(other.holder.id)]).toEqual([1, 0]);
  });

  test('of two who change the limits of a bot the second waits for the first', async () => {
    const target = { level: 'bot', id: await aBot() } as const;
    const second = await meets(
      (trx) => lockSetLimits(trx, target),
      () => db.transaction().execute((trx) => lockSetLimits(trx, target)),
    );
    expectWaited(second);
  });
});

describe('a step and whoever changes its bot', () => {
  const losing = ({ holder, mode }: Step) =>
    aStep({ time: now, closed: [{ botId: holder.id, mode, startingBalance: '300', profit: -60, fees: '0', closedAt: now }] });

  test('a bot is not paused for an open loss of a trade that is being closed', async () => {
    const { holder, mode, writes } = await anEntryStep(db, runnerId, now);
    await sql`insert into limits (level, bot_id, name, currency, value) values ('bot', ${holder.id}, 'daily-loss', '', 100)`.execute(db);
    const second = await meets(
      (trx) => writeStep(trx, holder, mode, losing({ holder, mode, writes })),
      () => pauseOpenLosses(db, [{ botId: holder.id, unrealizedPnl: -110, closedTrades: 0 }], now),
    );
    expect(second).toEqual({ hasWaited: true, value: [] });
  });

  test('what was decided before a bot was stopped is not written after it', async () => {
    const { holder, mode } = await anEntryStep(db, runnerId, now);
    const second = await meets(
      (trx) => setBotStatus(trx, holder.id, 'stopped'),
      () => writeStep(db, holder, mode, aStep({ memory: { nextOrderNumber: 99 } })),
    );
    expect(second).toEqual({ hasWaited: true, error: expect.any(Changed) as Changed });
  });

  test('a bot does not change its mode beside a step that enters', async () => {
    const { holder, mode, writes } = await anEntryStep(db, runnerId, now);
    const second = await meets(
      (trx) => writeStep(trx, holder, mode, writes),
      () => db.transaction().execute(async (trx) => [await lockBot(trx, holder.id), await setBotMode(trx, holder.id, 'paper')]),
    );
    expect(second).toMatchObject({ hasWaited: true, value: [undefined, false] }); // it has an open trade
  });

  test('what another runner has claimed meanwhile is not written', async () => {
    const { holder, mode } = await anEntryStep(db, runnerId, now);
    const other = await aRunner();
    const second = await meets(
      (trx) => sql`update bots set runner_id = ${other}, epoch = epoch + 1 where id = ${holder.id}`.execute(trx),
      () => writeStep(db, holder, mode, aStep()),
    );
    expect(second).toEqual({ hasWaited: true, error: expect.any(Fenced) as Fenced });
  });

  test('a bot whose step is being written is claimed by nobody, nor waited for', async () => {
    const { holder, mode } = await anEntryStep(db, runnerId, now);
    const other = await aRunner();
    const second = await meets(
      async (trx) => {
        await writeStep(trx, holder, mode, aStep());
        await sql`update runners set expires_at = now() - interval '1 second' where id = ${runnerId}`.execute(db);
      },
      () => claimBots(db, other, 100),
    );
    expect(second).toEqual({ hasWaited: false, value: [] });
    expect(await claimBots(db, other, 100)).toMatchObject([{ id: holder.id }]);
  });

  test('an order is marked as sent once, and changed once', async () => {
    const { holder, mode, writes } = await anEntryStep(db, runnerId, now);
    await writeStep(db, holder, mode, writes);
    const clientOrderId = writes.entries?.[0]?.clientOrderId ?? '';
    const mark = (on: Database) => markSent(on, { holder, clientOrderId, isEntry: true, expiryMs: 2_000 });
    expect(await meets(mark, () => mark(db))).toEqual({ hasWaited: true, value: { kind: 'moved' } });
    const change = (on: Database) => changeOrder(on, holder, clientOrderId, { from: 'sent', path: ['open'] });
    expect(await meets(change, () => change(db))).toEqual({ hasWaited: true, value: false });
  });
});

describe('runners', () => {
  test('that claim at once come one after the other, and each gets its share', async () => {
    const [one, other] = [await aRunner(), await aRunner()];
    await sql`delete from runners where id = ${runnerId}`.execute(db);
    for (let i = 0; i < 6; i++) await aBot();
    let claims: Promise<{ id: string }[][]> = Promise.resolve([]);
    let isDone = false;
    await db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(7364001)`.execute(trx); // as a third that claims
      claims = Promise.all([one, other].map((id) => claimBots(db, id, 100).finally(() => (isDone = true))));
      await expect.poll(async () => isDone || (await lockWaits(db)) === 2).toBe(true);
      expect(isDone).toBe(false);
    });
    const [ofOne = [], ofOther = []] = await claims;
    expect([ofOne.length, ofOther.length]).toEqual([3, 3]);
    expect(new Set([...ofOne, ...ofOther].map(({ id }) => id)).size).toBe(6);
  });

  test('that release a bot are not waited for; it is free when that is done', async () => {
    const id = await aBot();
    await claimBots(db, runnerId, 100);
    const other = await aRunner();
    const second = await meets(
      (trx) => releaseBot(trx, runnerId, id, true),
      () => claimBots(db, other, 100),
    );
    expect(second).toEqual({ hasWaited: false, value: [] });
    expect(await claimBots(db, other, 100)).toMatchObject([{ id }]);
  });
});
