import { wrongSetUpCode } from '#contract/auth.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { failure, startTestServer } from '../../../test/support/test-server.ts';
import { makeSetUpCode } from './set-up-code.ts';

const server = await startTestServer();
const { db } = server.dependencies;
const entries = { password: 'a password of mine', confirmPassword: 'a password of mine' };
let addresses = 0;
const make = (code: string, email = 'boss@example.com') =>
  server.browser(`10.50.0.${++addresses}`).makeFirstAdmin({ body: { code, email, ...entries } });

beforeEach(async () => {
  await sql`truncate users cascade`.execute(db);
  await sql`delete from facts where key = 'set_up_code_hash'`.execute(db);
});

test('OP-15 the code that was printed makes one admin, in any spelling, who can sign in at once', async () => {
  const code = await makeSetUpCode(db);
  expect(await make(code.toLowerCase().replaceAll('-', ' '))).toEqual({ status: 'Admin created. Please sign in.' });
  const at = server.browser();
  expect(await at.login({ body: { email: 'boss@example.com', password: entries.password } })).toMatchObject({
    role: 'admin',
    verified: true,
  });
  expect((await failure(make(code, 'second@example.com'))).message).toBe(`403 ${wrongSetUpCode}`);
  expect((await listAudit(db, { action: 'set-up' }, 10)).lines).toHaveLength(1);
});

test('OP-15 of ten at once with the right code one makes an admin', async () => {
  const code = await makeSetUpCode(db);
  const made = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => make(code, `boss${i}@example.com`)));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await db.selectFrom('users').select('role').execute()).toEqual([{ role: 'admin' }]);
});

test('OP-15 without a code, or once there is an admin, none is right', async () => {
  expect((await failure(make('AAAA-BBBB-CCCC'))).message).toBe(`403 ${wrongSetUpCode}`);
  const code = await makeSetUpCode(db);
  await server.signedIn('admin');
  expect((await failure(make(code))).message).toBe(`403 ${wrongSetUpCode}`);
});

test('OP-15, VALID-01 a failed try uses the code up only when an admin came of it', async () => {
  const code = await makeSetUpCode(db);
  await server.signedIn('trader', 'taken@example.com');
  expect((await failure(make(code, 'taken@example.com'))).message).toBe('409 Email is already registered');
  expect((await failure(make(code, 'nonsense'))).message).toBe('400 Invalid email address');
  expect((await failure(make(''))).message).toBe('400 Set-up code is required');
  expect(await make(code)).toEqual({ status: 'Admin created. Please sign in.' });
});

test('OP-22 guesses from an address are limited', async () => {
  const code = await makeSetUpCode(db);
  const at = server.browser('10.50.9.9');
  const guess = (text: string) => at.makeFirstAdmin({ body: { code: text, email: 'boss@example.com', ...entries } });
  for (let i = 0; i < 30; i++) expect((await failure(guess('AAAA-BBBB-CCCC'))).status).toBe(403);
  expect((await failure(guess(code))).message).toBe('429 Too many attempts. Please try again later.');
});
