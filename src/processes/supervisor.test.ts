import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { embeddedDatabase } from '../../test/support/embedded-database.ts';
import { renewLease } from '#storage/bots/runners.ts';
import type { BackupSchedule } from '#storage/installation/facts.ts';
import { backupScheduleFact, readFact, writeFact } from '#storage/installation/facts.ts';
import { freePort } from '#storage/embedded/free-port.ts';
import { migrations } from '#storage/migrate.ts';

const { home, db, url } = await embeddedDatabase();
const main = join(import.meta.dirname, '../main.ts');
const schedule = () => readFact<BackupSchedule>(db, backupScheduleFact);

/** Starts everything in the folder until `isSeen`, and ends it; whether the page is built does not matter for what is seen here. */
async function startUntil(isSeen: () => Promise<boolean>, databaseUrl: string): Promise<void> {
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    FLOTILLA_HOME: home,
    PORT: String(await freePort()),
    DEMO: 'off',
    SANDBOX_URL: '',
  };
  const words = ['--disable-warning=ExperimentalWarning', main, 'serve'];
  const child = spawn(process.execPath, words, { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    await expect.poll(isSeen).toBe(true);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

test('an instance notes that it makes the backups of its own database, and that it makes none of another', async () => {
  const before = { since: '2026-03-01T00:00:00.000Z', startedAt: '2026-03-01T00:00:00.000Z' };
  await writeFact(db, backupScheduleFact, before);
  await startUntil(async () => (await schedule())?.startedAt !== before.startedAt, '');
  expect(await schedule()).toEqual({ since: before.since, startedAt: expect.any(String) });
  await startUntil(async () => (await schedule()) === null, url);
});

test('a start that would change the tables refuses while a runner is at work on them', async () => {
  await sql`delete from kysely_migration where name = ${Object.keys(migrations).at(-1)}`.execute(db);
  await renewLease(db, { id: randomUUID(), host: 'elsewhere 7', exchanges: [] }, 600_000, true);
  const env = { ...process.env, DATABASE_URL: url, FLOTILLA_HOME: home, PORT: String(await freePort()), DEMO: 'off', SANDBOX_URL: '' };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'serve'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said.trim()).toMatch(/^A runner is at work on this database, .+ Stop Flotilla everywhere/u);
});
