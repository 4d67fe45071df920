import { sql } from 'kysely';
import type { Database } from '../database.ts';

/**
 * What is known of differences and of orders without a record in the account of a bot stays as it is until the transaction ends. Whoever
 * changes any of it takes this lock first: comparisons, searches and people touch the same rows in different sequences.
 */
export async function lockAccount(trx: Database, botId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('differences of ' || coalesce(api_key_id, id), 0)) from bots where id = ${botId}`.execute(
    trx,
  );
}
