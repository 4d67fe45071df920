import { beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { findUserByEmail } from '../users/users.ts';
import type { AlarmAbout } from './alarms.ts';
import type { AlarmViewer } from './alarms.ts';
import { acknowledgeAlarms, endAlarm, listAlarms, raiseAlarm } from './alarms.ts';

const { db } = await freshDatabase();

/** A trader with a bot. */
async function aTrader(): Promise<{ id: string; botId: string }> {
  const owner = `${crypto.randomUUID()}@example.com`;
  const botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: owner, owner });
  return { id: (await findUserByEmail(db, owner))?.id ?? '', botId };
}
let mine: Awaited<ReturnType<typeof aTrader>>;
let other: Awaited<ReturnType<typeof aTrader>>;
beforeEach(async () => {
  await db.deleteFrom('alarms').execute();
  [mine, other] = [await aTrader(), await aTrader()];
});

/** Takes note of one alarm; null where this viewer may not. */
async function acknowledge(id: string, by: AlarmViewer) {
  return (await acknowledgeAlarms(db, [id], by))[0] ?? null;
}

async function raised(about: AlarmAbout): Promise<string> {
  await raiseAlarm(db, { ...about, facts: {} });
  const [alarm, ...more] = await listAlarms(db, null);
  expect(more).toEqual([]);
  return alarm?.id ?? '';
}

test.each(['difference', 'late-fill'] as const)('a trader takes note of a %s of an own bot alone, whatever bots he has', async (kind) => {
  const id = await raised({ kind, target: { level: 'bot', id: other.botId } });
  expect(await listAlarms(db, mine.id)).toEqual([]);
  expect(await acknowledge(id, { id: mine.id, seesAll: false })).toBeNull();
  expect(await listAlarms(db, other.id)).toMatchObject([{ id, acknowledgedAt: null }]);
  expect(await acknowledge(id, { id: other.id, seesAll: false })).toEqual({ kind, target: `bot ${other.botId}` });
  // What happened once is over with that; what lasts stays open, and is known to have been seen.
  expect(await listAlarms(db, other.id)).toMatchObject(kind === 'late-fill' ? [] : [{ id, acknowledgedAt: expect.any(Date) as Date }]);
});

test('what lasts is one alarm, until it has ended', async () => {
  const about = { kind: 'difference', target: { level: 'bot', id: mine.botId }, detail: 'BTC/USDT' } as const;
  for (let i = 0; i < 2; i++) await raiseAlarm(db, { ...about, facts: {} });
  expect(await listAlarms(db, null)).toHaveLength(1);
  await raiseAlarm(db, { ...about, detail: 'ETH/USDT', facts: {} });
  expect(await listAlarms(db, null)).toHaveLength(2);
  await endAlarm(db, about);
  await raiseAlarm(db, { ...about, facts: {} });
  expect(await listAlarms(db, null)).toHaveLength(2);
});

test('an alarm of an account or of the server is taken note of by its owner or an admin', async () => {
  const ofUser = await raised({ kind: 'limit-reached', target: { level: 'user', id: other.id } });
  expect(await acknowledge(ofUser, { id: mine.id, seesAll: false })).toBeNull();
  expect(await acknowledge(ofUser, { id: other.id, seesAll: false })).not.toBeNull();
  await db.deleteFrom('alarms').execute();
  const ofServer = await raised({ kind: 'no-runner', target: { level: 'server' } });
  for (const { id } of [mine, other]) expect(await acknowledge(ofServer, { id, seesAll: false })).toBeNull();
  expect(await acknowledge(ofServer, { id: mine.id, seesAll: true })).toEqual({ kind: 'no-runner', target: 'server' });
});
