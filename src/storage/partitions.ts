import { dayMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { inTransaction } from './in-transaction.ts';

/** A table of partitions by time: what was there before, one partition a day or month, and one for all other rows. */
interface PartitionedTable {
  table: 'decisions' | 'pnl_snapshots' | 'audit_log';
  column: string;
  period: 'day' | 'month';
  ahead: number; // periods after the current one that are made now
}

const tables: readonly PartitionedTable[] = [
  { table: 'decisions', column: 'candle_time', period: 'day', ahead: 7 },
  { table: 'pnl_snapshots', column: 'taken_at', period: 'month', ahead: 2 },
  { table: 'audit_log', column: 'time', period: 'month', ahead: 2 },
];

/** A span of time in ms since the epoch; `to` is not part of it. An open end is infinite. */
interface Bounds {
  from: number;
  to: number;
}

const partitionsLock = 7_310_002;

/**
 * Makes the partitions of the current time and those ahead, and those of rows that have come into a default partition
 * meanwhile: their rows are moved, none is lost. Called at every start and every hour; several programs may call it at once.
 *
 * Waits at most 2 s for those who are reading or writing.
 *
 * Fails: when it had to wait longer (nothing is changed then, and the next call tries again)
 */
export async function keepPartitions(db: Database, now: Date): Promise<void> {
  await inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(${partitionsLock})`.execute(trx);
    await sql`select set_config('lock_timeout', '2s', true)`.execute(trx);
    for (const of of tables) {
      const known = await listPartitions(trx, of.table);
      if (known.length === 0) continue; // the schema of an earlier version
      const starts = [...(await startsInDefault(trx, of)), ...startsAhead(of, now)];
      for (const from of new Set(starts)) {
        const bounds = { from, to: nextStart(of.period, from) };
        if (known.every(({ to, from: first }) => to <= bounds.from || first >= bounds.to)) await makePartition(trx, of, bounds);
      }
    }
  });
}

/**
 * Removes the rows of a table from before a time: whole partitions are dropped, which takes no longer for millions of rows
 * than for one; a partition that reaches beyond the time stays. What is as old in the default partition is deleted.
 */
export async function dropPartitionsBefore(db: Database, table: PartitionedTable['table'], before: Date): Promise<void> {
  const column = tables.find((each) => each.table === table)?.column ?? '';
  for (const { name, to } of await listPartitions(db, table)) {
    if (to > before.getTime()) continue;
    await inTransaction(db, async (trx) => {
      await sql`select set_config('lock_timeout', '2s', true)`.execute(trx);
      await sql`drop table if exists ${sql.id(name)}`.execute(trx);
    });
  }
  await sql`delete from ${sql.id(`${table}_default`)} where ${sql.id(column)} < ${before}`.execute(db);
}

/** The partitions of a table, but for the default one. */
async function listPartitions(db: Database, table: string): Promise<(Bounds & { name: string })[]> {
  const { rows } = await sql<{ name: string; from: Date | null; to: Date }>`
    select name, substring(bound from 'FROM \\(''([^'']+)''\\)')::timestamptz as from, substring(bound from 'TO \\(''([^'']+)''\\)')::timestamptz as to
    from (select c.relname::text as name, pg_get_expr(c.relpartbound, c.oid) as bound
          from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass(${table})) as partitions
    where bound <> 'DEFAULT' order by 3`.execute(db);
  return rows.map(({ name, from, to }) => ({ name, from: from?.getTime() ?? -Infinity, to: to.getTime() }));
}

/** The periods of rows that found no partition of their own. */
async function startsInDefault(db: Database, { table, column, period }: PartitionedTable): Promise<number[]> {
  const { rows } = await sql<{ start: Date }>`
    select distinct date_trunc(${period}, ${sql.id(column)}, 'UTC') as start from ${sql.id(`${table}_default`)} order by 1`.execute(db);
  return rows.map(({ start }) => start.getTime());
}

function startsAhead({ period, ahead }: PartitionedTable, now: Date): number[] {
  const starts = [periodStart(period, now)];
  for (let i = 0; i < ahead; i++) starts.push(nextStart(period, starts[i] ?? 0));
  return starts;
}

function periodStart(period: PartitionedTable['period'], time: Date): number {
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), period === 'day' ? time.getUTCDate() : 1);
}

function nextStart(period: PartitionedTable['period'], start: number): number {
  const date = new Date(start);
  return period === 'day' ? start + dayMs : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/**
 * Makes a partition, with what the default partition has of its rows. The table is locked before that: a row on its way to
 * the default partition would be refused once its own partition is there. Everybody locks the table before its partitions,
 * and the bots before both, so nobody waits in a circle.
 */
async function makePartition(trx: Database, { table, column, period }: PartitionedTable, bounds: Bounds): Promise<void> {
  const [from, to] = [new Date(bounds.from).toISOString(), new Date(bounds.to).toISOString()];
  const name = sql.id(`${table}_${from.slice(0, period === 'day' ? 10 : 7).replaceAll('-', '_')}`);
  const other = sql.id(`${table}_default`);
  if (table === 'pnl_snapshots') await sql`lock table bots in share row exclusive mode`.execute(trx); // for the foreign key
  await sql`lock table only ${sql.id(table)} in access exclusive mode`.execute(trx);
  await sql`create table ${name} (like ${sql.id(table)} including defaults including indexes)`.execute(trx);
  const { rows } = await sql`select 1 from ${other} where ${sql.id(column)} >= ${from} and ${sql.id(column)} < ${to} limit 1`.execute(trx);
  if (rows.length > 0) {
    await sql`alter table ${other} disable trigger user`.execute(trx); // no row is changed by being moved
    await sql`with moved as (delete from ${other} where ${sql.id(column)} >= ${from} and ${sql.id(column)} < ${to} returning *)
      insert into ${name} select * from moved`.execute(trx);
    await sql`alter table ${other} enable trigger user`.execute(trx);
  }
  await sql`alter table ${sql.id(table)} attach partition ${name} for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(trx);
  if (table === 'audit_log')
    await sql`create trigger audit_log_keep before update or delete or truncate on ${name} for each statement execute function refuse_change()`.execute(
      trx,
    );
}
