import type { Client } from 'pg';
import { escapeIdentifier } from 'pg';
import { listKeptTables } from './backup-tables.ts';

/** What a backup must give back: written into its head when it is made, and counted again in what was restored. */
export interface BackupContents {
  rows: Record<string, number>; // by table
  closedProfit: string; // of all closed trades, exact
}

/** Counts what a backup of the database would hold. The fact that says when a database was restored does not count. */
export async function countContents(client: Client): Promise<BackupContents> {
  const rows: BackupContents['rows'] = {};
  for (const { table } of await listKeptTables(client)) {
    const condition = table === 'facts' ? `where key <> 'restored_at'` : '';
    const counted = await client.query<{ n: string }>(`select count(*) as n from ${escapeIdentifier(table)} ${condition}`);
    rows[table] = Number(counted.rows[0]?.n);
  }
  const sum = await client.query<{ profit: string }>(`select coalesce(sum(profit), 0)::text as profit from trades where status = 'closed'`);
  return { rows, closedProfit: sum.rows[0]?.profit ?? '' };
}
