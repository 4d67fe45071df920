import { setTimeout as sleep } from 'node:timers/promises';
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

test('a place is held until what was made has been sent; the next begins then, and a failure holds nothing', async () => {
  const queue = new OneAtATime();
  const first = await queue.hold('me', () => Promise.resolve('first'));
  const begun: string[] = [];
  const next = ['second', 'third'].map((name) =>
    queue.do('me', async () => {
      begun.push(name);
      return name;
    }),
  );
  expect((await queue.hold('other', () => Promise.resolve('theirs'))).made).toBe('theirs');
  expect([first.made, begun]).toEqual(['first', []]);
  first.free();
  first.free(); // the caller has gone after it was sent
  expect(await Promise.all(next)).toEqual(['second', 'third']);
  await expect(queue.hold('me', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await queue.do('me', () => Promise.resolve('again'))).toBe('again');
});

test('who holds a place has four waiting, and the next is refused', async () => {
  const queue = new OneAtATime();
  const { free } = await queue.hold('me', () => Promise.resolve());
  const waiting = Array.from({ length: 4 }, () => queue.do('me', () => Promise.resolve('done')));
  await expect(queue.hold('me', () => Promise.resolve())).rejects.toMatchObject({ status: 429 });
  free();
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 4 }, () => 'done'));
});

test('after work that keeps the processor from others its person rests four times as long, half a second at most; others do not', async () => {
  const queue = new OneAtATime();
  const times: { person: string; begun: number; ended: number }[] = [];
  const work = (person: string, ms: number) =>
    queue.doAndRest(person, async () => {
      const begun = performance.now();
      await sleep(ms);
      times.push({ person, begun, ended: performance.now() });
      return ms;
    });
  const answers = [work('me', 80), work('me', 1), work('other', 1)];
  expect(await answers[0]).toBe(80);
  expect(times.map(({ person }) => person)).toEqual(['other', 'me']); // whoever asked does not wait for the rest
  expect(await Promise.all(answers)).toEqual([80, 1, 1]);
  const rest = (): number => {
    const [before, after] = times.slice(-2);
    return (after?.begun ?? 0) - (before?.ended ?? 0);
  };
  expect(rest()).toBeGreaterThan(250);
  await work('slow', 700);
  await work('slow', 1);
  expect(rest()).toBeGreaterThan(450);
  expect(rest()).toBeLessThan(2_000); // not four times 700 ms
});
