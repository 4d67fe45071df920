import type { Client } from 'pg';

/** A table of a backup, with the columns that are copied. */
export interface BackupTable {
  table: string;
  columns: string[];
}

/**
 * Tables whose rows mean nothing later, or would do harm: leases of running processes, balances, comparisons, margins and searches of accounts, sign-ins, codes, invitations
 * and limits of the moment, and mails that may have been sent meanwhile. People sign in again after a restore. The sums of
 * trades are made again from the trades.
 */
const ofTheMoment = new Set([
  'runners',
  'account_balances',
  'account_checks',
  'order_searches',
  'position_margins',
  'sessions',
  'session_tokens',
  'half_logins',
  'codes',
  'passkey_challenges',
  'invitations',
  'limit_counters',
  'idempotency_keys',
  'mail_outbox',
  'trade_messages',
  'channel_messages',
  'trader_sums',
  'trader_sums_until',
  'profit_sums',
]);

/**
 * Every table of our schema, also one that a later migration adds; those that others refer to come first. Partitions are
 * no tables of their own here: their rows are the table's.
 */
export async function listTables(client: Client): Promise<BackupTable[]> {
  const { rows: columns } = await client.query<{ table: string; column: string }>(`
    select c.relname::text as table, a.attname::text as column
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'kysely_migration%'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    order by c.relname, a.attnum`);
  const { rows: references } = await client.query<{ from: string; to: string }>(`
    select f.relname::text as from, t.relname::text as to
    from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and not f.relispartition and not t.relispartition and f.relnamespace = current_schema()::regnamespace and f.oid <> t.oid`);
  const waiting = new Map<string, string[]>();
  for (const { table, column } of columns) waiting.set(table, [...(waiting.get(table) ?? []), column]);
  const ordered: BackupTable[] = [];
  while (waiting.size > 0) {
    const free = [...waiting].filter(([table]) => !references.some(({ from, to }) => from === table && waiting.has(to)));
    if (free.length === 0) throw new Error(`The tables ${[...waiting.keys()].join(', ')} refer to each other in a circle`);
    for (const [table, names] of free) {
      ordered.push({ table, columns: names });
      waiting.delete(table);
    }
  }
  return ordered;
}

/** The tables of `listTables` that belong into a backup. */
export async function listKeptTables(client: Client): Promise<BackupTable[]> {
  return (await listTables(client)).filter(({ table }) => !ofTheMoment.has(table));
}

/** The names of the migrations the database has had; empty for a database without our schema. */
export async function appliedMigrations(client: Client): Promise<string[]> {
  const { rows: there } = await client.query<{ name: string | null }>(`select to_regclass('kysely_migration')::text as name`);
  if (there[0]?.name === null) return [];
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}

/** Makes text mean the same on both sides, whatever the servers' own settings are. */
export const plainSettings = `
  set client_encoding = 'UTF8'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC';
  set extra_float_digits = 1; set bytea_output = 'hex'; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0`;
