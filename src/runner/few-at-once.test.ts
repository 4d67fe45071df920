import { expect, test } from 'vitest';
import { fewAtOnce } from './few-at-once.ts';

test('each is worked on once, never more than so many at a time, and one that fails or hangs does not hold up the others', async () => {
  const items = Array.from({ length: 20 }, (_, i) => i);
  const done: number[] = [];
  const errors: unknown[] = [];
  let [now, most] = [0, 0];
  let release = (): void => {};
  const hangs = new Promise<void>((resolve) => (release = resolve));
  const all = fewAtOnce(
    items,
    3,
    async (item) => {
      now += 1;
      most = Math.max(most, now);
      await (item === 2 ? hangs : new Promise((resolve) => setImmediate(resolve)));
      now -= 1;
      if (item === 5) throw new Error('five');
      done.push(item);
    },
    (error) => errors.push(error),
  );
  await expect.poll(() => done.length).toBe(18); // all but the one that hangs and the one that fails
  release();
  await all;
  expect(done.toSorted((a, b) => a - b)).toEqual(items.filter((item) => item !== 5));
  expect([most, errors.map(String)]).toEqual([3, ['Error: five']]);
});
