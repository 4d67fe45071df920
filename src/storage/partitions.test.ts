import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { untilWaiting } from '../../test/support/lock-waits.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { writeAudit } from './audit/audit-log.ts';
import type { Database } from './database.ts';
import { addDecisions, removeDecisions } from './bots/decisions.ts';
import { migrate, migrations } from './migrate.ts';
import { dropPartitionsBefore, keepPartitions } from './partitions.ts';
import { addPnlSnapshots } from './bots/pnl-snapshots.ts';

const { db } = await freshDatabase();
const day = 86_400_000;
const today = Math.floor(Date.now() / day) * day;
const botId = await addTestBot(db, { strategy: 'EmaCross', nickname: 'kept' });

const decide = (time: number, on: Database = db) =>
  addDecisions(on, [
    { botId, epoch: '0', symbol: 'BTC/USDT', candleTime: time, action: 'none', gate: 'no-signal', seen: { price: 1 }, decidedAt: time },
  ]);
const snapshot = (time: number, netPnl: number) => ({
  botId,
  mode: 'paper',
  takenAt: new Date(time),
  netPnl,
  netPnlPct: 0,
  unrealizedPnl: 0,
  realizedPnl: netPnl,
  totalFees: 0,
  winRate: 0,
  currentBalance: 100,
});
/** In which partition each row is. */
const places = async (table: string, column: string, on: Database = db) =>
  (
    await sql<{ place: string; time: Date }>`select tableoid::regclass::text as place, ${sql.id(column)} as time
      from ${sql.id(table)} order by 2`.execute(on)
  ).rows.map(({ place, time }) => [place, time.getTime()]);
const nameOf = (table: string, time: number, length = 10) =>
  `${table}_${new Date(time).toISOString().slice(0, length).replaceAll('-', '_')}`;
const partitionsOf = async (table: string, on: Database = db) =>
  (
    await sql<{
      name: string;
    }>`select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass order by 1`.execute(on)
  ).rows.map(({ name }) => name);

test('a row goes to the partition of its day, and partitions are there a week ahead', async () => {
  await keepPartitions(db, new Date(today + 10 * day));
  await decide(today + 11 * day + 1);
  expect(await places('decisions', 'candle_time')).toEqual([[nameOf('decisions', today + 11 * day), today + 11 * day + 1]]);
  expect(await partitionsOf('decisions')).toContain(nameOf('decisions', today + 17 * day));
  expect(await partitionsOf('decisions')).not.toContain(nameOf('decisions', today + 18 * day));
});

test('a row without a partition is kept, read and written once, and moves to its own when that is made', async () => {
  const late = today + 400 * day;
  await decide(late);
  await decide(late); // known already
  await addPnlSnapshots(db, [snapshot(late, 5)]);
  await sql`insert into audit_log (time, action, result, hash) values (${new Date(late)}, 'late', 'ok', '\\x00')`.execute(db);
  const tables = [
    ['decisions', 'candle_time', 10],
    ['pnl_snapshots', 'taken_at', 7],
    ['audit_log', 'time', 7],
  ] as const;
  const rowsBefore = await Promise.all(tables.map(([table]) => sql`select * from ${sql.id(table)} order by 1, 2, 3`.execute(db)));
  for (const [table, column] of tables) expect((await places(table, column)).at(-1)).toEqual([`${table}_default`, late]);
  await keepPartitions(db, new Date());
  for (const [table, column, length] of tables) {
    expect((await places(table, column)).at(-1)).toEqual([nameOf(table, late, length), late]);
    expect((await sql`select from ${sql.id(`${table}_default`)}`.execute(db)).rows).toEqual([]);
  }
  const rowsAfter = await Promise.all(tables.map(([table]) => sql`select * from ${sql.id(table)} order by 1, 2, 3`.execute(db)));
  expect(rowsAfter.map(({ rows }) => rows)).toEqual(rowsBefore.map(({ rows }) => rows));
  await decide(late); // known in its new place too
  await addPnlSnapshots(db, [snapshot(late, 6)]);
  expect((await sql`select from decisions where candle_time = ${new Date(late)}`.execute(db)).rows).toHaveLength(1);
  expect((await sql`select net_pnl::float8 as n from pnl_snapshots where taken_at = ${new Date(late)}`.execute(db)).rows).toEqual([
    { n: 6 },
  ]);
});

test('eight programs that keep the partitions at once, while others write, lose nothing', async () => {
  const start = today + 800 * day;
  const before = (await sql`select from decisions`.execute(db)).rows.length;
  const keep = Array.from({ length: 8 }, (_, i) => keepPartitions(db, new Date(start + (i % 3) * day)));
  const write = Array.from({ length: 60 }, (_, i) => decide(start + i * (day / 4)));
  await Promise.all([...keep, ...write]);
  await keepPartitions(db, new Date(start));
  expect((await sql`select from decisions`.execute(db)).rows.length).toBe(before + 60);
  expect((await sql`select from decisions_default`.execute(db)).rows).toEqual([]);
});

test('decisions are removed by dropping whole days; the day of the limit stays, and what is old in the default partition goes', async () => {
  const start = today + 2_000 * day;
  await keepPartitions(db, new Date(start));
  for (let i = 0; i < 5; i++) await decide(start + i * day + 60_000);
  await removeDecisions(db, new Date(start + 2 * day + 120_000));
  expect((await places('decisions', 'candle_time')).map(([, time]) => time)).toEqual([2, 3, 4].map((i) => start + i * day + 60_000));
  expect(await partitionsOf('decisions')).not.toContain(nameOf('decisions', start + day));
  await decide(start - 100 * day); // so late that its day is gone
  expect((await places('decisions', 'candle_time'))[0]).toEqual(['decisions_default', start - 100 * day]);
  await removeDecisions(db, new Date(start + 2 * day));
  expect(await places('decisions', 'candle_time')).toHaveLength(3);
});

test('dropping gives up while somebody reads for long, and is done the next time', async () => {
  const start = today + 3_000 * day;
  await keepPartitions(db, new Date(start));
  await decide(start);
  await db.transaction().execute(async (trx) => {
    await sql`select from decisions`.execute(trx);
    await expect(dropPartitionsBefore(db, 'decisions', new Date(start + day))).rejects.toThrow('lock timeout');
  });
  await dropPartitionsBefore(db, 'decisions', new Date(start + day));
  expect(await partitionsOf('decisions')).not.toContain(nameOf('decisions', start));
});

test('a partition may be made right before one that is there, and its rows may be changed', async () => {
  const start = today + 6_000 * day;
  await keepPartitions(db, new Date(start));
  await decide(start - 1);
  await keepPartitions(db, new Date());
  const [place] = (await places('decisions', 'candle_time')).filter(([, time]) => time === start - 1);
  expect(place).toEqual([nameOf('decisions', start - day), start - 1]);
  await sql`delete from decisions where candle_time = ${new Date(start - 1)}`.execute(db);
  expect((await places('decisions', 'candle_time')).some(([, time]) => time === start - 1)).toBe(false);
});

test('a month begins with its first day, whenever its partition is made; it is dropped like a day', async () => {
  const [first, last] = [Date.UTC(2050, 3, 1), Date.UTC(2050, 4, 1) - 1];
  await keepPartitions(db, new Date('2050-04-20T12:00:00Z'));
  await addPnlSnapshots(db, [snapshot(first, 1), snapshot(last, 2)]);
  const all = async () => (await places('pnl_snapshots', 'taken_at')).filter(([, time]) => Number(time) >= first && Number(time) <= last);
  expect(await all()).toEqual([first, last].map((time) => ['pnl_snapshots_2050_04', time]));
  await dropPartitionsBefore(db, 'pnl_snapshots', new Date(last));
  expect(await all()).toHaveLength(2);
  await addPnlSnapshots(db, [snapshot(first - 90 * day, 3)]);
  await dropPartitionsBefore(db, 'pnl_snapshots', new Date(last + 1));
  expect(await all()).toEqual([]);
  expect((await sql`select from pnl_snapshots_default`.execute(db)).rows).toEqual([]);
});

test('who has written a bot and writes its snapshot then does not wait in a circle with one who makes partitions', async () => {
  const time = Date.UTC(2060, 5, 15);
  const keeping = await db.transaction().execute(async (trx) => {
    await sql`update bots set consecutive_losses = 1 where id = ${botId}`.execute(trx);
    const kept = keepPartitions(db, new Date(time));
    await untilWaiting(db, 1);
    await addPnlSnapshots(trx, [snapshot(time, 1)]);
    return { kept };
  });
  await keeping.kept;
  expect((await places('pnl_snapshots', 'taken_at')).at(-1)).toEqual(['pnl_snapshots_2060_06', time]);
});

test('rows of the audit log are never changed, whatever partition they are in and however it is named', async () => {
  await writeAudit(db, { actorId: null, actorRole: null, action: 'kept', result: 'ok' });
  const far = today + 5_000 * day;
  await sql`insert into audit_log (time, action, result, hash) values (${new Date(far)}, 'far', 'ok', '\\x00')`.execute(db);
  await keepPartitions(db, new Date()); // makes one for it
  await sql`insert into audit_log (time, action, result, hash) values (${new Date(far + 400 * day)}, 'farther', 'ok', '\\x00')`.execute(db);
  await sql`insert into audit_log (time, action, result, hash) values (${new Date(today + 40 * day)}, 'next', 'ok', '\\x00')`.execute(db);
  const used = new Set((await places('audit_log', 'time')).map(([place]) => String(place)));
  expect([...used]).toEqual(expect.arrayContaining([nameOf('audit_log', far, 7), 'audit_log_default']));
  expect(used.size).toBeGreaterThanOrEqual(4);
  for (const table of [...used, 'audit_log']) {
    await expect(sql`update ${sql.id(table)} set result = 'other'`.execute(db), table).rejects.toThrow('never changed');
    await expect(sql`delete from ${sql.id(table)}`.execute(db), table).rejects.toThrow('never changed');
    await expect(sql`truncate ${sql.id(table)}`.execute(db), table).rejects.toThrow('never changed');
  }
});

test('a database of an earlier version keeps every row, and the chain of the audit log continues', async () => {
  const earlier = await freshDatabase('template0');
  const names = Object.keys(migrations);
  await migrate(earlier.db, Object.fromEntries(Object.entries(migrations).slice(0, names.indexOf('0007-partitions'))));
  // In SQL: the code of now knows columns that were not there yet.
  const { rows: bots } = await sql<{ id: string }>`
    with owner as (insert into users (email, email_key, display_name, password_hash, role) values ('old@x.yz', 'old@x.yz', 'old', 'x', 'trader') returning id),
      strategy as (insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop,
        trailing_only_offset_is_reached, minimal_roi, order_types, order_time_in_force, position)
        values ('A', 'A', '', '{}', '5m', -0.1, false, false, '{}', '{}', '{}', 1) returning id)
    insert into bots (user_id, strategy_id, nickname, exchange_id, market_type, stake_currency, stake_amount, symbols, max_open_trades, leverage,
      leverage_mode, starting_balance)
    select owner.id, strategy.id, 'old', 'sandbox', 'spot', 'USDT', 1, '{BTC/USDT}', 1, 1, 'isolated', 1 from owner, strategy returning id`.execute(
    earlier.db,
  );
  const id = bots[0]?.id ?? '';
  await sql`insert into decisions select ${id}, 'BTC/USDT', now() - n * interval '1 minute', 'none', null, '{}', now()
    from generate_series(-5, 100000) n`.execute(earlier.db);
  await sql`insert into pnl_snapshots select ${id}, 'paper', now() - n * interval '1 hour', n, 0, 0, 0, 0, 0, 0 from generate_series(1, 5000) n`.execute(
    earlier.db,
  );
  for (let i = 0; i < 3; i++)
    await sql`insert into audit_log (action, result, previous_hash, hash) values
      ('act', 'ok', (select hash from audit_log order by id desc limit 1), sha256(${`hash ${i}`}::bytea))`.execute(earlier.db);
  const contents = async () => {
    const all = ['decisions', 'pnl_snapshots', 'audit_log'].map((table) =>
      sql`select count(*), sum(hashtext((to_jsonb(t) - 'hash_version')::text)) from ${sql.id(table)} t`.execute(earlier.db),
    );
    return (await Promise.all(all)).map(({ rows }) => rows[0]);
  };
  const before = await contents();
  expect(await migrate(earlier.db)).toContain('0007-partitions');
  expect(await contents()).toEqual(before);
  await writeAudit(earlier.db, { actorId: null, actorRole: null, action: 'after', result: 'ok' });
  const lines = await earlier.db.selectFrom('auditLog').select(['id', 'hash', 'previousHash']).orderBy('id').execute();
  expect(lines.map((line) => line.id)).toEqual(['1', '2', '3', '4']);
  expect(lines[3]?.previousHash).toEqual(lines[2]?.hash);
  // What the first partition holds is known to the table: nothing is written twice.
  await sql`insert into pnl_snapshots select bot_id, mode, taken_at, 0, 0, 0, 0, 0, 0, 0 from pnl_snapshots on conflict do nothing`.execute(
    earlier.db,
  );
  expect((await contents())[1]).toEqual(before[1]);
  // It is dropped as a whole once all of it is old enough.
  await removeDecisions(earlier.db, new Date(today + day - 1));
  expect(await partitionsOf('decisions', earlier.db)).toContain('decisions_before');
  await removeDecisions(earlier.db, new Date(today + 2 * day));
  expect(await partitionsOf('decisions', earlier.db)).not.toContain('decisions_before');
});
