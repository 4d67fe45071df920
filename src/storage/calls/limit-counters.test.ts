import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { countDown, countUp, readCounter } from './limit-counters.ts';

const { db } = await freshDatabase();
const start = new Date('2026-03-01T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const valueOf = async (key: string) =>
  (await db.selectFrom('limitCounters').select('count').where('key', '=', key).executeTakeFirstOrThrow()).count;

test('a window begins with its first use, does not slide, and the use after it is the first of the next', async () => {
  expect(await countUp(db, 'window', start, 1_000)).toEqual({ count: 1, resetsAt: after(1_000) });
  expect(await countUp(db, 'window', after(999), 1_000)).toEqual({ count: 2, resetsAt: after(1_000) });
  expect(await readCounter(db, 'window', after(999), 1_000)).toEqual({ count: 2, resetsAt: after(1_000) });
  expect(await readCounter(db, 'window', after(1_000), 1_000)).toEqual({ count: 0, resetsAt: after(1_000) });
  expect(await countUp(db, 'window', after(1_000), 1_000)).toEqual({ count: 1, resetsAt: after(2_000) });
});

test('a window that a clock which was ahead has begun is over once it is set back; calls that overtake each other count in one', async () => {
  await countUp(db, 'ahead', after(3_600_000), 30_000);
  expect((await readCounter(db, 'ahead', start, 30_000)).count).toBe(0);
  expect(await countUp(db, 'ahead', start, 30_000)).toEqual({ count: 1, resetsAt: after(30_000) });
  expect(await countUp(db, 'ahead', after(-20_000), 30_000)).toEqual({ count: 2, resetsAt: after(30_000) });
  expect((await readCounter(db, 'ahead', after(-20_000), 30_000)).count).toBe(2);
});

test('a hundred at once are a hundred', async () => {
  const counts = await Promise.all(Array.from({ length: 100 }, () => countUp(db, 'at once', start, 1_000)));
  expect(new Set(counts.map(({ count }) => count)).size).toBe(100);
});

test('one is uncounted, never below zero and never of a window that has passed: else a later guess would be free', async () => {
  await countUp(db, 'uncounted', start, 1_000);
  await countDown(db, 'uncounted', start);
  await countDown(db, 'uncounted', start);
  expect(await valueOf('uncounted')).toBe(0);
  await countUp(db, 'passed', start, 1_000);
  await countDown(db, 'passed', after(1_000));
  expect(await valueOf('passed')).toBe(1);
});
