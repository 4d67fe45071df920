import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addUser } from '#storage/users/users.ts';
import { limits } from './limits.ts';
import { countedTry } from './password-tries.ts';

const { db } = await freshDatabase();
const now = new Date('2026-03-01T12:00:00Z');
let checks = 0;
const attempt = (account: string, isRight: boolean, { here = '192.0.2.1', isKnownDevice = false } = {}) =>
  countedTry(db, { account, here, isKnownDevice, now }, async () => {
    checks += 1;
    return isRight;
  });

test('OP-22 five wrong tries from an address make the right one wrong there, and nowhere else', async () => {
  for (let i = 0; i < limits.wrongPasswordsHere.most; i++) expect(await attempt('five', false)).toBe(false);
  expect(await attempt('five', true)).toBe(false);
  expect(await attempt('five', true, { here: '192.0.2.2' })).toBe(true);
  expect(await attempt('another', true)).toBe(true);
});

test('OP-22 the check is made also when no try is left', async () => {
  for (let i = 0; i < limits.wrongPasswordsHere.most; i++) await attempt('checked', false);
  const before = checks;
  await attempt('checked', true);
  expect(checks).toBe(before + 1);
});

test('OP-22 twenty wrong tries from anywhere close an account to strange devices, not to one that is known', async () => {
  for (let i = 0; i < limits.wrongPasswordsElsewhere.most; i++) await attempt('twenty', false, { here: `198.51.100.${i}` });
  expect(await attempt('twenty', true, { here: '203.0.113.1' })).toBe(false);
  expect(await attempt('twenty', true, { here: '203.0.113.2', isKnownDevice: true })).toBe(true);
});

test('OP-22 wrong tries on a known device do not use up the tries of others', async () => {
  for (let i = 0; i < 21; i++) await attempt('known', false, { here: `198.51.100.${i}`, isKnownDevice: true });
  expect(await attempt('known', true, { here: '203.0.113.1' })).toBe(true);
});

test('OP-22 twenty wrong tries on known devices, from anywhere, close an account to those, not to others', async () => {
  const known = (isRight: boolean, here: string) => attempt('marked', isRight, { here, isKnownDevice: true });
  for (let i = 0; i < limits.wrongPasswordsKnown.most; i++) {
    expect(await known(true, `198.51.100.${i}`)).toBe(true);
    await known(false, `198.51.100.${i}`);
  }
  expect(await known(true, '203.0.113.1')).toBe(false);
  expect(await attempt('marked', true, { here: '203.0.113.1' })).toBe(true);
});

test('OP-22 right tries do not count, here or anywhere', async () => {
  for (let i = 0; i < 30; i++) expect(await attempt('right', true)).toBe(true);
});

test('OP-22 a try that could not be checked does not count, and says why', async () => {
  const busy = new Error('the server is too busy');
  for (let i = 0; i < 30; i++) {
    const failed = countedTry(db, { account: 'busy', here: '192.0.2.1', isKnownDevice: false, now }, () => Promise.reject(busy));
    await expect(failed).rejects.toBe(busy);
  }
  expect(await attempt('busy', true)).toBe(true);
});

test('two hundred wrong passwords on the whole server within ten minutes are mailed to the admins once', async () => {
  await db.deleteFrom('limitCounters').execute();
  await addUser(db, { email: 'admin@example.com', passwordHash: 'none', role: 'admin' });
  await addUser(db, { email: 'trader@example.com', passwordHash: 'none', role: 'trader' });
  const { most } = limits.wrongPasswordsInAll;
  const mails = async () => (await db.selectFrom('mailOutbox').select(['recipient', 'subject']).execute()).map((mail) => ({ ...mail }));
  for (let i = 0; i < most - 1; i++) await attempt(`somebody ${i}`, false, { here: `198.18.${i}.1` });
  expect(await mails()).toEqual([]);
  await attempt('right', true);
  expect(await mails()).toEqual([]);
  for (let i = 0; i < 5; i++) await attempt(`another ${i}`, false, { here: `198.19.${i}.1` });
  expect(await mails()).toEqual([{ recipient: 'admin@example.com', subject: 'Many wrong passwords' }]);
});
