import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * Alarms of which people were mailed with the cause say so: what was not mailed is owed from now on. And the first trade of a bot in a mode is found
 * without reading those in other modes.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`update alarms set mailed_at = noted_at where kind = 'stopped-by-other' and mailed_at is null`.execute(db);
  await sql`create index if not exists trades_of_mode on trades (bot_id, mode, opened_at)`.execute(db);
}
