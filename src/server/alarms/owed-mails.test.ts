import type { KyselyPlugin } from 'kysely';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
import type { Database } from '#storage/database.ts';
import { mailNewAlarms } from '#mail/alarm-mails.ts';
import { acknowledgeAlarms, endAlarm, listAlarms, raiseAlarm, takeNewAlarm } from '#storage/alarms/alarms.ts';

const { db } = await freshDatabase();
const { meets } = twoConnections(db);
let userId = '';
let botId = '';

beforeEach(async () => {
  for (const table of ['alarms', 'mail_outbox', 'channels', 'bots']) await sql`delete from ${sql.table(table)}`.execute(db);
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'Harbour', owner: `${randomUUID()}@example.com` });
  userId = (await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow()).userId;
  await sql`insert into channels (id, user_id, kind, name, hint, sealed, topics, summed_day)
    values (${randomUUID()}, ${userId}, 'ntfy', 'own', '1234', '{}', '{stop-missing}', current_date)`.execute(db);
});

const noStop = (detail: string) => ({ kind: 'unprotected-position', target: { level: 'bot', id: botId }, detail }) as const;
const raise = (detail = 'one', symbol = `${detail}/USDT`) => raiseAlarm(db, { ...noStop(detail), facts: { symbol } });
const end = (detail = 'one') => endAlarm(db, noStop(detail));
/** So much later, with a round of the process that mails. */
const after = async (minutes: number): Promise<void> => {
  const later = (column: string) => sql`${sql.ref(column)} = ${sql.ref(column)} - make_interval(mins => ${minutes})`;
  await sql`update alarms set ${sql.join(['raised_at', 'noted_at', 'mailed_at'].map(later))}`.execute(db);
  await mailNewAlarms(db);
};
/** How many mails and channel messages there are. */
const received = async (): Promise<[number, number]> => {
  const [mails, messages] = await Promise.all([
    db.selectFrom('mailOutbox').select('subject').execute(),
    db.selectFrom('channelMessages').select('text').execute(),
  ]);
  return [mails.length, messages.length];
};

test('an alarm that comes back within the pause and lasts is mailed once the pause is over, with a message to the channels', async () => {
  await raise();
  await after(0);
  expect(await received()).toEqual([1, 1]);
  await end();
  await raise();
  await after(14);
  expect(await received()).toEqual([1, 1]);
  await after(1);
  expect(await received()).toEqual([2, 2]);
  await after(60);
  expect(await received()).toEqual([2, 2]); // once
});

test('one that comes and goes all the time is said once in a quarter of an hour, each time the one that is open then', async () => {
  for (let minute = 0; minute < 60; minute += 5) {
    await raise('one', `AT${minute}/USDT`);
    await after(5);
    await end();
  }
  const mails = await db.selectFrom('mailOutbox').select('body').orderBy('createdAt').execute();
  expect(mails.map(({ body }) => /AT\d+/u.exec(body)?.[0])).toEqual(['AT0', 'AT15', 'AT30', 'AT45']);
  expect(await received()).toEqual([4, 4]);
});

test('others of the same bot within the pause are noticed in the channels at once, and in one mail when the pause is over, the oldest first', async () => {
  await raise('one');
  await raise('two');
  await after(1);
  await raise('three');
  await after(1);
  expect(await received()).toEqual([1, 3]);
  await after(14);
  expect(await received()).toEqual([2, 3]);
  const body = (await db.selectFrom('mailOutbox').select('body').orderBy('createdAt', 'desc').execute())[0]?.body;
  expect(body).toMatch(/^Bot Harbour: two\/USDT has no stop [^.]*\. Bot Harbour: three\/USDT has no stop [^.]*\.\n/u);
  await after(15);
  await after(15);
  expect(await received()).toEqual([2, 3]);
  await raise('four'); // new after that mail
  await after(1);
  await raise('five');
  await after(1);
  await after(15);
  expect(await received()).toEqual([4, 5]);
});

test('a mail about several says what to do about each, and the chat of the strategy gets one sentence and their number', async () => {
  await sql`update strategies set webhook = '{"v":1}' where id = (select strategy_id from bots where id = ${botId})`.execute(db);
  await raise('one');
  await after(0);
  await raiseAlarm(db, { ...noStop('two'), facts: { symbol: 'two/USDT', tooSmall: 'to-sell' } });
  await raise('three');
  await after(1);
  await after(15);
  const body = (await db.selectFrom('mailOutbox').select('body').orderBy('createdAt', 'desc').execute())[0]?.body;
  expect(body).toContain('Bot Harbour: two/USDT has neither stop nor exit');
  expect(body).toContain('It is sold when more was bought');
  expect(body).toContain('Bot Harbour: three/USDT has no stop');
  expect(body).toContain('Check the position at the exchange');
  const { text } = await db.selectFrom('tradeMessages').select('text').orderBy('createdAt', 'desc').limit(1).executeTakeFirstOrThrow();
  expect(text).toMatch(/^A position is too small to sell\. Bot Harbour: two.USDT has neither stop nor exit[^.]*\. And 1 more like it\.$/u);
  await sql`update strategies set webhook = null`.execute(db);
});

test('a mail that is owed is that of hundreds like it, of which it names the first, and of none about another bot or of another kind', async () => {
  const second = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'Second', owner: `${randomUUID()}@example.com` });
  const unknown = { kind: 'unknown-order', target: { level: 'bot', id: botId }, facts: { symbol: 'X/USDT' } } as const;
  const ofSecond = { ...noStop('one'), target: { level: 'bot', id: second }, facts: { symbol: 'X/USDT' } } as const;
  for (let n = 1; n <= 200; n++) await raise(`n${n}`);
  for (const detail of ['a', 'b']) {
    await raiseAlarm(db, { ...unknown, detail });
    await raiseAlarm(db, { ...ofSecond, detail });
  }
  await after(0);
  expect(await received()).toEqual([3, 200]);
  await after(15);
  const bodies = (await db.selectFrom('mailOutbox').select('body').execute()).map(({ body }) => body);
  expect(bodies).toHaveLength(6);
  expect(bodies.filter((body) => body.includes('n2/USDT'))).toEqual([
    expect.stringMatching(/^Bot Harbour: n2\/USDT .+ Bot Harbour: n7\/USDT [^.]*\. And 193 more like these\.\n/u),
  ]);
  for (let n = 0; n < 4; n++) await after(15);
  expect(await received()).toEqual([6, 200]);
});

test('what somebody is taking note of while others are mailed is not waited for', async () => {
  await raise('one');
  await raise('two');
  await raise('three');
  await after(0);
  const three = (await listAlarms(db, userId)).find(({ facts }) => facts['symbol'] === 'three/USDT');
  await sql`update alarms set noted_at = noted_at - interval '15 minutes', mailed_at = mailed_at - interval '15 minutes'`.execute(db);
  const taking = (trx: Database) => acknowledgeAlarms(trx, [three?.id ?? ''], { id: userId, seesAll: false });
  const taken = await meets(taking, () => db.transaction().execute(takeNewAlarm));
  expect(taken).toMatchObject({ hasWaited: false, value: { facts: { symbol: 'two/USDT' }, others: [] } });
});

test('one that has ended when the pause is over, or of which somebody has taken note, is not mailed', async () => {
  await raise();
  await raise('gone');
  await raise('seen');
  await after(0);
  await end();
  await raise(); // noticed already, so that nobody is notified now
  await after(1);
  await end('gone');
  await end();
  const [seen] = (await listAlarms(db, userId)).filter(({ facts }) => facts['symbol'] === 'seen/USDT');
  await acknowledgeAlarms(db, [seen?.id ?? ''], { id: userId, seesAll: false });
  await after(1);
  await after(30);
  expect(await received()).toEqual([1, 3]);
});

test('what somebody was mailed with its cause is not mailed later either', async () => {
  await raiseAlarm(db, { kind: 'stopped-by-other', target: { level: 'bot', id: botId }, facts: { state: 'halted' }, wasMailed: true });
  await after(0);
  await after(30);
  expect(await received()).toEqual([0, 0]);
});

test('two processes do not mail about the same bot within the pause: one takes an alarm, and the other none', async () => {
  await raise('one');
  await raise('two');
  expect(await meets(takeNewAlarm, () => db.transaction().execute(takeNewAlarm))).toEqual({ hasWaited: false, value: null });
  const second = await db.transaction().execute(takeNewAlarm);
  expect(second).toMatchObject({ facts: { symbol: 'two/USDT' }, mayMail: false, isNotice: true });
});

test('those few that are due are found among the thousands that are over, or were mailed long ago', async () => {
  await sql`
    insert into alarms (key, kind, level, bot_id, facts, raised_at, noted_at, mailed_at, ended_at)
    select ${`unprotected-position bot ${botId} one`}, 'unprotected-position', 'bot', ${botId}, '{}', t, t, t, t
    from generate_series(1, 20000) n, lateral (select now() - n * interval '6 minutes' - interval '1 hour' as t) times`.execute(db);
  await sql`
    insert into alarms (key, kind, level, facts, raised_at, noted_at, mailed_at, ended_at)
    select 'another', 'unprotected-position', 'server', '{}', t, t, t, t
    from generate_series(1, 2000) n, lateral (select now() - n * interval '100 milliseconds' as t) times`.execute(db);
  // Open and mailed, or over before a mail was owed.
  await sql`
    insert into alarms (key, kind, level, facts, raised_at, noted_at, mailed_at, ended_at)
    select 'one ' || n, 'delivery-failed', 'server', '{}', t, t, case when n % 2 = 0 then t end, case when n % 2 = 1 then t end
    from generate_series(1, 4000) n, lateral (select now() - n * interval '1 hour' as t) times`.execute(db);
  await sql`analyze alarms`.execute(db);
  await raise('one');
  await raise('two');
  await sql`update alarms set noted_at = now() - interval '20 minutes' where key like '% two'`.execute(db);
  const plan = await planOfTaking();
  expect(plan).toMatch(/on alarms a \(actual rows=1(?:\.00)? loops=1\)/u); // the second need not be looked at
  expect(plan).not.toMatch(/Seq Scan on alarms|rows=\d{3}|Removed by [^:]+: \d{3}/u);
  await mailNewAlarms(db);
  expect(await received()).toEqual([1, 1]);
});

/** How the database finds an alarm that is due. */
async function planOfTaking(): Promise<string> {
  const lines: string[] = [];
  const explained = new Set<unknown>();
  const explaining: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      if (node.kind !== 'RawNode' || !node.sqlFragments.some((each) => each.includes('for update of a'))) return node;
      explained.add(queryId);
      const [first = '', ...others] = node.sqlFragments;
      return { ...node, sqlFragments: [`explain (analyze, costs off, timing off, buffers off, summary off) ${first}`, ...others] };
    },
    transformResult: async ({ result, queryId }) => {
      if (!explained.has(queryId)) return result;
      lines.push(...(result.rows as Record<string, string>[]).flatMap((row) => Object.values(row)));
      return { ...result, rows: [] };
    },
  };
  expect(await db.withPlugin(explaining).transaction().execute(takeNewAlarm)).toBeNull();
  return lines.join('\n');
}
