import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { embeddedDatabase } from '../../test/support/embedded-database.ts';
import { endLease, renewLease } from '#storage/bots/runners.ts';
import { migrations, schemaState } from '#storage/migrate.ts';
import { bringUpToDate, untilNoRunner } from './bring-up-to-date.ts';

const { home, db, url } = await embeddedDatabase();
const runner = { id: randomUUID(), host: 'elsewhere 7', exchanges: [] };
const newest = Object.keys(migrations).at(-1) ?? '';
const refusal =
  'A runner is at work on this database, whose tables are about to change. Stop Flotilla everywhere (every --role), then try again.';

/** What the newest migrations add and remove, the other way round. */
const undone: Readonly<Record<string, readonly string[]>> = {
  '0087-left-accounts': [
    'drop trigger bots_left_account on bots',
    'drop function end_differences_of_left_account',
    'alter table differences drop constraint differences_outcome_check',
    `alter table differences add constraint differences_outcome_check check (outcome in ('gone', 'ignored', 'adopted', 'closed'))`,
  ],
  '0086-mailed-and-first-trades': [
    ...['alarms_owed', 'alarms_of_key', 'alarms_of_subject', 'trades_of_mode'].map((index) => `drop index ${index}`),
    'create index alarms_mailed on alarms (kind, mailed_at)',
  ],
};

/** Makes it the database of the version before one of its migrations, which have not been; the newest without a name. */
async function goBack(name = newest): Promise<void> {
  const { rows } = await sql`delete from kysely_migration where name = ${name} returning name`.execute(db);
  expect([rows.length, undone[name]]).toEqual([1, expect.any(Array)]);
  for (const statement of undone[name] ?? []) await sql.raw(statement).execute(db);
}
const missing = async () => (await schemaState(db)).missing;

afterEach(async () => {
  await endLease(db, runner.id);
});

describe('a database that lacks a migration', () => {
  beforeEach(() => goBack());
  afterEach(async () => {
    await endLease(db, runner.id);
    await bringUpToDate(url);
  });

  test('is brought up to date', async () => {
    expect(await bringUpToDate(url)).toEqual([newest]);
    expect(await missing()).toEqual([]);
  });

  test('is brought up to date with nothing left to mail of what was open before', async () => {
    await goBack('0086-mailed-and-first-trades');
    const raised = sql`insert into alarms (key, kind, level, facts, noted_at, ended_at) values
      ('old', 'backup-failed', 'server', '{}', '2026-03-01', null), ('over', 'backup-failed', 'server', '{}', '2026-03-01', '2026-03-02'),
      ('mailed', 'stopped-by-other', 'server', '{}', '2026-03-01', '2026-03-02'), ('new', 'backup-failed', 'server', '{}', null, null)`;
    await raised.execute(db);
    await bringUpToDate(url);
    expect((await sql`delete from alarms where mailed_at = noted_at returning key`.execute(db)).rows).toEqual([
      { key: 'old' },
      { key: 'mailed' },
    ]);
    expect((await sql`delete from alarms where mailed_at is null returning key`.execute(db)).rows).toEqual([
      { key: 'over' },
      { key: 'new' },
    ]);
  });

  test('is not while a runner is at work, whatever it waits', async () => {
    await renewLease(db, runner, 600_000, true);
    await expect(bringUpToDate(url, 500)).rejects.toThrow(refusal);
    expect(await missing()).toEqual([newest]);
  });

  test('is as soon as the lease of a runner that was killed has run out', async () => {
    await renewLease(db, runner, 1_500, true);
    await untilNoRunner(db);
    expect((await sql`select from runners where expires_at > now()`.execute(db)).rows).toEqual([]);
    expect(await bringUpToDate(url)).toEqual([newest]);
  });

  test.each(['web', 'runner', 'backtests'])('is refused by the role %s, which says how it is changed', (role) => {
    expect(serve(role)).toEqual([
      1,
      `The database lacks 1 of the changes that this version of Flotilla makes (${newest}). Stop every role, run: npm run -s flotilla -- migrate, then start them.`,
    ]);
  });
});

test('a database that has them all is left alone beside a runner', async () => {
  await renewLease(db, runner, 600_000, true);
  await untilNoRunner(db, 0);
  expect(await bringUpToDate(url, 0)).toEqual([]);
});

test('a role refuses the database of a newer version', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('9999-of-tomorrow', 'now')`.execute(db);
  try {
    expect(serve('runner')).toEqual([
      1,
      'The database was made by a newer version of Flotilla (9999-of-tomorrow). Start that version; this one changes nothing.',
    ]);
  } finally {
    await sql`delete from kysely_migration where name = '9999-of-tomorrow'`.execute(db);
  }
});

function serve(role: string) {
  const words = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../main.ts'), 'serve', '--role', role];
  const env = { ...process.env, DATABASE_URL: url, FLOTILLA_HOME: home };
  const { status, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8', timeout: 60_000 });
  return [status, stderr.trim()];
}
