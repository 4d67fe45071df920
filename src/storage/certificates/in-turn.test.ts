import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { addDecisions } from '../bots/decisions.ts';
import type { FoundCertificate } from './certificates.ts';
import {
  askCertificate,
  askNightly,
  claimCertificate,
  dropAskedBy,
  failCertificate,
  findCertificate,
  keepCertificate,
  renewClaim,
} from './certificates.ts';

const { db } = await freshDatabase();
const dayMs = 86_400_000;
const today = Date.now(); // one day for all, also where midnight passes meanwhile
const dayAgo = (days: number): string => new Date(today - days * dayMs).toISOString().slice(0, 10);
const days = [1, 2, 3, 4].map(dayAgo);

beforeEach(() => sql`delete from bots`.execute(db));

/** A person's bot that ran on each of the days. */
async function aBot(): Promise<{ id: string; userId: string }> {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: randomUUID(), owner: `${randomUUID()}@example.com` });
  const decided = days.map((day) => ({
    botId: id,
    epoch: '0',
    symbol: 'BTC/USDT',
    candleTime: Date.parse(`${day}T10:00:00Z`),
    action: 'none',
    gate: 'no-signal',
    seen: { enterLong: false, exitLong: false, enterShort: false, exitShort: false },
    decidedAt: Date.parse(`${day}T10:01:00Z`),
  }));
  await addDecisions(db, decided);
  const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', id).executeTakeFirstOrThrow();
  return { id, userId };
}
type Bot = Awaited<ReturnType<typeof aBot>>;

const press = async (bot: Bot, day: string, by = bot.userId): Promise<void> =>
  expect(await askCertificate(db, bot.id, day, by)).toBe('asked');
const found: FoundCertificate = { mode: 'paper', currency: 'USDT', promised: '1', made: '1', differing: [], certificate: {}, tookMs: 1 };

/** Replays the next one that is wanted; gives whose bot and which day it was of. */
async function replayed(): Promise<[botId: string, day: string] | null> {
  const claim = await claimCertificate(db);
  if (claim === null) return null;
  expect(await keepCertificate(db, claim, found, new Date())).toBe(true);
  return [claim.botId, claim.day];
}
async function all(): Promise<[string, string][]> {
  const order: [string, string][] = [];
  for (let next = await replayed(); next !== null; next = await replayed()) order.push(next);
  return order;
}

describe('turns among people', () => {
  test('who has many days replayed does not hold up who comes later with one', async () => {
    const [many, one] = [await aBot(), await aBot()];
    for (const day of days) await press(many, day);
    expect(await replayed()).toEqual([many.id, days[0]]);
    await press(one, days[0]);
    expect(await all()).toEqual([[one.id, days[0]], ...days.slice(1).map((day) => [many.id, day])]);
  });

  test('with many each, they take turns', async () => {
    const bots = [await aBot(), await aBot(), await aBot()];
    for (const bot of bots) for (const day of days) await press(bot, day);
    expect((await all()).map(([id]) => id)).toEqual(days.flatMap(() => bots.map(({ id }) => id)));
  });

  test('nights take turns too, and for a person come after what that person waits for', async () => {
    const [presses, sleeps] = [await aBot(), await aBot()];
    await askNightly(db, new Date(today));
    // The oldest of the nightly ones is not among them, so that it can be distinguished.
    await sql`delete from certificates where bot_id = ${presses.id} and day = ${days[3]}::date`.execute(db);
    await press(presses, days[3]);
    const order = await all();
    const of = ({ id }: Bot) => order.filter(([botId]) => botId === id).map(([, day]) => day);
    expect(of(presses)[0]).toBe(days[3]);
    expect(of(presses)).toHaveLength(days.length);
    expect(of(sleeps)).toHaveLength(days.length);
    expect(order.slice(0, 6).map(([id]) => id)).toEqual([presses, sleeps, presses, sleeps, presses, sleeps].map(({ id }) => id));
  });

  test('a day that is pressed again and again takes a turn each time', async () => {
    const [again, one] = [await aBot(), await aBot()];
    await press(again, days[0]);
    expect(await replayed()).toEqual([again.id, days[0]]);
    await press(one, days[0]);
    expect(await replayed()).toEqual([one.id, days[0]]);
    await press(again, days[0]);
    await press(one, days[1]);
    expect((await all()).map(([id]) => id)).toEqual([again.id, one.id]);
  });

  test('what somebody presses for the bot of another is the turn of who pressed', async () => {
    const [bot, admin] = [await aBot(), await aBot()];
    for (const day of days.slice(0, 3)) await press(bot, day, admin.userId);
    await press(bot, days[3]);
    expect((await all()).map(([, day]) => day)).toEqual([days[0], days[3], days[1], days[2]]);
  });
});

describe('a replay that failed for a reason that may pass', () => {
  const passAnHour = () => sql`update certificates set retry_at = retry_at - interval '61 minutes'`.execute(db);
  const fail = async (): Promise<void> => failCertificate(db, (await claimCertificate(db))!, 'The exchange does not answer.', true);

  test('is not given up by a restart, however often the exchange did not answer', async () => {
    const bot = await aBot();
    await press(bot, days[0]);
    for (let hours = 0; hours < 3; hours++) {
      await fail();
      await passAnHour();
    }
    expect(await claimCertificate(db)).not.toBeNull();
    await sql`update certificates set lease_until = now() - interval '1 second'`.execute(db); // the worker has ended
    expect(await replayed()).toEqual([bot.id, days[0]]);
  });

  test('is tried again for a week after its day, and then no more', async () => {
    const bot = await aBot();
    await press(bot, days[0]);
    await fail();
    await passAnHour();
    const setDay = (ago: number) => sql`update certificates set day = (now() at time zone 'UTC')::date - ${ago}::int`.execute(db);
    await setDay(8);
    expect(await claimCertificate(db)).toBeNull();
    await setDay(6);
    expect(await claimCertificate(db)).toMatchObject({ botId: bot.id });
  });
});

describe('what a person has asked for is dropped', () => {
  test('a day that was not made before is as if nobody had asked, whether it waits or is under way; its replay writes nothing', async () => {
    const [bot, other] = [await aBot(), await aBot()];
    await press(bot, days[0]);
    const claim = await claimCertificate(db);
    await press(bot, days[1]);
    await press(other, days[0]);
    expect(await db.transaction().execute((trx) => dropAskedBy(trx, bot.userId))).toBe(2);
    expect(await keepCertificate(db, claim!, found, new Date())).toBe(false);
    await failCertificate(db, claim!, 'The thread has ended', true);
    expect([await findCertificate(db, bot.id, days[0]), await findCertificate(db, bot.id, days[1])]).toEqual([null, null]);
    expect(await all()).toEqual([[other.id, days[0]]]);
  });

  test('what was found before stays, and why it failed before', async () => {
    const bot = await aBot();
    await press(bot, days[0]);
    await replayed();
    await press(bot, days[1]);
    await failCertificate(db, (await claimCertificate(db))!, 'The bot is gone.', false);
    await press(bot, days[0]);
    const claim = await claimCertificate(db);
    await press(bot, days[1]);
    expect(await db.transaction().execute((trx) => dropAskedBy(trx, bot.userId))).toBe(2);
    expect(await keepCertificate(db, claim!, { ...found, made: '2' }, new Date())).toBe(false);
    expect(await findCertificate(db, bot.id, days[0])).toMatchObject({ state: 'done', why: null, made: '1' });
    expect(await findCertificate(db, bot.id, days[1])).toMatchObject({ state: 'failed', why: 'The bot is gone.' });
    expect(await claimCertificate(db)).toBeNull();
  });

  test('a replay that was dropped has no part in one that was asked for afterwards and is under way elsewhere', async () => {
    const bot = await aBot();
    await press(bot, days[0]);
    const dropped = (await claimCertificate(db))!;
    await db.transaction().execute((trx) => dropAskedBy(trx, bot.userId));
    await press(bot, days[0]);
    const elsewhere = (await claimCertificate(db))!;
    expect([dropped.tries, elsewhere.tries]).toEqual([1, 1]);
    expect(await renewClaim(db, dropped)).toBe(false);
    expect(await keepCertificate(db, dropped, { ...found, made: '2' }, new Date())).toBe(false);
    await failCertificate(db, dropped, 'The thread has ended', true);
    expect(await findCertificate(db, bot.id, days[0])).toMatchObject({ state: 'replaying', why: null, made: null });
    expect(await renewClaim(db, elsewhere)).toBe(true);
    expect(await keepCertificate(db, elsewhere, found, new Date())).toBe(true);
  });

  test('a night that failed for a reason that may pass is tried again an hour later, as if nobody had asked', async () => {
    const bot = await aBot();
    await askNightly(db, new Date(today));
    const claims = [];
    for (let claim = await claimCertificate(db); claim !== null; claim = await claimCertificate(db)) claims.push(claim);
    for (const claim of claims) await failCertificate(db, claim, 'The exchange does not answer.', claim.day === days[0]);
    await press(bot, days[0]);
    expect(await db.transaction().execute((trx) => dropAskedBy(trx, bot.userId))).toBe(1);
    expect(await findCertificate(db, bot.id, days[0])).toMatchObject({ state: 'failed', why: 'The exchange does not answer.' });
    const pass = (minutes: number) => sql`update certificates set retry_at = retry_at - ${`${minutes} minutes`}::interval`.execute(db);
    await pass(59);
    expect(await claimCertificate(db)).toBeNull();
    await pass(2);
    expect(await all()).toEqual([[bot.id, days[0]]]);
  });

  test('what is made by night continues, and so does what others have asked for', async () => {
    const [bot, admin] = [await aBot(), await aBot()];
    await press(bot, days[3], admin.userId);
    await askNightly(db, new Date(today));
    expect(await db.transaction().execute((trx) => dropAskedBy(trx, bot.userId))).toBe(0);
    expect((await all()).filter(([id]) => id === bot.id)).toHaveLength(days.length);
  });
});
