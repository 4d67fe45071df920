import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { lockWaits } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
import type { Database } from '../database.ts';
import { findUserByEmail } from '../users/users.ts';
import type { AlarmAbout } from './alarms.ts';
import type { AlarmViewer } from './alarms.ts';
import {
  acknowledgeAlarms,
  endAlarm,
  endAlarms,
  endAlarmUpTo,
  endOtherAlarms,
  listAlarms,
  lockSeenAlarms,
  noteAlarmFacts,
  raiseAlarm,
} from './alarms.ts';

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

test('facts with half an emoji or the character of number 0, as a text of elsewhere may have them, are kept as well as they can be', async () => {
  const about = { kind: 'difference', target: { level: 'bot', id: mine.botId } } as const;
  await raiseAlarm(db, { ...about, facts: { symbol: 'cut \uD83D', expected: 'a\0b', actual: 1 } });
  const facts = async () => (await listAlarms(db, null)).map((alarm) => alarm.facts);
  expect(await facts()).toEqual([{ symbol: 'cut \uFFFD', expected: 'ab', actual: 1 }]);
  await noteAlarmFacts(db, { ...about, facts: { symbol: '\uDE00 cut' } });
  expect(await facts()).toEqual([{ symbol: '\uFFFD cut' }]);
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

describe('an alarm of what has happened', () => {
  const { meets } = twoConnections(db);
  const about = () => ({ kind: 'late-fill', target: { level: 'bot', id: mine.botId } }) as const;
  const happens = (detail: string, on: Database = db) => raiseAlarm(on, { ...about(), detail, facts: { order: detail } });
  const seen = async () => (await listAlarms(db, null)).map(({ id, count }) => ({ id, count }));
  const everybody = () => ({ id: mine.id, seesAll: true });
  /** Takes note of what was seen, as the server does it. */
  const note = (some: Awaited<ReturnType<typeof seen>>, by: AlarmViewer = everybody()) =>
    db.transaction().execute(async (trx) => {
      const { same, grown } = await lockSeenAlarms(trx, some, by);
      return { done: (await acknowledgeAlarms(trx, same, by)).length, grown };
    });

  test('is taken note of as often as it was seen to have happened, and stays when it has happened again', async () => {
    await happens('fl-1');
    const first = await seen();
    expect(first).toEqual([{ id: expect.any(String) as string, count: 1 }]);
    await happens('fl-1'); // the same once more
    await happens('fl-2');
    expect(await note(first)).toEqual({ done: 0, grown: [first[0]?.id] });
    expect(await seen()).toEqual([{ id: first[0]?.id, count: 2 }]);
    // Who says both has not seen what is there.
    expect(await note([...first, ...(await seen())])).toEqual({ done: 0, grown: [first[0]?.id] });
    expect(await note(await seen())).toEqual({ done: 1, grown: [] });
    expect(await seen()).toEqual([]);
  });

  test('of several those stay that have happened again; the rest is taken note of', async () => {
    await happens('fl-1');
    await raiseAlarm(db, { kind: 'difference', target: { level: 'bot', id: mine.botId }, detail: 'BTC/USDT', facts: {} });
    await raiseAlarm(db, { kind: 'amount-differs', target: { level: 'bot', id: mine.botId }, detail: 'fl-1', facts: {} });
    const before = await seen();
    await happens('fl-2');
    const late = (await listAlarms(db, null)).find(({ kind }) => kind === 'late-fill');
    expect(await note(before)).toEqual({ done: 2, grown: [late?.id] });
    expect((await listAlarms(db, null)).map(({ kind, acknowledgedAt }) => `${kind} ${acknowledgedAt !== null}`).toSorted()).toEqual([
      'difference true',
      'late-fill false',
    ]);
  });

  test('of others, and one that has ended, is neither taken note of nor said to have happened again', async () => {
    await happens('fl-1');
    const before = await seen();
    await happens('fl-2');
    const stranger = { id: other.id, seesAll: false };
    expect([await note(before, stranger), await note(await seen(), stranger)]).toEqual([
      { done: 0, grown: [] },
      { done: 0, grown: [] },
    ]);
    await endAlarm(db, about());
    expect(await note(before)).toEqual({ done: 0, grown: [] });
  });

  test('that happens again while a person takes note of it stays', async () => {
    await happens('fl-1');
    const before = await seen();
    const second = await meets(
      (trx) => happens('fl-2', trx),
      () => note(before),
    );
    expect(second).toEqual({ hasWaited: true, value: { done: 0, grown: [before[0]?.id] } });
    expect(await seen()).toEqual([{ id: before[0]?.id, count: 2 }]);
  });

  test('that is taken note of while it happens again is over, and what has happened is a new one', async () => {
    await happens('fl-1');
    const before = await seen();
    const second = await meets(
      async (trx) => acknowledgeAlarms(trx, (await lockSeenAlarms(trx, before, everybody())).same, everybody()),
      () => happens('fl-2'),
    );
    expect(second.hasWaited).toBe(true);
    expect(await listAlarms(db, null)).toMatchObject([{ count: 1, facts: { order: 'fl-2' } }]);
  });

  test('that two take note of at once is taken note of once', async () => {
    await happens('fl-1');
    await raiseAlarm(db, { kind: 'amount-differs', target: { level: 'bot', id: mine.botId }, detail: 'fl-1', facts: {} });
    const before = await seen();
    const second = await meets(
      async (trx) => acknowledgeAlarms(trx, (await lockSeenAlarms(trx, before, everybody())).same, everybody()),
      () => note(before.toReversed()),
    );
    expect(second).toEqual({ hasWaited: true, value: { done: 0, grown: [] } });
  });

  test('does not end up to a day while a later one is being added', async () => {
    const days = { kind: 'decision-differs', target: { level: 'bot', id: mine.botId } } as const;
    await raiseAlarm(db, { ...days, detail: '2026-11-20', facts: {} });
    const second = await meets(
      (trx) => raiseAlarm(trx, { ...days, detail: '2026-11-22', facts: {} }),
      () => db.transaction().execute((trx) => endAlarmUpTo(trx, days, '2026-11-21')),
    );
    expect(second.hasWaited).toBe(true);
    expect(await listAlarms(db, null)).toMatchObject([{ kind: 'decision-differs', count: 2 }]);
  });
});

describe('while somebody is at an alarm', () => {
  const target = () => ({ level: 'bot', id: mine.botId }) as const;
  const about = {
    limit: () => ({ kind: 'limit-reached', target: target() }) as const,
    stop: () => ({ kind: 'stopped-by-other', target: target() }) as const,
  };
  const ids = { low: '00000000-0000-4000-8000-000000000001', high: '00000000-0000-4000-8000-000000000002' };
  const locked = (on: Database, id: string) => sql`select from alarms where id = ${id} for update`.execute(on);
  const openKinds = async () => (await listAlarms(db, null)).map(({ kind }) => kind).toSorted();
  const waits = () => expect.poll(() => lockWaits(db)).toBeGreaterThan(0);
  beforeEach(async () => {
    for (const [id, each] of [
      [ids.low, about.limit()],
      [ids.high, about.stop()],
    ] as const) {
      await raiseAlarm(db, { ...each, facts: { old: 1 } });
      await sql`update alarms set id = ${id} where kind = ${each.kind} and ended_at is null`.execute(db);
    }
  });

  test.each(['stopped-by-other', 'limit-reached'] as const)(
    'several kinds are ended in the sequence in which people lock them (first %s)',
    async (first) => {
      const second = first === 'limit-reached' ? 'stopped-by-other' : 'limit-reached';
      let ended: Promise<void> = Promise.resolve();
      await db.transaction().execute(async (trx) => {
        await locked(trx, ids.low);
        ended = db.transaction().execute((other) => endAlarms(other, [first, second], target()));
        await waits();
        await locked(trx, ids.high); // which nobody holds
      });
      await ended;
      expect(await openKinds()).toEqual([]);
    },
  );

  test.each(['low', 'high'] as const)('several are taken note of in that sequence, wherever their rows lie (first %s)', async (first) => {
    await sql`update alarms set facts = facts where id = ${ids[first === 'low' ? 'high' : 'low']}`.execute(db); // its row comes after the other's
    let noted: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (trx) => {
      await locked(trx, ids.low);
      noted = db.transaction().execute(async (other) => {
        for (const scan of ['indexscan', 'bitmapscan']) await sql`set local ${sql.raw(`enable_${scan}`)} = off`.execute(other); // as with few rows
        return await acknowledgeAlarms(other, [ids.high, ids.low], { id: mine.id, seesAll: true });
      });
      await waits();
      await locked(trx, ids.high); // which nobody holds
    });
    expect(await noted).toHaveLength(2);
  });

  test('what is gone is ended but for that one, which ends the next time; new facts are noted of the others', async () => {
    await db.transaction().execute(async (trx) => {
      await locked(trx, ids.low);
      for (const each of [about.limit(), about.stop()]) await noteAlarmFacts(db, { ...each, facts: { new: 1 } });
      await endOtherAlarms(db, ['limit-reached', 'stopped-by-other'], []);
    });
    expect(await openKinds()).toEqual(['limit-reached']);
    const { rows } = await sql<{
      kind: string;
      facts: unknown;
    }>`select kind, facts from alarms where id in (${ids.low}, ${ids.high}) order by id`.execute(db);
    expect(rows).toEqual([
      { kind: 'limit-reached', facts: { old: 1 } },
      { kind: 'stopped-by-other', facts: { new: 1 } },
    ]);
    await endOtherAlarms(db, ['limit-reached', 'stopped-by-other'], []);
    expect(await openKinds()).toEqual([]);
  });
});
