import { expect, test } from 'vitest';
import { inTurn } from './candle-queue.ts';

test('calls are made one after the other, also after one that failed', async () => {
  const { signal } = new AbortController();
  const made: string[] = [];
  const first = Promise.withResolvers<string>();
  const call = (name: string, reply: Promise<string>) =>
    inTurn(signal, () => {
      made.push(name);
      return reply;
    });
  const replies = [call('first', first.promise), call('second', Promise.resolve('2')), call('third', Promise.resolve('3'))];
  const settled = Promise.allSettled(replies);
  await expect.poll(() => made).toEqual(['first']);
  first.reject(new Error('refused'));
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(made).toEqual(['first', 'second', 'third']);
});

test('what nobody waits for any more is not asked for', async () => {
  const first = Promise.withResolvers<void>();
  const kept = new AbortController();
  const left = new AbortController();
  const waiting = inTurn(kept.signal, () => first.promise);
  let isAsked = false;
  const gone = inTurn(left.signal, async () => {
    isAsked = true;
    await Promise.resolve();
  });
  left.abort();
  first.resolve();
  await waiting;
  await expect(gone).rejects.toThrow(/abort/u);
  expect(isAsked).toBe(false);
});

test('one that nobody waits for any more and that never ends holds up no other', async () => {
  const left = new AbortController();
  const begun = Promise.withResolvers<void>();
  const hangs = inTurn(left.signal, () => {
    begun.resolve();
    return new Promise(() => {});
  });
  await begun.promise;
  const next = inTurn(new AbortController().signal, () => Promise.resolve('next'));
  left.abort();
  expect(await next).toBe('next');
  expect(await Promise.race([hangs, Promise.resolve('hangs')])).toBe('hangs');
});
