import { describe, expect, test } from 'vitest';
import type { Row } from './answer-row.ts';
import { compareIds, type PagedList, rowsFrom, rowsSince } from './pages.ts';

const day = 86_400_000;

/** A list as the exchange keeps it: it gives at most `limit` rows, and by time no more than a day. */
function listOf(rows: readonly { id: string; time: number }[], kept: { ms: number; now: number } | null = null) {
  const asked: object[] = [];
  const list: PagedList = {
    idName: 'id',
    idParameter: 'fromId',
    timeName: 'time',
    windowMs: day,
    ...(kept === null ? {} : { keptMs: kept.ms }),
    async fetch(range) {
      asked.push(range);
      const {
        fromId,
        startTime = 0,
        endTime = Infinity,
        limit,
      } = range as { fromId?: string; startTime?: number; endTime?: number; limit: number };
      if (kept !== null && fromId === undefined && startTime < kept.now - kept.ms) throw new Error('so long ago is not kept');
      if (endTime !== Infinity && endTime - startTime >= day) throw new Error('more than a day');
      const found = rows.filter(
        ({ id, time }) => (fromId === undefined || compareIds(id, fromId) >= 0) && time >= startTime && time <= endTime,
      );
      return found.toSorted((a, b) => compareIds(a.id, b.id)).slice(0, limit);
    },
  };
  return { list, asked };
}
const many = (count: number, first = 9_007_199_254_740_993n) =>
  Array.from({ length: count }, (_, i) => ({ id: String(first + BigInt(i)), time: i }));
const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);

describe('a list in pages', () => {
  test.each([0, 1, 999, 1000, 1001, 2000, 2500])(
    'of %i rows is read whole, each row once, also with ids longer than a number is exact',
    async (count) => {
      const { list } = listOf(many(count));
      expect(ids(await rowsFrom(list, '1'))).toEqual(many(count).map(({ id }) => id));
    },
  );

  test('begins with the id it is asked for, and ends when that is enough', async () => {
    const { list, asked } = listOf(many(5000, 1n));
    expect(ids(await rowsFrom(list, '4999'))).toEqual(['4999', '5000']);
    asked.length = 0;
    expect(await rowsFrom(list, '1', (rows) => rows.length >= 1500)).toHaveLength(2000);
    expect(asked).toHaveLength(2);
  });

  test('since a time: one window begins where the last has ended', async () => {
    for (const time of [day - 1, day, 2 * day - 1]) {
      const { list } = listOf([
        { id: '1', time },
        { id: '2', time: 4 * day },
      ]);
      expect(ids(await rowsSince(list, 0, 10 * day))).toEqual(['1', '2']);
    }
  });

  test('since a time: days without a row are passed, and after the first row ids lead on', async () => {
    const rows = many(2500, 1n).map(({ id }, i) => ({ id, time: 5 * day + i * 60_000 })); // longer than a day
    const { list, asked } = listOf(rows);
    expect(ids(await rowsSince(list, 0, 10 * day))).toEqual(rows.map(({ id }) => id));
    expect(asked.length).toBeLessThan(12);
    expect(ids(await rowsSince(list, 5 * day + 60_000, 10 * day))).toEqual(rows.slice(1).map(({ id }) => id));
    expect(await rowsSince(list, 8 * day, 10 * day)).toEqual([]);
  });

  test('since a time that has not come by our clock, which is late, it is asked all the same', async () => {
    const { list, asked } = listOf([{ id: '7', time: 5 * day + 1 }]);
    expect(ids(await rowsSince(list, 5 * day, 5 * day - 1))).toEqual(['7']);
    expect(await rowsSince(list, 6 * day, 5 * day)).toEqual([]);
    expect(asked).toHaveLength(3);
  });

  test.each([20, 90, 9_999])('since a time %i days ago it is asked for no more than the exchange keeps', async (days) => {
    const now = 10_000 * day;
    const { list, asked } = listOf(
      [
        { id: '4', time: now - 10 * day },
        { id: '5', time: now - day },
      ],
      { ms: 15 * day, now },
    );
    expect(ids(await rowsSince(list, now - days * day, now))).toEqual(['4', '5']);
    expect(asked.length).toBeLessThan(20);
  });

  test('since a time long ago it is not asked for day by day', async () => {
    const rows = many(1500, 1n).map(({ id }) => ({ id, time: 9000 * day }));
    const { list, asked } = listOf([{ id: '0', time: 1 }, ...rows]);
    expect(ids(await rowsSince(list, 2, 10_000 * day))).toEqual(rows.map(({ id }) => id));
    expect(asked.length).toBeLessThan(5);
  });
});
