import type { Client } from 'pg';
import { escapeIdentifier } from 'pg';
import { factsOfMachine } from '../installation/facts.ts';
import { listKeptTables } from './backup-tables.ts';

/** What a backup must give back: written into its head from the same moment as its rows, and read again from what was restored. */
export interface BackupContents {
  rows: Record<string, number>; // by table
  sums: Record<string, string>; // of every column of exact numbers ('trades.profit'), exact
  guards: string[]; // the constraints that hold for all rows, and the triggers that are on ('orders orders_signal')
}

/** Reads what a backup of the database would hold. Facts of the machine do not count, nor does the one that says when a database was restored. */
export async function readContents(client: Client): Promise<BackupContents> {
  const { rows: numbers } = await client.query<{ table: string; column: string }>(`
    select c.relname::text as table, a.attname::text as column from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and a.atttypid = 'numeric'::regtype and a.attnum > 0 and not a.attisdropped`);
  const rows: BackupContents['rows'] = {};
  const sums: BackupContents['sums'] = {};
  for (const { table } of await listKeptTables(client)) {
    const columns = numbers.filter((each) => each.table === table).map(({ column }) => column);
    const parts = ['count(*) as n', ...columns.map((column, i) => `coalesce(sum(${escapeIdentifier(column)}), 0)::text as s${i}`)];
    const condition = table === 'facts' ? 'where key <> all($1)' : '';
    const { rows: found } = await client.query<Record<string, string>>(
      `select ${parts.join(', ')} from ${escapeIdentifier(table)} ${condition}`,
      table === 'facts' ? [['restored_at', ...factsOfMachine]] : [],
    );
    rows[table] = Number(found[0]?.['n']);
    for (const [i, column] of columns.entries()) sums[`${table}.${column}`] = found[0]?.[`s${i}`] ?? '';
  }
  return { rows, sums, guards: await listGuards(client) };
}

/** Those of tables; a partition has those of its table. PostgreSQL before 18 does not list what may not be null. */
async function listGuards(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relname || ' ' || k.conname as name from pg_constraint k join pg_class c on c.oid = k.conrelid
    where c.relnamespace = current_schema()::regnamespace and not c.relispartition and k.contype <> 'n' and k.convalidated
    union all
    select c.relname || ' ' || t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = current_schema()::regnamespace and not c.relispartition and not t.tgisinternal and t.tgenabled in ('O', 'A')
    order by 1`);
  return rows.map(({ name }) => name);
}

/** The first thing in which what was restored is not what the backup must give back, as a sentence; null when there is none. */
export function contentsFault(backup: BackupContents, restored: BackupContents): string | null {
  const tables = Object.keys({ ...backup.rows, ...restored.rows }).filter((each) => backup.rows[each] !== restored.rows[each]);
  const [table] = tables;
  if (table !== undefined)
    return `${table} has ${restored.rows[table] ?? 0} rows instead of ${backup.rows[table] ?? 0}, and ${tables.length - 1} other tables differ.`;
  const column = Object.keys({ ...backup.sums, ...restored.sums }).find((each) => backup.sums[each] !== restored.sums[each]);
  if (column !== undefined)
    return `The values of ${column} add up to ${restored.sums[column] ?? 'nothing'} instead of ${backup.sums[column] ?? 'nothing'}.`;
  const guard = backup.guards.find((each) => !restored.guards.includes(each));
  return guard === undefined ? null : `The constraint or trigger ${guard} does not guard the restored rows.`;
}
