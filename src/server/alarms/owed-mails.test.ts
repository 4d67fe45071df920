import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
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
const told = async (): Promise<[number, number]> => {
  const [mails, messages] = await Promise.all([
    db.selectFrom('mailOutbox').select('subject').execute(),
    db.selectFrom('channelMessages').select('text').execute(),
  ]);
  return [mails.length, messages.length];
};

test('an alarm that comes back within the pause and lasts is mailed once the pause is over, with a message to the channels', async () => {
  await raise();
  await after(0);
  expect(await told()).toEqual([1, 1]);
  await end();
  await raise();
  await after(14);
  expect(await told()).toEqual([1, 1]);
  await after(1);
  expect(await told()).toEqual([2, 2]);
  await after(60);
  expect(await told()).toEqual([2, 2]); // once
});

test('one that comes and goes all the time is said once in a quarter of an hour, each time the one that is open then', async () => {
  for (let minute = 0; minute < 60; minute += 5) {
    await raise('one', `AT${minute}/USDT`);
    await after(5);
    await end();
  }
  const mails = await db.selectFrom('mailOutbox').select('body').orderBy('createdAt').execute();
  expect(mails.map(({ body }) => /AT\d+/u.exec(body)?.[0])).toEqual(['AT0', 'AT15', 'AT30', 'AT45']);
  expect(await told()).toEqual([4, 4]);
});

test('another of the same bot within the pause is told in the channels at once, and mailed when the pause is over, the oldest first', async () => {
  await raise('one');
  await raise('two');
  await after(1);
  await raise('three');
  await after(1);
  expect(await told()).toEqual([1, 3]);
  await after(14);
  expect(await told()).toEqual([2, 3]);
  expect((await db.selectFrom('mailOutbox').select('body').orderBy('createdAt', 'desc').execute())[0]?.body).toContain('two/USDT');
  await after(15);
  await after(15);
  expect(await told()).toEqual([3, 3]);
});

test('one that has ended when the pause is over, or of which somebody has taken note, is not mailed', async () => {
  await raise();
  await raise('gone');
  await raise('seen');
  await after(0);
  await end();
  await raise(); // told already, so that nobody is told now
  await after(1);
  await end('gone');
  await end();
  const [seen] = (await listAlarms(db, userId)).filter(({ facts }) => facts['symbol'] === 'seen/USDT');
  await acknowledgeAlarms(db, [seen?.id ?? ''], { id: userId, seesAll: false });
  await after(1);
  await after(30);
  expect(await told()).toEqual([1, 3]);
});

test('what somebody was mailed with its cause is not mailed later either', async () => {
  await raiseAlarm(db, { kind: 'stopped-by-other', target: { level: 'bot', id: botId }, facts: { state: 'halted' }, wasMailed: true });
  await after(0);
  await after(30);
  expect(await told()).toEqual([0, 0]);
});

test('two processes do not mail about the same bot within the pause: one takes an alarm, and the other none', async () => {
  await raise('one');
  await raise('two');
  expect(await meets(takeNewAlarm, () => db.transaction().execute(takeNewAlarm))).toEqual({ hasWaited: false, value: null });
  const second = await db.transaction().execute(takeNewAlarm);
  expect(second).toMatchObject({ facts: { symbol: 'two/USDT' }, mayMail: false, isNotice: true });
});
