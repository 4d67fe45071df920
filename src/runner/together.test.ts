import { expect, test } from 'vitest';
import { Together } from './together.ts';

/** Work that says what it was asked for, and does it when the test says so. */
function someWork(given: { refusesTogether?: boolean; mostAtOnce?: number } = {}) {
  const asked: (readonly string[] | string)[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const gate = async (): Promise<void> => {
    const next = Promise.withResolvers<void>();
    gates.push(next);
    await next.promise;
  };
  const together = new Together<string, string>({
    async all(pieces) {
      asked.push(pieces);
      await gate();
      return pieces.map((piece) => (given.refusesTogether === true ? null : `${piece} done`));
    },
    async one(piece) {
      asked.push(piece);
      await gate();
      return `${piece} done alone`;
    },
    mostAtOnce: given.mostAtOnce ?? 10,
  });
  const reached = (n: number) => expect.poll(() => asked.length).toBe(n);
  return { together, asked, gates, reached };
}

test('what is asked for in one moment is done together, each with its own result', async () => {
  const { together, asked, gates, reached } = someWork();
  const done = Promise.all(['a', 'b', 'c'].map((piece) => together.do(piece)));
  await reached(1);
  expect(asked).toEqual([['a', 'b', 'c']]);
  gates[0]?.resolve();
  expect(await done).toEqual(['a done', 'b done', 'c done']);
});

test('one alone is done alone', async () => {
  const { together, asked, gates, reached } = someWork();
  const done = together.do('a');
  await reached(1);
  expect(asked).toEqual(['a']);
  gates[0]?.resolve();
  expect(await done).toBe('a done alone');
});

test('what is asked for while two are under way is done together after the first of them, so many at once', async () => {
  const { together, asked, gates, reached } = someWork({ mostAtOnce: 2 });
  const first = ['a', 'b', 'c', 'd', 'e'].map((piece) => together.do(piece));
  await reached(2);
  expect(asked).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  const late = together.do('f');
  await new Promise((resolve) => void setTimeout(resolve, 30));
  expect(asked).toHaveLength(2);
  gates[1]?.resolve();
  expect(await first[3]).toBe('d done');
  await reached(3);
  expect(asked[2]).toEqual(['e', 'f']);
  gates[2]?.resolve();
  expect(await late).toBe('f done');
});

test('what cannot be done together is done one by one, and a failure is that of one', async () => {
  const failing = new Together<string, string>({
    all: async (pieces) => await Promise.resolve(pieces.map(() => null)),
    one: async (piece) => (piece === 'b' ? await Promise.reject(new Error('b fails')) : await Promise.resolve(piece)),
    mostAtOnce: 10,
  });
  expect(await Promise.allSettled(['a', 'b', 'c'].map((piece) => failing.do(piece)))).toMatchObject([
    { value: 'a' },
    { reason: new Error('b fails') },
    { value: 'c' },
  ]);
});

test('only what was left out is done alone', async () => {
  const alone: string[] = [];
  const together = new Together<string, string>({
    all: async (pieces) => await Promise.resolve(pieces.map((piece) => (piece === 'b' ? null : piece))),
    async one(piece) {
      alone.push(piece);
      return await Promise.resolve(`${piece} alone`);
    },
    mostAtOnce: 10,
  });
  expect(await Promise.all(['a', 'b', 'c'].map((piece) => together.do(piece)))).toEqual(['a', 'b alone', 'c']);
  expect(alone).toEqual(['b']);
});

test('when nobody knows whether it was done, nothing is tried alone', async () => {
  let alone = 0;
  const lost = new Together<string, string>({
    all: async () => await Promise.reject(new Error('connection lost')),
    one: async (piece) => await Promise.resolve(`${piece} ${(alone += 1)}`),
    mostAtOnce: 10,
  });
  const results = await Promise.allSettled(['a', 'b'].map((piece) => lost.do(piece)));
  expect(results).toMatchObject([{ reason: new Error('connection lost') }, { reason: new Error('connection lost') }]);
  expect(alone).toBe(0);
  expect(await lost.do('c')).toBe('c 1'); // it continues
});

test('those that wait for long alone hold up nobody', async () => {
  const { together, asked, gates, reached } = someWork({ refusesTogether: true });
  const stuck = ['a', 'b', 'c', 'd'].map((piece) => together.do(piece));
  await reached(1);
  gates[0]?.resolve();
  await reached(5); // each alone, and none of them ends
  const next = [together.do('x'), together.do('y')];
  await reached(6);
  expect(asked[5]).toEqual(['x', 'y']);
  for (let i = 5; i < 8; i++) {
    await expect.poll(() => gates.length).toBeGreaterThan(i);
    gates[i]?.resolve();
  }
  expect(await Promise.all(next)).toEqual(['x done alone', 'y done alone']);
  gates.forEach(({ resolve }) => resolve());
  expect(await Promise.all(stuck)).toHaveLength(4);
});

test('what waits alone for long holds up nobody: the next are done meanwhile', async () => {
  const gate = Promise.withResolvers<void>();
  const together = new Together<string, string>({
    all: async (pieces) => await Promise.resolve(pieces.map((piece) => (piece.startsWith('locked') ? null : piece))),
    async one(piece) {
      if (piece.startsWith('locked')) await gate.promise;
      return `${piece} alone`;
    },
    mostAtOnce: 2,
  });
  const locked = ['locked a', 'locked b', 'locked c', 'locked d'].map((piece) => together.do(piece)); // both lanes have one
  expect(await Promise.all(['e', 'f'].map((piece) => together.do(piece)))).toEqual(['e', 'f']);
  gate.resolve();
  expect(await Promise.all(locked)).toEqual(['locked a alone', 'locked b alone', 'locked c alone', 'locked d alone']);
});
