import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { checkServerVersion, databaseAnswers, durabilityFault, openDatabase, openForMigrating } from './database.ts';
import { isDatabaseGone } from './database-gone.ts';
import { readFact } from './installation/facts.ts';

const { db, url } = await freshDatabase();

test('a connection that breaks in the middle of a transaction fails it, and nothing else', async () => {
  const other = openDatabase(url, { connections: 1 });
  const cut = other.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db);
    await sleep(200); // no statement is under way when it breaks: nobody would notice it
    await sql`select 1`.execute(trx);
  });
  await expect(cut).rejects.toThrow();
  expect((await sql<{ one: number }>`select 1 as one`.execute(other)).rows).toEqual([{ one: 1 }]);
  await other.destroy();
});

test('a statement without an answer for two minutes fails, but not one that changes the tables, however long it takes', async () => {
  const [usual, migrating] = [openDatabase(url, { connections: 1 }), openForMigrating(url)];
  onTestFinished(async () => {
    vi.useRealTimers();
    await Promise.all([usual.destroy(), migrating.destroy()]);
  });
  for (const each of [usual, migrating]) await sql`select 1`.execute(each); // they are connected
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const sleeping = Promise.allSettled([usual, migrating].map((each) => sql`select pg_sleep(2)`.execute(each)));
  const count = async () =>
    (await sql`select from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(2)'`.execute(db)).rows.length;
  while ((await count()) < 2);
  vi.advanceTimersByTime(120_001);
  expect((await sleeping).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('one may have to be answered sooner; its connection is replaced, and it counts as the fault of the database', async () => {
  const hasty = openDatabase(url, { connections: 1, answersMs: 3_000 });
  onTestFinished(() => hasty.destroy());
  await sql`select 1`.execute(hasty);
  const error = await sql`select pg_sleep(20)`.execute(hasty).catch((failed: unknown) => failed);
  expect([isDatabaseGone(error), String(error)]).toEqual([true, 'Error: Query read timeout']);
  await expect.poll(async () => (await sql`select 1 as one`.execute(hasty).catch(() => null))?.rows).toEqual([{ one: 1 }]);
});

test('a transaction whose client is silent is ended: others wait for what it has locked', async () => {
  const silent = openDatabase(url, { connections: 1, silentMs: 3_000 });
  onTestFinished(() => silent.destroy());
  await sql`insert into facts (key, value) values ('locked', '1')`.execute(db);
  const lock = (on: typeof db) => sql`update facts set value = '2' where key = 'locked'`.execute(on);
  const locked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const work = silent.transaction().execute(async (trx) => {
    await lock(trx);
    locked.resolve();
    await ended.promise;
    await sql`select 1`.execute(trx);
  });
  await Promise.race([locked.promise, work]);
  await lock(db);
  ended.resolve();
  const error = await work.catch((failed: unknown) => failed);
  expect(error).toBeInstanceOf(Error);
  expect(isDatabaseGone(error)).toBe(true);
});

test('whoever waits for a lock does so for ten seconds, and no longer: each takes a connection from the others', async () => {
  expect((await sql`select setting, unit from pg_settings where name = 'lock_timeout'`.execute(db)).rows).toEqual([
    { setting: '10000', unit: 'ms' },
  ]);
});

test('a connection that breaks while nobody uses it is reported, and replaced', async () => {
  const errors: Error[] = [];
  const [reported, silent] = [
    openDatabase(url, { connections: 1, onError: (error) => errors.push(error) }),
    openDatabase(url, { connections: 1 }),
  ];
  onTestFinished(async () => void (await Promise.all([reported.destroy(), silent.destroy()])));
  for (const each of [reported, silent]) {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(each);
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db);
  }
  await expect.poll(() => errors.map(({ message }) => message)).toEqual(['terminating connection due to administrator command']);
  const answers = (each: typeof db) =>
    sql`select 1 as one`.execute(each).then(
      ({ rows }) => rows,
      () => null, // it has not noticed yet
    );
  for (const each of [reported, silent]) await expect.poll(() => answers(each)).toEqual([{ one: 1 }]);
});

test('a pool has as many connections as it is given, and ten otherwise', async () => {
  const connections = async (options: { connections?: number }): Promise<number> => {
    const pool = openDatabase(url, options);
    const all = await Promise.all(
      Array.from({ length: 15 }, () => sql<{ pid: number }>`select pg_backend_pid() as pid from pg_sleep(0.1)`.execute(pool)),
    );
    await pool.destroy();
    return new Set(all.map(({ rows }) => rows[0]?.pid)).size;
  };
  expect(await connections({ connections: 2 })).toBe(2);
  expect(await connections({})).toBe(10);
});

test('columns are read in camel case; names within JSON stay what they are', async () => {
  const own = openDatabase(url, { connections: 1 });
  const { rows } = await sql`select 1 as total_amount, '{"total_amount": {"left_over": 1}}'::jsonb as as_sent`.execute(own);
  await own.destroy();
  expect(rows).toEqual([{ totalAmount: 1, asSent: { total_amount: { left_over: 1 } } }]);
});

test('a day is a text, not a moment', async () => {
  expect((await sql`select '2026-03-01'::date as day`.execute(db)).rows).toEqual([{ day: '2026-03-01' }]);
});

describe('a server', () => {
  /** The same server, as one that says other things of itself. */
  const disguised = async (lines: readonly ReturnType<typeof sql>[]) => {
    await sql`drop schema if exists disguise cascade`.execute(db);
    await sql`create schema disguise`.execute(db);
    for (const line of lines) await line.execute(db);
    const other = openDatabase(`${url}${url.includes('?') ? '&' : '?'}options=-c%20search_path%3Ddisguise,pg_catalog`, { connections: 1 });
    onTestFinished(() => other.destroy());
    return other;
  };
  const version = (number: string) =>
    disguised([
      sql`create function disguise.current_setting(name text) returns text language sql as ${sql.lit(
        `select case name when 'server_version_num' then '${number}' else 'as old as this' end`,
      )}`,
    ]);

  test('of PostgreSQL 15 or newer will do; an older one is refused in a sentence that names it', async () => {
    await checkServerVersion(db);
    await checkServerVersion(await version('150000'));
    await expect(checkServerVersion(await version('149999'))).rejects.toThrow(
      'PostgreSQL 15 or newer is needed; the server is as old as this.',
    );
  });

  test('that may lose acknowledged writes is named with what is off, and only that', async () => {
    expect(await durabilityFault(db)).toBeNull();
    const settings = [
      ['fsync', 'on'],
      ['full_page_writes', 'off'],
      ['synchronous_commit', 'off'],
      ['autovacuum', 'off'],
    ].map(([name, setting]) => sql`insert into disguise.pg_settings values (${name}, ${setting})`);
    const unsafe = await disguised([sql`create table disguise.pg_settings (name text, setting text)`, ...settings]);
    expect(await durabilityFault(unsafe)).toBe(
      'The database may lose acknowledged writes: full_page_writes, synchronous_commit is off. Live trading stays off until it is on.',
    );
  });

  test('answers when it takes a write', async () => {
    expect(await databaseAnswers(db)).toBe(true);
    const first = await readFact(db, 'last_health_check');
    expect(await databaseAnswers(db)).toBe(true);
    expect(await readFact(db, 'last_health_check')).not.toBe(first);
    const away = openDatabase('postgresql://127.0.0.1:1/none');
    expect(await databaseAnswers(away)).toBe(false);
    await away.destroy();
  });
});
