import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { listAlarms } from '#storage/alarms/alarms.ts';
import { renewLease } from '#storage/bots/runners.ts';
import { addUser } from '#storage/users/users.ts';
import { keepAlarms } from './keep-alarms.ts';

const { db } = await freshDatabase();
const kinds = async () => (await listAlarms(db, null)).map(({ kind }) => kind);
const mails = async () => (await db.selectFrom('mailOutbox').select('subject').execute()).map(({ subject }) => subject);

test('no runner at two checks in a row is an alarm with a mail, until one is there', async () => {
  await addUser(db, { email: 'admin@example.com', passwordHash: 'none', role: 'admin', verified: true });
  await addTestBot(db, { strategy: 'AlwaysFlat' });
  const faults: unknown[] = [];
  let rounds = 0;
  const checking = keepAlarms({ db, now: () => (rounds++, new Date()), onError: (error) => faults.push(error) }, 2_000);
  onTestFinished(() => checking.stop());
  await expect.poll(() => rounds, { interval: 1 }).toBeGreaterThan(0);
  expect(await kinds()).toEqual([]); // a runner may be on its way back
  await expect.poll(kinds).toEqual(['no-runner']);
  const toBoth = ['No bots are running', 'No bots are running']; // to the admin and to the owner of the bot
  await expect.poll(mails).toEqual(toBoth);
  await renewLease(db, { id: randomUUID(), host: 'test', exchanges: ['sandbox'] }, 600_000, true);
  await expect.poll(kinds).toEqual([]);
  await checking.stop();
  expect([faults, await mails()]).toEqual([[], toBoth]);
});
