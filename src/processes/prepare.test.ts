import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#storage/database.ts';
import { takeSetUpCode } from '#server/auth/set-up-code.ts';
import { keyFact, writeFact } from '#storage/installation/facts.ts';
import { addUser, findUserByEmail } from '#storage/users/users.ts';
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { embeddedDatabase } from '../../test/support/embedded-database.ts';
import { readConfig } from './config.ts';
import { prepare } from './prepare.ts';
import { serveWeb } from './web.ts';

const { home, db, url } = await embeddedDatabase();
const admin = { ADMIN_EMAIL: 'Boss@example.com', ADMIN_PASSWORD: 'a password of mine' };
const withSettings = (env: Record<string, string>) =>
  prepare(db, readConfig(env, home), async () => {
    await writeFact(db, 'demonstration_seeded_at', '2026-11-21T10:00:00Z');
    return ['demonstration made'];
  });

beforeEach(async () => {
  await sql`truncate users cascade`.execute(db);
  await sql`delete from facts`.execute(db);
});

test('OP-15 the first admin is made once, and later starts are silent about it', async () => {
  expect(await withSettings(admin)).toEqual(['Sign in: Boss@example.com with the password of ADMIN_PASSWORD (admin)']);
  expect(await findUserByEmail(db, 'boss@example.com')).toMatchObject({ role: 'admin', emailVerified: true });
  expect(await withSettings(admin)).toEqual([]);
});

test('a database that may lose what it has acknowledged is named at every start', async () => {
  const address = new URL(url);
  address.searchParams.set('options', '-c synchronous_commit=off');
  const unsafe = openDatabase(address.href, { connections: 1 });
  const lines = await prepare(unsafe, readConfig(admin, home), async () => []);
  await unsafe.destroy();
  expect(lines).toEqual([
    'The database may lose acknowledged writes: synchronous_commit is off. Live trading stays off until it is on.',
    'Sign in: Boss@example.com with the password of ADMIN_PASSWORD (admin)',
  ]);
});

test('OP-15 an address that somebody else registered first makes no admin, and both are said', async () => {
  await addUser(db, { email: 'boss@EXAMPLE.com', passwordHash: 'x', role: 'trader' });
  expect(await withSettings(admin)).toEqual([
    'There is no admin: ADMIN_EMAIL was not used. boss@EXAMPLE.com is an account with the role trader, and stays that. Anybody may have registered it. Set ADMIN_EMAIL to an address without an account and start again.',
  ]);
  expect(await findUserByEmail(db, 'boss@example.com')).toMatchObject({ role: 'trader' });
});

test('OP-15 with another admin ADMIN_EMAIL is not used, and that is said', async () => {
  await addUser(db, { email: 'first@example.com', passwordHash: 'x', role: 'admin', verified: true });
  const line = 'ADMIN_EMAIL was not used: it makes the first admin, and there is one already.';
  expect(await withSettings(admin)).toEqual([line]);
  await addUser(db, { email: 'boss@example.com', passwordHash: 'x', role: 'investor' });
  expect(await withSettings(admin)).toEqual([`${line} boss@example.com is an account with the role investor, and stays that.`]);
});

test.each(['password', 'boss@example.com', 'flotilla1'])('OP-23 ADMIN_PASSWORD=%s is refused', async (weak) => {
  await expect(withSettings({ ...admin, ADMIN_PASSWORD: weak })).rejects.toThrow('ADMIN_PASSWORD is too easy to guess.');
});

test('OP-15 without an admin and without settings for one, a code to make one is printed', async () => {
  const lines = await withSettings({ DEMO: 'off' });
  expect(lines).toEqual([
    'There is no admin yet. To make one, open /set-up and enter this code:',
    expect.stringMatching(/^ {2}[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/u),
    'Or set ADMIN_EMAIL and ADMIN_PASSWORD and start again.',
  ]);
  // Another start prints another one, and that of before is void.
  const again = await withSettings({ DEMO: 'off' });
  expect(again[1]).not.toBe(lines[1]);
  expect(await db.transaction().execute((trx) => takeSetUpCode(trx, lines[1] ?? ''))).toBe(false);
  expect(await db.transaction().execute((trx) => takeSetUpCode(trx, again[1] ?? ''))).toBe(true);
});

test.each([{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://bots.example.com' }, { HOST: '0.0.0.0', ...admin }])(
  'a home that holds the demonstration is not served to others: %j',
  async (env) => {
    expect(await withSettings({})).toEqual(['demonstration made']);
    await expect(withSettings(env)).rejects.toThrow(
      'is a demonstration, with accounts that are for trying out on this machine only. To let others in, set FLOTILLA_HOME',
    );
    expect((await withSettings({}))[0]).toContain('The accounts are those of the first start (2026-11-21 10:00 UTC)');
  },
);

test('nor by a web process that is started alone', async () => {
  await withSettings({});
  const config = readConfig({ HOST: '0.0.0.0', DATABASE_URL: url }, home);
  await expect(serveWeb(config, join(import.meta.dirname, '../..'))).rejects.toThrow('is a demonstration');
});

test.skipIf(process.getuid?.() !== 0)('where root’s database is not in its home, both are to be deleted to start over', async () => {
  const started = async (at: string) => {
    await writeFact(db, 'demonstration_seeded_at', '2026-11-21T10:00:00Z');
    await sql`delete from facts where key = ${keyFact}`.execute(db); // each of the homes makes its own
    return (await prepare(db, readConfig({ FLOTILLA_HOME: at }, '/'), async () => [])).at(-1);
  };
  expect(await started(home)).toMatch(new RegExp(` Or delete ${home} to start over\\.$`, 'u'));
  const of = mkdtempSync(join(tmpdir(), 'flotilla-of-root-'));
  const outside = join('/var/lib/flotilla', createHash('sha256').update(of).digest('hex').slice(0, 12));
  onTestFinished(() => [of, outside].forEach((folder) => rmSync(folder, { recursive: true, force: true })));
  mkdirSync(join(outside, 'data'), { recursive: true });
  expect(await started(of)).toMatch(new RegExp(` Or delete ${of} and ${outside} to start over\\.$`, 'u'));
});
