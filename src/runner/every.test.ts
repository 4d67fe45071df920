import { expect, test } from 'vitest';
import { every } from './every.ts';

/** Settles at the n-th call of `hit`. */
function countdown(n: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let calls = 0;
  const hit = (): void => {
    calls += 1;
    if (calls === n) resolve();
  };
  return { reached: promise, hit, calls: () => calls };
}

test('a round begins at once, and again after each pause; one that fails is reported and the next one comes', async () => {
  const rounds = countdown(3);
  const errors: unknown[] = [];
  const loop = every(
    1,
    async () => {
      rounds.hit();
      throw new Error(`round ${rounds.calls()}`);
    },
    (error) => errors.push(error),
  );
  expect(rounds.calls()).toBe(1);
  await rounds.reached;
  await loop.stop();
  expect(errors.slice(0, 3).map(String)).toEqual(['Error: round 1', 'Error: round 2', 'Error: round 3']);
});

test('rounds never overlap, however long one takes', async () => {
  const rounds = countdown(4);
  let running = 0;
  let most = 0;
  const loop = every(
    0,
    async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running -= 1;
      rounds.hit();
    },
    (error) => expect.fail(String(error)),
  );
  await rounds.reached;
  await loop.stop();
  expect(most).toBe(1);
});

test('stopping waits for the round under way and begins no other', async () => {
  const began = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let rounds = 0;
  const loop = every(
    0,
    async () => {
      rounds += 1;
      began.resolve();
      await gate.promise;
    },
    (error) => expect.fail(String(error)),
  );
  await began.promise;
  let isStopped = false;
  const stopping = loop.stop().then(() => (isStopped = true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isStopped).toBe(false);
  gate.resolve();
  await stopping;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(rounds).toBe(1);
});

test('stopped during a pause, no round begins any more', async () => {
  let rounds = 0;
  const loop = every(
    50,
    async () => void (rounds += 1),
    (error) => expect.fail(String(error)),
  );
  await new Promise((resolve) => setImmediate(resolve)); // the first round is over, the pause runs
  await loop.stop();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(rounds).toBe(1);
});

test('the first round may come after a pause; stopped before, none comes', async () => {
  const rounds = countdown(1);
  const fail = (error: unknown): never => expect.fail(String(error));
  const loop = every(20, async () => rounds.hit(), fail, 'after-pause');
  expect(rounds.calls()).toBe(0);
  await rounds.reached;
  await loop.stop();
  const stopped = every(20, async () => expect.fail('a round after the end'), fail, 'after-pause');
  await stopped.stop();
  await new Promise((resolve) => setTimeout(resolve, 100));
});
