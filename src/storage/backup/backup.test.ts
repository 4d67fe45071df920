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
import { openDatabase } from '../database.ts';
import { as } from '../embedded/cluster.ts';
import { freePort } from '../embedded/free-port.ts';
import { serverUser } from '../embedded/server-user.ts';
import { migrate, migrations } from '../migrate.ts';
import { restore } from './restore.ts';

const { db, url } = await freshDatabase();
await fill(db);
const folder = mkdtempSync(join(tmpdir(), 'flotilla-backup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (): string => join(folder, `backup-${++files}`);

/** Rows in every table there is, with values that text forms easily spoil. */
async function fill(on: Database): Promise<void> {
  const statements = [
    `insert into users (id, email, email_key, display_name, password_hash, role)
       select ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'u' || i || '@example.com', 'u' || i || '@example.com', E'Tab\\tnew\\nline back\\\\slash \\\\N Ünï 🚀 ' || i, 'x', 'trader'
       from generate_series(1, 3) i`,
    `insert into sessions (user_id, started_at, authenticated_at, last_seen_at, ends_at) select id, now(), now(), now(), now() from users limit 1`,
    `insert into session_tokens (hash, session_id, access_until, refresh_until) select '\\x01', id, now(), now() from sessions`,
    `insert into half_logins (hash, user_id, expires_at) select '\\x02', id, now() from users limit 1`,
    `insert into codes (email_key, user_id, purpose, salt, hash, created_at, expires_at) select email_key, id, 'reset', '\\x01', '\\x02', now(), now() from users limit 1`,
    `insert into limit_counters values ('k', 1, now())`,
    `insert into idempotency_keys (caller, call, key, body_hash, expires_at) values ('a', 'b', 'c', '\\x03', now())`,
    `insert into mail_outbox (recipient, subject, body) values ('a', 'Your code', '123456')`,
    `insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop,
       trailing_only_offset_is_reached, minimal_roi, order_types, order_time_in_force, position)
       values ('A', 'A', '', array['binance', 'with,comma', 'with"quote'], '5m', -0.1, false, false, '{"0": 0.01}', '{"entry": "limit"}', '{"entry": "GTC"}', 1)`,
    `insert into api_keys (user_id, exchange_id, key_hint, sealed) select id, 'binance', '…abcd', '{"v": 1, "text": "\\u00e4\\n"}' from users limit 1`,
    `insert into ignored_holdings select id, 'spot', 'BTC/USDT', 0.5 from api_keys`,
    `insert into order_searches select id, 'spot', now() from api_keys`,
    `insert into account_checks select id, 'spot', now() from api_keys`,
    `insert into runners (id, host, expires_at) values (gen_random_uuid(), 'here 1', now() + interval '1 minute')`,
    `insert into bots (user_id, strategy_id, nickname, exchange_id, market_type, stake_currency, stake_amount, symbols, max_open_trades,
       leverage, leverage_mode, status, starting_balance, runner_id, api_key_id, engine_state)
       select u.id, s.id, 'bot ' || status, 'binance', 'spot', 'USDT', 100.123456789012345678, array['BTC/USDT', 'ETH/USDT'], 3, 1, 'isolated',
         status, 99999999999999999999.999999999999999999, r.id, k.id,
         case status when 'paused' then '{}'::jsonb else '{"live": {"version": 2, "nextOrderNumber": 12}, "paper": {"version": 2, "nextOrderNumber": 3}}' end
       from (select * from users limit 1) u, strategies s, runners r, api_keys k, unnest(array['active', 'paused', 'stopped']) status`,
    `insert into differences (bot_id, symbol, expected, actual) select id, 'BTC/USDT', 1, 0.5 from bots limit 1`,
    `insert into drills (bot_id, settings_hash, seed, result) select id, 'abc', 7, '{"orders": 3}' from bots`,
    `insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, amount, stake, leverage, engine_state)
       select gen_random_uuid(), id, 'BTC/USDT', 'long', 'paper', 'open', '2026-03-29 01:30:00.123456+01', 0.000000000000000001, 5, 1, '{"a": [1, 2.50]}' from bots`,
    `insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit)
       select gen_random_uuid(), id, 'BTC/USDT', 'short', 'paper', 'closed', now() - n * interval '1 hour', now(), n, 5, 1, -n from bots, generate_series(1, 2000) n`,
    `insert into orders (bot_id, trade_id, epoch, client_order_id, signal_key, purpose, side, type, requested, status, planned_at)
       select bot_id, id, 9007199254740993, 'c' || id, 'k' || id, 'entry', 'buy', 'limit', 1, 'filled', now() from trades where status = 'open'`,
    // One signal that made a second order, as a limit exit does that was not filled in time.
    `insert into orders (bot_id, trade_id, epoch, client_order_id, signal_key, purpose, side, type, requested, status, planned_at, closed_at)
       select bot_id, id, 1, 'x1' || id, 'exit ' || id, 'exit', 'sell', 'limit', 1, 'cancelled', now(), now() from trades where status = 'open'`,
    `insert into orders (bot_id, trade_id, epoch, client_order_id, signal_key, purpose, side, type, requested, filled, status, planned_at, closed_at)
       select bot_id, id, 1, 'x2' || id, 'exit ' || id, 'exit', 'sell', 'limit', 1, 1, 'filled', now(), now() from trades where status = 'open'`,
    `insert into fills (order_id, exchange_fill_id, price, amount, fee, fee_currency, is_maker, filled_at)
       select id, 'f1', 1, 1, 0.1, 'USDT', true, now() from orders`,
    `insert into order_events (order_id, state, detail) select id, 'sent', 'attempt 1' from orders`,
    `insert into differences (bot_id, symbol, expected, actual) select id, 'BTC/USDT:USDT', 2, 1.5 from bots`,
    `insert into ignored_holdings select id, 'futures', 'BTC/USDT:USDT', 0.5 from api_keys`,
    `insert into unrecorded_orders (client_order_id, bot_id, api_key_id, market_type, exchange_order_id, symbol, side, type, state, requested, filled, net, made_at)
       select 'fl-x-' || b.id, b.id, k.id, 'spot', '7', 'BTC/USDT', 'buy', 'stop', 'open', 1, 0.5, 0.4995, now() from bots b, api_keys k`,
    `insert into adopted_holdings (bot_id, symbol, direction, amount, price, closes, asked_at) select id, 'BTC/USDT', 'long', 1, 2, false, now() from bots`,
    `insert into bot_figures (bot_id, mode, peak_balance) select id, 'paper', 1 from bots`,
    `insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl) select id, now(), 1, -0.5 from bots`,
    `insert into report_readers (user_id, last_day) select id, '2026-03-01' from users limit 1`,
    `insert into trade_messages (strategy_id, kind, text) select id, 'chat', 'opened' from strategies`,
    `insert into bot_versions (bot_id, version, settings) select id, 1, '{"nickname": "before"}' from bots`,
    `insert into strategy_versions (strategy_id, version, settings) select id, 1, '{"name": "before"}' from strategies`,
    `insert into trader_sums select id, 'day', '2026-03-29', 'paper', 1, 1, 0, 0, 0, 1, 1, 0, 0, '20541,1' from users`,
    `insert into account_balances (api_key_id, market_type, currency, asked_at) select id, 'spot', 'USDT', now() from api_keys`,
    `insert into trader_sums_until select id, '2026-03-30', '{USDT}' from users`,
    `insert into decisions (bot_id, symbol, candle_time, action, seen, decided_at) select id, 'BTC/USDT', now(), 'none', '{}', now() from bots`,
    `insert into decisions (bot_id, symbol, candle_time, action, seen, decided_at)
       select id, 'BTC/USDT', now() + n * interval '1 day', 'none', '{}', now() from bots, unnest(array[-40, -1, 2, 300]) n`,
    `insert into pnl_snapshots select id, 'paper', now() - interval '400 days', 1, 2, 3, 4, 5, 6, 7 from bots`,
    `insert into pnl_snapshots select id, 'paper', now(), 1, 2, 3, 4, 5, 6, 7 from bots`,
    `insert into backtests (user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, status, equity)
       select u.id, s.id, 'binance', 'BTC/USDT', 'spot', '5m', 7, 10, 1, 'done', '[[1, 2.5]]' from users u, strategies s`,
    `insert into facts values ('first', '"start"')`,
    `insert into installation_settings values (true, 7, 'admins', 'invitation', false, 30, 90, E'Harbour\\tDesk', 'desk@harbour.example')`,
    `insert into trading_states (level, state, is_imposed) values ('server', 'reducing', false)`,
    `insert into trading_states (level, user_id, state, is_imposed, set_by) select 'user', id, 'halted', true, id from users limit 1`,
    `insert into limits (level, name, currency, value) values ('server', 'daily-loss', 'USDT', 1000.000000000000000001)`,
    `insert into alarms (key, kind, level, bot_id, facts) select 'difference bot ' || id, 'difference', 'bot', id, '{"ours": 1}' from bots`,
    `insert into invitations (email, email_key, role, code_hash, created_at, expires_at) values ('n@example.com', 'n@example.com', 'trader', '\\x04', now(), now())`,
    `insert into funding_events values ('binance', 'BTC/USDT:USDT', '2026-03-01', -0.0000123, 96000.12345678)`,
    `insert into funding_spans values ('binance', 'BTC/USDT:USDT', '{[2026-03-01,2026-03-15), [2026-03-20,2026-04-01)}')`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(on);
  await sql`insert into candle_chunks values ('binance', 'spot', 'BTC/USDT', '1m', '2026-03-01', '{[2026-03-01,2026-03-15), [2026-03-20,2026-04-01)}', 44640, '\\x01', ${randomBytes(6_000_000)})`.execute(
    on,
  );
  for (let i = 0; i < 5; i++) await writeAudit(on, { actorId: null, actorRole: null, action: `act ${i}`, result: 'ok' });
}

/** The rows of every table as text, without what a restore changes on purpose. */
async function contents(of: Database): Promise<Record<string, string[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname not like 'kysely%' order by 1`.execute(
    of,
  );
  const all: Record<string, string[]> = {};
  for (const { name } of tables) {
    const row = name === 'bots' ? sql`to_jsonb(t) - 'status' - 'runner_id' - 'updated_at' - 'engine_state'` : sql`to_jsonb(t)`;
    const { rows } = await sql<{ text: string }>`
      select (${row})::text as text from ${sql.table(name)} t order by 1`.execute(of);
    all[name] = rows.map(({ text }) => text).filter((text) => !text.includes('restored_at'));
  }
  return all;
}

const emptied = [
  'codes',
  'half_logins',
  'idempotency_keys',
  'invitations',
  'limit_counters',
  'mail_outbox',
  'trade_messages',
  'trader_sums',
  'trader_sums_until',
  'runners',
  'account_balances',
  'account_checks',
  'order_searches',
  'session_tokens',
  'sessions',
];

/** What must be in a database after a restore of what `fill` made. */
async function expectRestored(target: Database): Promise<void> {
  const [before, after] = [await contents(db), await contents(target)];
  for (const [table, rows] of Object.entries(before)) {
    expect(rows.length, `${table} has rows before`).toBeGreaterThan(0);
    if (emptied.includes(table)) expect(after[table], table).toEqual([]);
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
  const [first, second] = readFileSync(file).subarray(0, 10_000).toString('latin1').split('\n');
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
  expect((await contents(target.db))['orders']).toEqual([]);

  await restore(target.url, file);
  expect(await guards()).toEqual(before);
  const again = sql`insert into orders (bot_id, trade_id, epoch, client_order_id, signal_key, purpose, side, type, requested, status, planned_at)
    select bot_id, trade_id, 1, 'x3', signal_key, purpose, side, type, 1, 'cancelled', now() from orders where client_order_id like 'x2%' limit 1`;
  await expect(again.execute(target.db)).rejects.toThrow('has led to a fill and makes no other order');
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
  expect((await contents(target.db))['facts']).toHaveLength(1);
  expect((await contents(target.db))['users']).toEqual([]);
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

test('a backup that nobody can read is refused with a sentence, whatever its checksum says', async () => {
  const target = await freshDatabase('template0');
  const length = Buffer.from([0xff, 0xff, 0xff, 0xff]);
  for (const body of [
    randomBytes(5_000),
    zstdCompressSync(Buffer.alloc(0)),
    zstdCompressSync(Buffer.from([9, 0, 0, 0, 123])),
    zstdCompressSync(Buffer.concat([Buffer.from([5, 0, 0, 0]), Buffer.from('plain')])),
    zstdCompressSync(Buffer.concat([length, Buffer.alloc(2_000_000)])),
  ])
    await expect(restore(target.url, withBody(body))).rejects.toThrow(
      /^The backup backup-\d+ has a right checksum, but its contents cannot be read\. Nothing was restored/u,
    );
  expect(await tablesOf(target.db)).toEqual([]);
});

test('rows are unpacked piece by piece, however much a small file unpacks to', async () => {
  const size = 100_000_000;
  const length = Buffer.alloc(4);
  length.writeUInt32LE(size);
  const crafted = withBody(zstdCompressSync(Buffer.concat([length, Buffer.alloc(size), Buffer.alloc(4)])));
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
