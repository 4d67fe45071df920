import { randomUUID } from 'node:crypto';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { sql } from 'kysely';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { listAlarms, raiseAlarm } from '#storage/alarms/alarms.ts';
import { claimBots, endLease, renewLease } from '#storage/bots/runners.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { addUser } from '#storage/users/users.ts';
import { keepAlarms } from './keep-alarms.ts';

const { db } = await freshDatabase();
const kinds = async () => (await listAlarms(db, null)).map(({ kind }) => kind);
const mails = async () => (await db.selectFrom('mailOutbox').select('subject').execute()).map(({ subject }) => subject);

await addUser(db, { email: 'admin@example.com', passwordHash: 'none', role: 'admin', verified: true });
const one = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'One' });
const other = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'Other', status: 'paused', owner: 'other@example.com' });

beforeEach(async () => {
  await sql`delete from runners`.execute(db);
  await sql`delete from alarms`.execute(db);
  await sql`delete from mail_outbox`.execute(db);
});

/** Checks alarms until the test has ended; `after` waits for so many more rounds. */
function startChecks(everyMs: number) {
  const faults: unknown[] = [];
  let rounds = 0;
  const checking = keepAlarms(
    { db, liveTrading: 'on', now: () => (rounds++, new Date()), onError: (error) => faults.push(error) },
    everyMs,
  );
  onTestFinished(async () => {
    await checking.stop();
    expect(faults).toEqual([]);
  });
  const after = (more: number) => {
    const until = rounds + more;
    return expect.poll(() => rounds, { interval: 1 }).toBeGreaterThanOrEqual(until);
  };
  return { after, stop: () => checking.stop() };
}
async function addRunner(): Promise<string> {
  const id = randomUUID();
  await renewLease(db, { id, host: 'test', exchanges: ['sandbox'] }, 600_000, true);
  return id;
}
const hold = (id: string, runnerId: string | null) => sql`update bots set runner_id = ${runnerId} where id = ${id}`.execute(db);

test('bots without a runner at five checks in a row are an alarm with a mail, until one runs them', async () => {
  const checks = startChecks(400);
  await checks.after(3);
  expect(await kinds()).toEqual([]); // a runner may be on its way back
  await expect.poll(kinds).toEqual(['no-runner']);
  const toBoth = ['No bots are running', 'No bots are running']; // to the admin and to the owner of the bot
  await expect.poll(mails).toEqual(toBoth);
  const runner = await addRunner();
  await checks.after(2);
  expect(await kinds()).toEqual(['no-runner']); // it has not taken the bot
  await claimBots(db, runner, 100);
  await expect.poll(kinds).toEqual([]);
  await checks.stop();
  expect(await mails()).toEqual(toBoth);
});

test('bots that change hands for a moment, one after the other, are none', async () => {
  const runner = await addRunner();
  await sql`update bots set status = 'active'`.execute(db);
  await claimBots(db, runner, 100);
  const checks = startChecks(500);
  for (const id of [one, other, one]) {
    await hold(id, null);
    await checks.after(3);
    await hold(id, runner);
    if (id === one) await checks.after(1);
  }
  expect(await db.selectFrom('alarms').selectAll().execute()).toEqual([]); // none that has ended either
  await sql`update bots set status = 'paused' where id = ${other}`.execute(db);
});

test('a bot that changes hands for a moment, while another has had no runner for long, is none', async () => {
  const runner = await addRunner();
  await sql`update bots set status = 'active'`.execute(db);
  await hold(one, null);
  await hold(other, runner);
  const checks = startChecks(1_000);
  await expect.poll(kinds).toContain('no-runner');
  await checks.after(1);
  const all = () => db.selectFrom('alarms').select(['id', 'kind', 'endedAt', 'facts']).orderBy('id').execute();
  const [raised, mailed] = [await all(), await mails()];
  await hold(other, null);
  await checks.after(2); // one round has seen it for certain, and no more than two
  await hold(other, runner);
  await checks.after(1);
  expect([await all(), await mails()]).toEqual([raised, mailed]);
  await sql`update bots set status = 'paused' where id = ${other}`.execute(db);
});

test('a paused bot with an open trade whose runner is gone is an alarm beside a runner with other bots, and stays one for a second web process', async () => {
  const runner = await addRunner();
  await writeTrades(db, [{ trade: aTradeRow(other, { mode: 'paper', symbol: 'BTC/USDT' }), orders: [], fills: [] }]);
  await claimBots(db, runner, 100);
  const gone = await addRunner();
  await hold(other, gone);
  const first = startChecks(200);
  await first.after(6);
  expect(await kinds()).toEqual([]);
  await endLease(db, gone);
  await expect.poll(() => listAlarms(db, null)).toMatchObject([{ kind: 'no-runner', level: 'server', facts: { bots: 1, names: 'Other' } }]);
  await expect.poll(mails).toEqual(['A bot has no runner', 'A bot has no runner']);
  const raised = await listAlarms(db, null);
  const second = startChecks(200);
  await second.after(2);
  expect(await listAlarms(db, null)).toEqual(raised);
  await hold(other, runner);
  await expect.poll(kinds).toEqual([]);
  expect(await mails()).toHaveLength(2);
});

test('one alarm that cannot be raised keeps back neither the others nor their mails, and what is open of its kind stays', async () => {
  const runner = await addRunner();
  await claimBots(db, runner, 100);
  await sql`update bots set given_up_by = ${runner} where id = ${one}`.execute(db);
  await sql`insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl, last_error) values (${one}, now(), 0, 0, 'No such market.')`.execute(
    db,
  );
  const deliveryFailed = { kind: 'delivery-failed', target: { level: 'server' } } as const;
  await raiseAlarm(db, { ...deliveryFailed, detail: 'chat of before', facts: { to: 'chat', strategy: 'A', error: '404' } });
  await sql`update strategies set webhook = '{"v":1}', webhook_result = '{"at": "2026-03-01T00:00:00Z", "error": "404"}' where class_name = 'AlwaysFlat'`.execute(
    db,
  );
  await sql`create function refused() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$`.execute(db);
  await sql`create trigger refused before insert on alarms for each row when (new.kind = 'delivery-failed') execute function refused()`.execute(
    db,
  );
  const faults: string[] = [];
  const checking = keepAlarms({ db, liveTrading: 'on', now: () => new Date(), onError: (error) => faults.push(String(error)) }, 50);
  try {
    await expect.poll(mails).toContain('Bot does not run');
    expect((await kinds()).toSorted()).toEqual(['bot-failing', 'delivery-failed']);
    expect(new Set(faults)).toEqual(new Set(['error: not this one']));
  } finally {
    await checking.stop();
    await sql`drop trigger refused on alarms`.execute(db);
    await sql`update strategies set webhook = null, webhook_result = null`.execute(db);
    await sql`delete from bot_vitals`.execute(db);
    await sql`update bots set given_up_by = null`.execute(db);
  }
});
