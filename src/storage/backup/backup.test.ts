import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { writeAudit } from '../audit/audit-log.ts';
import { backup } from './backup.ts';
import { openBackupFile } from './backup-file.ts';
import type { Database } from '../database.ts';
import { durabilityFault, openDatabase } from '../database.ts';
import { as } from '../embedded/cluster.ts';
import { freePort } from '../embedded/free-port.ts';
import { serverUser } from '../embedded/server-user.ts';
import { writeFact } from '../installation/facts.ts';
import { storeFault } from '../installation/store-fault.ts';
import { migrate, migrations } from '../migrate.ts';
import { restore } from './restore.ts';
import { allRows, notKept } from '../testing/all-rows.ts';
import { fillEveryTable } from '../testing/every-table.ts';

const { db, url } = await freshDatabase();
await fillEveryTable(db);
const folder = mkdtempSync(join(tmpdir(), 'flotilla-backup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (): string => join(folder, `backup-${++files}`);

/** What must be in a database after a restore of what `fillEveryTable` made. */
async function expectRestored(target: Database): Promise<void> {
  const [before, after] = [await allRows(db), await allRows(target)];
  for (const [table, rows] of Object.entries(before)) {
    expect(rows.length, `${table} has rows before`).toBeGreaterThan(0);
    if (notKept.includes(table)) expect(after[table], table).toEqual([]);
    else expect(digest(after[table] ?? []), table).toBe(digest(rows));
  }
  const bots = await target.selectFrom('bots').select(['nickname', 'status', 'runnerId']).orderBy('nickname').execute();
  expect(bots).toEqual([
    { nickname: 'bot active', status: 'paused', runnerId: null },
    { nickname: 'bot paused', status: 'paused', runnerId: null },
    { nickname: 'bot stopped', status: 'stopped', runnerId: null },
  ]);
  // Orders made since the backup are unknown: their numbers are not used again.
  const memories = await target
    .selectFrom('bots')
    .select(['status', 'engineState'])
    .where('nickname', 'in', ['bot active', 'bot paused'])
    .orderBy('nickname')
    .execute();
  const numbers = memories.map(({ engineState }) =>
    Object.values(engineState as Record<string, { nextOrderNumber: number }>).map((memory) => memory.nextOrderNumber),
  );
  expect(numbers.map((each) => each.map((number) => number % 1_000_000))).toEqual([[12, 3], []]);
  expect(Math.min(...numbers.flat())).toBeGreaterThan(1_000_000);
  // The sequence continues behind the last line, and the chain of hashes with it.
  await writeAudit(target, { actorId: null, actorRole: null, action: 'after', result: 'ok' });
  const lines = await target.selectFrom('auditLog').select(['id', 'hash', 'previousHash']).orderBy('id').execute();
  expect(lines.map(({ id }) => Number(id))).toEqual([1, 2, 3, 4, 5, 6]);
  expect(lines[5]?.previousHash).toEqual(lines[4]?.hash);
}

const digest = (rows: string[]): string => `${rows.length} rows, ${createHash('sha256').update(rows.join('\n')).digest('hex')}`;

/** What is in the database at all: nothing, or the names of its tables. */
async function tablesOf(target: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(target);
  return rows.map(({ name }) => name);
}

const file = newFile();
const summary = await backup(url, file);

test('a backup is one file for its owner alone that says when and of which schema it is', () => {
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(file).size).toBe(summary.bytes);
  const [first, second] = readFileSync(file).subarray(0, 100_000).toString('latin1').split('\n');
  expect(first).toBe('FLOTILLA BACKUP');
  expect(JSON.parse(second ?? '')).toMatchObject({ format: 1, madeAt: summary.madeAt, migrations: Object.keys(migrations) });
});

test('a restore into a database without tables gives every row back and pauses active bots', async () => {
  const target = await freshDatabase('template0');
  const done = await restore(target.url, file);
  expect(done).toMatchObject({ madeAt: summary.madeAt, pausedBots: 1 });
  await expectRestored(target.db);
  expect(await migrate(target.db)).toEqual([]);
});

test('a restored database guards its rows as any other, also where a restore has failed before', async () => {
  const target = await freshDatabase();
  const guards = async () =>
    (
      await sql<{ name: string; state: string }>`
        select tgrelid::regclass || ' ' || tgname as name, tgenabled as state from pg_trigger where not tgisinternal order by 1`.execute(
        target.db,
      )
    ).rows;
  const before = await guards();
  expect(before.map(({ name }) => name)).toContain('orders orders_signal');
  expect(new Set(before.map(({ state }) => state))).toEqual(new Set(['O']));
  // One that fails at its end, after every row was loaded.
  await sql`create function fail() returns trigger language plpgsql as $$ begin raise exception 'the disk is full'; end $$`.execute(
    target.db,
  );
  await sql`create trigger fail before update on bots execute function fail()`.execute(target.db);
  await expect(restore(target.url, file)).rejects.toThrow('the disk is full');
  await sql`drop trigger fail on bots`.execute(target.db);
  expect(await guards()).toEqual(before);
  expect((await allRows(target.db))['orders']).toEqual([]);

  await restore(target.url, file);
  expect(await guards()).toEqual(before);
  const again = sql`insert into orders (bot_id, trade_id, epoch, client_order_id, signal_key, purpose, side, type, requested, status, planned_at)
    select bot_id, trade_id, 1, 'x3', signal_key, purpose, side, type, 1, 'cancelled', now() from orders where client_order_id like 'x2%' limit 1`;
  await expect(again.execute(target.db)).rejects.toThrow('has led to a fill and makes no other order');
});

test('a live bot that was stopped is paused by a restore: its account may hold what it has bought since', async () => {
  const source = await freshDatabase();
  await fillEveryTable(source.db);
  await sql`update bots set mode = 'live' where nickname in ('bot active', 'bot stopped')`.execute(source.db);
  const made = newFile();
  await backup(source.url, made);
  const target = await freshDatabase('template0');
  expect(await restore(target.url, made)).toMatchObject({ pausedBots: 2 });
  expect(await target.db.selectFrom('bots').select(['nickname', 'status', 'archivedAt']).orderBy('nickname').execute()).toEqual(
    ['active', 'paused', 'stopped'].map((name) => ({ nickname: `bot ${name}`, status: 'paused', archivedAt: null })),
  );
});

test('a restore into a migrated database without rows works as well', async () => {
  const target = await freshDatabase();
  await restore(target.url, file);
  await expectRestored(target.db);
});

test('a backup of a restored database restores to the same again', async () => {
  const [second, third] = [await freshDatabase('template0'), await freshDatabase('template0')];
  await restore(second.url, file);
  const again = newFile();
  await backup(second.url, again);
  await restore(third.url, again);
  await expectRestored(third.db);
});

test('a backup holds one moment, whatever is written meanwhile', async () => {
  const source = await freshDatabase();
  await sql`create table pairs_a (n int); `.execute(source.db);
  await sql`create table pairs_z (n int)`.execute(source.db);
  const writing = { isOn: true };
  const writer = (async () => {
    for (let n = 0; writing.isOn; n++) {
      await source.db.transaction().execute(async (trx) => {
        await sql`insert into pairs_a select ${n} from generate_series(1, 50)`.execute(trx);
        await sql`insert into pairs_z select ${n} from generate_series(1, 50)`.execute(trx);
      });
    }
  })();
  const taken: string[] = [];
  for (let i = 0; i < 5; i++) {
    taken.push(newFile());
    await backup(source.url, taken.at(-1) ?? '');
  }
  writing.isOn = false;
  await writer;
  const rowCounts = new Set<number>();
  for (const one of taken) {
    const target = await freshDatabase();
    await sql`create table pairs_a (n int); `.execute(target.db);
    await sql`create table pairs_z (n int)`.execute(target.db);
    await restore(target.url, one);
    const { rows } = await sql<{ a: string; z: string }>`
      select (select count(*) from pairs_a) as a, (select count(*) from pairs_z) as z`.execute(target.db);
    expect(rows[0]?.a).toBe(rows[0]?.z);
    rowCounts.add(Number(rows[0]?.a));
  }
  expect(rowCounts.size).toBeGreaterThan(1); // else nothing was written meanwhile
});

test('a database that is not empty is refused and stays as it is', async () => {
  const target = await freshDatabase();
  await sql`insert into facts values ('mine', '1')`.execute(target.db);
  await expect(restore(target.url, file)).rejects.toThrow('The database is not empty ("facts" has rows). Restore into an empty database');
  expect((await allRows(target.db))['facts']).toHaveLength(1);
  expect((await allRows(target.db))['users']).toEqual([]);
});

test('a database with tables of others is refused and stays as it is', async () => {
  const target = await freshDatabase('template0');
  await sql`create table theirs (n int)`.execute(target.db);
  await expect(restore(target.url, file)).rejects.toThrow('tables that are not ours');
  expect(await tablesOf(target.db)).toEqual(['theirs']);
});

test('a backup that was damaged or cut anywhere is refused and leaves nothing behind', async () => {
  const target = await freshDatabase('template0');
  const whole = readFileSync(file);
  const broken = newFile();
  for (const part of [0.001, 0.1, 0.5, 0.9, 0.9999]) {
    const at = Math.floor(whole.length * part);
    const flipped = Buffer.from(whole);
    flipped[at + 20] = (flipped[at + 20] ?? 0) ^ 1;
    for (const bytes of [flipped, whole.subarray(0, at + 20), Buffer.concat([whole, Buffer.alloc(1)])]) {
      writeFileSync(broken, bytes);
      await expect(restore(target.url, broken)).rejects.toThrow(
        /^The backup backup-\d+ is damaged or was cut short\. Nothing was restored/u,
      );
    }
  }
  expect(await tablesOf(target.db)).toEqual([]);
});

/** A backup of ours with another body, under a right checksum. */
function withBody(body: Buffer): string {
  const whole = readFileSync(file);
  const bytes = Buffer.concat([whole.subarray(0, whole.indexOf(10, 16) + 1), body]);
  const crafted = newFile();
  writeFileSync(crafted, Buffer.concat([bytes, createHash('sha256').update(bytes).digest()]));
  return crafted;
}

function lengthOf(frame: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(frame.length);
  return length;
}

test('a backup that nobody can read is refused with a sentence, whatever its checksum says', async () => {
  const target = await freshDatabase('template0');
  const length = Buffer.from([0xff, 0xff, 0xff, 0xff]);
  const long = Buffer.from(JSON.stringify({ table: 'x'.repeat(1_500_000), columns: [] }));
  for (const body of [
    randomBytes(5_000),
    zstdCompressSync(Buffer.alloc(0)),
    zstdCompressSync(Buffer.from([9, 0, 0, 0, 123])),
    zstdCompressSync(Buffer.concat([Buffer.from([5, 0, 0, 0]), Buffer.from('plain')])),
    zstdCompressSync(Buffer.concat([length, Buffer.alloc(2_000_000)])),
    zstdCompressSync(Buffer.concat([lengthOf(long), long])),
  ])
    await expect(restore(target.url, withBody(body))).rejects.toThrow(
      /^The backup backup-\d+ has a right checksum, but its contents cannot be read\. Nothing was restored/u,
    );
  expect(await tablesOf(target.db)).toEqual([]);
});

test('rows are unpacked piece by piece, however much a small file unpacks to', async () => {
  const size = 100_000_000;
  const large = Buffer.alloc(size);
  const crafted = withBody(zstdCompressSync(Buffer.concat([lengthOf(large), large, Buffer.alloc(4)])));
  const { frames } = await openBackupFile(crafted);
  let [read, largest] = [0, 0];
  for await (const piece of frames.rows()) {
    read += piece.length;
    largest = Math.max(largest, piece.length);
  }
  expect(read).toBe(size);
  expect(largest).toBeLessThan(1_000_000);
});

test('a failure in the middle of a restore leaves nothing behind', async () => {
  const source = await freshDatabase();
  await sql`create table zebra (n int)`.execute(source.db); // a table that the target will not have, copied last
  await sql`insert into facts values ('some', '1')`.execute(source.db);
  const other = newFile();
  await backup(source.url, other);
  const target = await freshDatabase('template0');
  await expect(restore(target.url, other)).rejects.toThrow('relation "zebra" does not exist');
  expect(await tablesOf(target.db)).toEqual([]);
});

test('another schema, another format, no backup and no file are one sentence each', async () => {
  const target = await freshDatabase('template0');
  const source = await freshDatabase();
  await sql`insert into kysely_migration (name, timestamp) values ('9000-later', '2030-01-01')`.execute(source.db);
  const later = newFile();
  await backup(source.url, later);
  await expect(restore(target.url, later)).rejects.toThrow(
    `made by another version of Flotilla (schema 9000-later; this one has ${Object.keys(migrations).at(-1)}). Restore it with that version, then update.`,
  );
  const body = Buffer.from('FLOTILLA BACKUP\n{"format":2}\n');
  const format = newFile();
  writeFileSync(format, Buffer.concat([body, createHash('sha256').update(body).digest()]));
  await expect(restore(target.url, format)).rejects.toThrow('has format 2; this version of Flotilla reads 1');
  const text = newFile();
  writeFileSync(text, 'some text');
  await expect(restore(target.url, text)).rejects.toThrow('is not a backup of Flotilla');
  await expect(restore(target.url, newFile())).rejects.toThrow('There is no backup');
  expect(await tablesOf(target.db)).toEqual([]);
});

test('a backup never replaces a file, and one that fails leaves none', async () => {
  await expect(backup(url, file)).rejects.toThrow('is there already. Name a new file');
  const empty = await freshDatabase('template0');
  const none = newFile();
  await expect(backup(empty.url, none)).rejects.toThrow('nothing to back up');
  await expect(backup(url, join(folder, 'no-such-folder', 'backup'))).rejects.toThrow('ENOENT');
  expect(existsSync(none)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.includes('part'))).toEqual([]);
});

const postgres15 = '/usr/lib/postgresql/15/bin';

test.skipIf(!existsSync(join(postgres15, 'initdb')))(
  'a backup goes to PostgreSQL 15 and back (skipped where postgresql-15 is not installed)',
  async () => {
    const place = mkdtempSync(join(tmpdir(), 'flotilla-postgres15-'));
    const user = serverUser();
    if (user.uid !== null && user.gid !== null) chownSync(place, user.uid, user.gid);
    const data = join(place, 'data');
    const port = await freePort();
    execFileSync(join(postgres15, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'], {
      ...as(user),
      cwd: place,
      stdio: 'ignore',
    });
    const server = spawn(
      join(postgres15, 'postgres'),
      ['-D', data, '-p', String(port), '-k', '', '-c', 'listen_addresses=127.0.0.1', '-c', 'timezone=Asia/Tokyo', '-c', 'datestyle=german'],
      {
        ...as(user),
        cwd: place,
        stdio: 'ignore',
      },
    );
    const ended = once(server, 'exit');
    try {
      const target = `postgresql://postgres@127.0.0.1:${port}/postgres`;
      const there = openDatabase(`${target}?options=-c%20timezone%3DUTC%20-c%20datestyle%3DISO`, { connections: 2 });
      while ((await sql`select 1`.execute(there).catch(() => null)) === null) await sleep(50);
      await restore(target, file);
      await expectRestored(there);
      const back = newFile();
      await backup(target, back);
      const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(there);
      expect(rows[0]?.version).toMatch(/^15/u);
      await there.destroy();
      const home = await freshDatabase('template0');
      await restore(home.url, back);
      await sql`alter table audit_log disable trigger user`.execute(home.db);
      await sql`delete from audit_log where action = 'after'`.execute(home.db);
      await sql`select setval('audit_log_id_seq', 5)`.execute(home.db);
      await expectRestored(home.db);
    } finally {
      server.kill('SIGINT');
      await ended;
      rmSync(place, { recursive: true, force: true });
    }
  },
);

test('what is known of the machine and its backups stays there: it does not come with a restore, and no comparison counts it', async () => {
  const [source, target] = [await freshDatabase(), await freshDatabase('template0')];
  const ofMachine = ['backup_schedule', 'last_backup_test', 'last_health_check', 'passed_backup', 'volatile_store'];
  for (const key of [...ofMachine, 'master_key_fingerprint']) await writeFact(source.db, key, 'of the old home');
  const file = newFile();
  await backup(source.url, file);
  const { header } = await openBackupFile(file);
  expect(header.contents.rows['facts']).toBe(1);
  await restore(target.url, file);
  const facts = await target.db.selectFrom('facts').select('key').orderBy('key').execute();
  expect(facts.map(({ key }) => key)).toEqual(['master_key_fingerprint', 'restored_at']);
  expect(await storeFault(target.db)).toBe(await durabilityFault(target.db));
});
