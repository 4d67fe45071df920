import type { CodeKey } from '#storage/auth/codes.ts';
import { addUser } from '#storage/users/users.ts';
import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { codeLife, isCode, makeCode } from './codes.ts';

const { db } = await freshDatabase();
const pepper = Buffer.alloc(32, 7);
const start = new Date('2026-03-01T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const minute = 60_000;
const keyOf = (emailKey: string, more: Partial<CodeKey> = {}): CodeKey => ({ emailKey, purpose: 'reset', holder: '', ...more });
async function addTestUser(name: string) {
  const user = await addUser(db, { email: `${name}@example.com`, passwordHash: 'none', role: 'trader' });
  if (user === null) throw new Error('There is such an account');
  return user;
}
const make = (key: CodeKey, at = start) => makeCode(db, pepper, key, null, at);
const other = (code: string) => (code === '000000' ? '111111' : '000000');

describe('OP-17 a code', () => {
  test('has six digits, and is right once, with blanks around it too', async () => {
    const key = keyOf('once');
    const code = await make(key);
    expect(code).toMatch(/^\d{6}$/u);
    expect(await isCode(db, pepper, key, ` ${code}\n`, start)).toBe(true);
    expect(await isCode(db, pepper, key, code, start)).toBe(false);
  });

  test.each([
    ['verification', 30],
    ['reset', 15],
    ['two-factor-login', 10],
    ['two-factor-set-up', 10],
  ] as const)('of the purpose %s is good for %d minutes', async (purpose, minutes) => {
    expect(codeLife[purpose]).toBe(minutes * minute);
    const [early, late] = [keyOf('early', { purpose }), keyOf('late', { purpose })];
    const codes = [await make(early), await make(late)];
    expect(await isCode(db, pepper, early, codes[0] ?? '', after(minutes * minute - 1))).toBe(true);
    expect(await isCode(db, pepper, late, codes[1] ?? '', after(minutes * minute))).toBe(false);
  });

  test('is worthless for another purpose, another holder, and under another secret of the server', async () => {
    const key = keyOf('own', { holder: 'mine' });
    const code = await make(key);
    expect(await isCode(db, pepper, { ...key, purpose: 'verification' }, code, start)).toBe(false);
    expect(await isCode(db, pepper, { ...key, holder: 'yours' }, code, start)).toBe(false);
    expect(await isCode(db, Buffer.alloc(32, 8), key, code, start)).toBe(false);
    expect(await isCode(db, pepper, key, code, start)).toBe(true);
  });

  test('that was mailed to an account is not void by one that was asked for before there was an account, and is made late', async () => {
    const { id } = await addTestUser('late');
    for (const purpose of ['verification', 'reset'] as const) {
      const key = keyOf('signed-up', { purpose });
      const code = await makeCode(db, pepper, key, id, start);
      await make(key);
      expect(await isCode(db, pepper, key, code, start), purpose).toBe(true);
      await make(key);
      const newer = await makeCode(db, pepper, key, id, start);
      expect(await isCode(db, pepper, key, newer, start), purpose).toBe(true);
    }
  });

  test('does not survive five wrong tries; four leave it good', async () => {
    for (const [name, wrongTries, isGood] of [
      ['four', 4, true],
      ['five', 5, false],
    ] as const) {
      const key = keyOf(name);
      const code = await make(key);
      for (let i = 0; i < wrongTries; i++) expect(await isCode(db, pepper, key, other(code), start)).toBe(false);
      expect(await isCode(db, pepper, key, code, start)).toBe(isGood);
    }
  });
});

describe('OP-17 wrong codes of an address', () => {
  /** Enters so many wrong codes, each against a code that is open. */
  async function guess(key: CodeKey, count: number): Promise<void> {
    for (let i = 0; i < count; i++) expect(await isCode(db, pepper, key, other(await make(key)), start)).toBe(false);
  }

  test('are ten within an hour: then even the right one is refused, with the time to wait', async () => {
    const key = keyOf('ten');
    await guess(key, 10);
    const code = await make(key);
    await expect(isCode(db, pepper, key, code, after(20 * minute))).rejects.toMatchObject({ retryAfterSeconds: 40 * 60 });
  });

  test('are refused without an open code too once ten are used up, and do not count without one', async () => {
    const key = keyOf('closed');
    for (let i = 0; i < 12; i++) expect(await isCode(db, pepper, key, '000000', start)).toBe(false);
    await guess(key, 10);
    await expect(isCode(db, pepper, key, '000000', after(16 * minute))).rejects.toMatchObject({ status: 429 });
  });

  test('do not grow by right ones', async () => {
    const key = keyOf('right');
    for (let i = 0; i < 12; i++) expect(await isCode(db, pepper, key, await make(key), start)).toBe(true);
  });

  test('of one purpose do not count for another', async () => {
    await guess(keyOf('purposes'), 10);
    const key = keyOf('purposes', { purpose: 'verification' });
    expect(await isCode(db, pepper, key, await make(key), start)).toBe(true);
  });
});
