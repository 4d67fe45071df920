import { expect, test } from 'vitest';
import { OneAtATime } from './one-at-a-time.ts';

test('the work of one person is done one after the other, also after a failure; four wait, and the next is refused', async () => {
  const queue = new OneAtATime();
  const ends: PromiseWithResolvers<string>[] = [];
  const begin = (person: string) =>
    queue.do(person, () => {
      const end = Promise.withResolvers<string>();
      ends.push(end);
      return end.promise;
    });
  const mine = Array.from({ length: 5 }, () => begin('me'));
  await expect(begin('me')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 5 });
  const other = begin('other');
  await expect.poll(() => ends.length).toBe(2); // one of each
  ends[1]?.resolve('theirs');
  expect(await other).toBe('theirs');
  ends[0]?.reject(new Error('broken'));
  await expect(mine[0]).rejects.toThrow('broken');
  await expect.poll(() => ends.length).toBe(3);
  const late = begin('me'); // a place is free again
  for (let i = 2; i < 7; i++) {
    await expect.poll(() => ends.length).toBe(i + 1);
    ends[i]?.resolve(`${i}`);
  }
  expect(await Promise.all([...mine.slice(1), late])).toEqual(['2', '3', '4', '5', '6']);
});
