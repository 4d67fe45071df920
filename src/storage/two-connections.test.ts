import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { goLive } from '../../test/support/go-live.ts';
import { lockWaits } from '../../test/support/lock-waits.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { acknowledgeAlarm, listAlarms, raiseAlarm, takeNewAlarm } from './alarms/alarms.ts';
import { checkAudit, writeAudit } from './audit/audit-log.ts';
import { addCode, takeTry, useCode } from './auth/codes.ts';
import { addHalfLogin, addSession, endSession, lockLiveSession, noteAuthenticated, takeHalfLogin } from './auth/sessions.ts';
import { addBacktest, beginAttempt, finishBacktest, stopBacktest } from './backtests/backtests.ts';
import { findBot, lockBot, setBotMode, setBotStatus } from './bots/bots.ts';
import type { Step } from './bots/running-bots.ts';
import { writeStep, writeStepsTogether } from './bots/running-bots.ts';
import { Changed, claimBots, Fenced, releaseBot, renewLease } from './bots/runners.ts';
import { reserveKey } from './calls/idempotency-keys.ts';
import { countUp } from './calls/limit-counters.ts';
import type { Database } from './database.ts';
import { askToAdopt } from './differences/adopted-holdings.ts';
import { endDifference, noteDifference } from './differences/differences.ts';
import { ignoreDifference, lockDifference } from './differences/found-differences.ts';
import { askHeldElsewhere } from './differences/held-elsewhere.ts';
import { liveBotWith, lockApiKey, newestApiKey, removeApiKey, takeKeyToCheck } from './exchange-accounts/api-keys.ts';
import { claimFact } from './installation/facts.ts';
import { LimitReached } from './limits/limits.ts';
import { pauseOpenLosses } from './limits/loss-limits.ts';
import { lockSetLimits } from './limits/set-limits.ts';
import { addMail, takeDueMails } from './mails/mail-outbox.ts';
import { changeOrder, markSent } from './orders/order-outbox.ts';
import { aBacktest } from './testing/a-backtest.ts';
import { aStep } from './testing/a-step.ts';
import { anEntryStep } from './testing/an-entry-step.ts';
import { anOrderRow, aTradeRow } from './testing/trade-rows.ts';
import { askToClose } from './trades/close-asked.ts';
import { addBotMessages, takeDueMessage } from './trades/trade-messages.ts';
import { writeTrades } from './trades/trade-writes.ts';
import { lockSwitch, setSwitch } from './trading/trading-states.ts';
import { addInvitation, useInvitation, withdrawInvitation } from './users/invitations.ts';
import { addUser, lockUnchanged, lockUsers } from './users/users.ts';

// What guards and acts, done by two connections at once: the second begins when the first has done its work and is not committed.

const { db } = await freshDatabase();
const now = new Date();
const later = new Date(now.getTime() + 3_600_000);
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
const aPerson = async (): Promise<string> =>
  (await addUser(db, { email: `${randomUUID()}@example.com`, passwordHash: 'none', role: 'trader', verified: true }))?.id ?? '';

/** What came of the second, and whether it has waited for the first. */
interface Outcome<T> {
  hasWaited: boolean;
  value?: T;
  error?: unknown;
}

/** Does the second while the transaction of the first has done its work and is still open; ends that when the second waits or is done. */
async function meets<T>(first: (trx: Database) => Promise<unknown>, second: () => Promise<T>): Promise<Outcome<T>> {
  const outcome: Outcome<T> = { hasWaited: false };
  let isDone = false;
  let work = Promise.resolve();
  await db.transaction().execute(async (trx) => {
    await first(trx);
    work = second()
      .then(
        (value) => void (outcome.value = value),
        (error: unknown) => void (outcome.error = error),
      )
      .finally(() => (isDone = true));
    await expect.poll(async () => isDone || (await lockWaits(db)) > 0).toBe(true);
    outcome.hasWaited = !isDone;
  });
  await work;
  return outcome;
}

/** The second has waited for the first, and went well. */
function expectWaited({ hasWaited, error }: Outcome<unknown>): void {
  expect([hasWaited, error]).toEqual([true, undefined]);
}

const setState = async (trx: Database, state: 'active' | 'reducing' | 'halted'): Promise<void> => {
  await lockSwitch(trx, { level: 'server' });
  await setSwitch(trx, { level: 'server' }, { state, setBy: null, isImposed: false });
};
const press = (state: 'active' | 'reducing' | 'halted'): Promise<void> => db.transaction().execute((trx) => setState(trx, state));
const entries = async (botId: string): Promise<number> =>
  (await db.selectFrom('orders').select('id').where('botId', '=', botId).where('purpose', '=', 'entry').execute()).length;

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
      () => db.transaction().execute((trx) => newestApiKey(trx, userId, 'sandbox')),
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
    const acknowledge = (on: Database, id: string) => acknowledgeAlarm(on, alarm?.id ?? '', { id, seesAll: true });
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

describe('sign-in', () => {
  const email = (): string => `${randomUUID()}@example.com`;
  const aCode = { userId: null, salt: Buffer.alloc(16), hash: Buffer.alloc(32), createdAt: now, expiresAt: later };

  test('the last try of a code is had once, and a code is used once', async () => {
    const of = { emailKey: email(), purpose: 'reset', holder: '' } as const;
    await addCode(db, { ...of, ...aCode });
    const take = (on: Database) => takeTry(on, of, now, 1);
    expect(await meets(take, () => take(db))).toEqual({ hasWaited: true, value: null });
    const { id } = await db.selectFrom('codes').select('id').where('emailKey', '=', of.emailKey).executeTakeFirstOrThrow();
    const use = (on: Database) => useCode(on, id, now);
    expect(await meets(use, () => use(db))).toEqual({ hasWaited: true, value: false });
  });

  test('a code that a newer one replaces meanwhile is not used', async () => {
    const of = { emailKey: email(), purpose: 'reset', holder: '' } as const;
    await addCode(db, { ...of, ...aCode });
    const code = await takeTry(db, of, now, 5);
    const second = await meets(
      (trx) => addCode(trx, { ...of, ...aCode }),
      () => useCode(db, code?.id ?? '', now),
    );
    expect(second).toEqual({ hasWaited: true, value: false });
  });

  test('a half login is used once', async () => {
    const hash = Buffer.from(randomUUID());
    await addHalfLogin(db, hash, await aPerson(), later);
    const take = (on: Database) => takeHalfLogin(on, hash);
    expect(await meets(take, () => take(db))).toEqual({ hasWaited: true, value: false });
  });

  test('a session that is being ended does nothing more', async () => {
    const session = async (): Promise<string> =>
      (
        await addSession(
          db,
          { userId: await aPerson(), now, endsAt: later, address: '127.0.0.1' },
          { hash: Buffer.from(randomUUID()), accessUntil: later, refreshUntil: later },
        )
      ).id;
    const [one, other] = [await session(), await session()];
    const ended = (id: string) => (trx: Database) => endSession(trx, id, now, 'test');
    const locked = await meets(ended(one), () => db.transaction().execute((trx) => lockLiveSession(trx, one)));
    expect(locked).toEqual({ hasWaited: true, value: false });
    expect(await meets(ended(other), () => noteAuthenticated(db, other, now))).toEqual({ hasWaited: true, value: false });
  });

  test('an invitation is used once, and not when it is withdrawn', async () => {
    const admin = await aPerson();
    const invite = async (): Promise<{ id: string; by: { email: string; codeHash: Buffer; now: Date } }> => {
      const by = { email: email(), codeHash: Buffer.from(randomUUID()), now };
      const id = await addInvitation(db, { email: by.email, role: 'trader', codeHash: by.codeHash, invitedBy: admin, now, lifeMs: 60_000 });
      return { id: id ?? '', by };
    };
    const one = await invite();
    const used = await meets(
      (trx) => useInvitation(trx, one.by),
      () => useInvitation(db, one.by),
    );
    expect(used).toEqual({ hasWaited: true, value: null });
    const other = await invite();
    const withdrawn = await meets(
      (trx) => withdrawInvitation(trx, other.id, now),
      () => useInvitation(db, other.by),
    );
    expect(withdrawn).toEqual({ hasWaited: true, value: null });
  });

  test('an account of an address is made once', async () => {
    const user = { email: email(), passwordHash: 'none', role: 'trader', verified: true } as const;
    const second = await meets(
      (trx) => addUser(trx, user),
      () => addUser(db, user),
    );
    expect(second).toEqual({ hasWaited: true, value: null });
  });

  test('whoever goes by a password that is being changed does not', async () => {
    const id = await aPerson();
    const second = await meets(
      async (trx) => {
        await lockUsers(trx, [id], 'changes');
        await sql`update users set password_hash = 'another' where id = ${id}`.execute(trx);
      },
      () => db.transaction().execute((trx) => lockUnchanged(trx, { id, passwordHash: 'none', has2fa: false })),
    );
    expect(second).toEqual({ hasWaited: true, value: null });
  });
});

describe('calls', () => {
  test('a call is done once for its key', async () => {
    const of = { caller: randomUUID(), call: 'c', key: 'k' };
    const reserve = (on: Database) => reserveKey(on, of, Buffer.alloc(32), now);
    expect(await meets(reserve, () => reserve(db))).toEqual({ hasWaited: true, value: { state: 'busy' } });
  });

  test('every try is counted', async () => {
    const key = randomUUID();
    const count = (on: Database) => countUp(on, key, now, 60_000);
    await count(db);
    expect(await meets(count, () => count(db))).toMatchObject({ hasWaited: true, value: { count: 3 } });
  });

  test('a fact of the installation is written by the first', async () => {
    const key = randomUUID();
    const second = await meets(
      (trx) => claimFact(trx, key, 'first'),
      () => claimFact(db, key, 'second'),
    );
    expect(second).toEqual({ hasWaited: true, value: 'first' });
  });
});

describe('what is sent', () => {
  test('a mail is taken by one sender', async () => {
    await addMail(db, { recipient: owner, subject: 'one', body: '' });
    const second = await meets(
      (trx) => sql`select from mail_outbox for update`.execute(trx), // as a sender does
      () => takeDueMails(db, later, 10),
    );
    expect(second).toEqual({ hasWaited: false, value: [] });
    expect(await takeDueMails(db, later, 10)).toHaveLength(1);
    expect(await takeDueMails(db, later, 10)).toEqual([]);
  });

  test('so is a message about a trade', async () => {
    const id = await aBot();
    await sql`update strategies set webhook = '{"v":1}'`.execute(db);
    await addBotMessages(db, id, [{ text: 'one', cells: [] }]);
    const take = (on: Database) => takeDueMessage(on, 'chat', later);
    const second = await meets(take, () => take(db));
    expect(second.value ?? null).toBeNull();
  });
});
