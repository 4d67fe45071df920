import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addCode, closeCodes, hasOpenCode, newestCode, takeTry, useCode } from './codes.ts';

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

test('a code belongs to its address, its purpose and its holder', async () => {
  const key = { emailKey: 'mine', purpose: 'two-factor-login' as const, holder: 'half login' };
  await addCode(db, { ...key, userId: null, salt: Buffer.from('s'), hash: Buffer.from('h'), createdAt: now, expiresAt: later });
  const isOpen = (other: Partial<typeof key> | { purpose: 'reset' }, at = now) => hasOpenCode(db, { ...key, ...other }, at);
  const tried = (other: Partial<typeof key> | { purpose: 'reset' }, at = now) => takeTry(db, { ...key, ...other }, at, 5);
  for (const other of [{ emailKey: 'other' }, { purpose: 'reset' as const }, { holder: 'another' }]) {
    expect(await isOpen(other), JSON.stringify(other)).toBe(false);
    expect(await tried(other), JSON.stringify(other)).toBeNull();
  }
  expect(await isOpen({})).toBe(true);
  expect(await isOpen({}, later)).toBe(false);
  for (let tries = 1; tries <= 5; tries++)
    expect(await tried({})).toMatchObject({ ...key, tries, salt: Buffer.from('s'), hash: Buffer.from('h') });
  expect(await tried({})).toBeNull();
  expect(await isOpen({})).toBe(true); // its tries are used up, but it is open
});

test('a code that was used is no longer open, and another may follow it', async () => {
  await add('used');
  const taken = await takeTry(db, code('used'), now, 5);
  expect(await useCode(db, taken?.id ?? '', now)).toBe(true);
  expect(await useCode(db, taken?.id ?? '', now)).toBe(false);
  expect(await hasOpenCode(db, code('used'), now)).toBe(false);
  expect(await takeTry(db, code('used'), now, 5)).toBeNull();
  await add('used');
  expect(await hasOpenCode(db, code('used'), now)).toBe(true);
});

test('codes that reset a password are one for each browser; the newest is found, and all are closed together', async () => {
  const of = { emailKey: 'browsers', purpose: 'reset' as const };
  const made = { userId: null, salt: Buffer.from('s'), createdAt: now, expiresAt: later };
  await addCode(db, { ...of, ...made, holder: 'one', hash: Buffer.from('1') });
  await addCode(db, { ...of, ...made, holder: 'two', hash: Buffer.from('2'), createdAt: new Date(now.getTime() + 1) });
  await addCode(db, { ...of, ...made, holder: 'one', hash: Buffer.from('3') });
  expect((await takeTry(db, { ...of, holder: 'one' }, now, 5))?.hash).toEqual(Buffer.from('3'));
  expect((await takeTry(db, { ...of, holder: 'two' }, now, 5))?.hash).toEqual(Buffer.from('2'));
  expect((await newestCode(db, of, now))?.holder).toBe('two');
  expect(await newestCode(db, of, later)).toBeNull();
  await closeCodes(db, of, now);
  expect(await newestCode(db, of, now)).toBeNull();
});

test('a code that takes the place of another has nothing of it but the address and the purpose', async () => {
  const code = (emailKey: string) => ({ emailKey, purpose: 'verification' as const, holder: '' });
  await addCode(db, { ...code('again'), userId: null, salt: Buffer.from('s'), hash: Buffer.from('h'), createdAt: now, expiresAt: later });
  await takeTry(db, code('again'), now, 5);
  const fresh = {
    salt: Buffer.from('s2'),
    hash: Buffer.from('h2'),
    createdAt: later,
    expiresAt: new Date(later.getTime() + 5),
    holder: 'new',
  };
  await addCode(db, { ...code('again'), userId: null, ...fresh });
  expect(await takeTry(db, code('again'), now, 5)).toBeNull();
  expect(await takeTry(db, { ...code('again'), holder: 'new' }, now, 5)).toMatchObject({ ...fresh, tries: 1 });
});
