import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { addCode, takeTry, useCode } from './codes.ts';

const { db } = await freshDatabase();
const now = new Date('2026-03-01T12:00:00Z');
const later = new Date(now.getTime() + 60_000);
const code = (emailKey: string) => ({ emailKey, purpose: 'reset' as const, holder: '' });
const add = (emailKey: string) =>
  addCode(db, { ...code(emailKey), userId: null, salt: Buffer.from('s'), hash: Buffer.from('h'), createdAt: now, expiresAt: later });

test('of two that enter the right code at once one uses it', async () => {
  await add('twice');
  const tries = await Promise.all([takeTry(db, code('twice'), now, 5), takeTry(db, code('twice'), now, 5)]);
  const used = await Promise.all(tries.map((taken) => useCode(db, taken?.id ?? '', now)));
  expect(used.filter(Boolean)).toHaveLength(1);
});

test('who has compared with an earlier code cannot use up the one that took its place', async () => {
  await add('replaced');
  const earlier = await takeTry(db, code('replaced'), now, 5);
  await add('replaced');
  expect(await useCode(db, earlier?.id ?? '', now)).toBe(false);
  expect(await takeTry(db, code('replaced'), now, 5)).toMatchObject({ tries: 1 });
});

test('twenty at once get five tries', async () => {
  await add('at once');
  const taken = await Promise.all(Array.from({ length: 20 }, () => takeTry(db, code('at once'), now, 5)));
  expect(taken.filter((each) => each !== null)).toHaveLength(5);
});

test('a code is worth nothing from its end on', async () => {
  await add('ended');
  expect(await takeTry(db, code('ended'), new Date(later.getTime() - 1), 5)).not.toBeNull();
  expect(await takeTry(db, code('ended'), later, 5)).toBeNull();
});
