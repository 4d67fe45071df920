import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { restoredAt } from './missing-amounts.ts';

/**
 * A bot that begins to trade with an account may have done so before, in what a restored database has lost: then the searches of the account
 * until now, which were not for its orders, do not count, and whoever takes its bots up next searches from what is on record.
 */
export async function forgetSearches(trx: Database, botId: string): Promise<void> {
  await sql`
    delete from order_searches s using bots b
    where b.id = ${botId} and s.api_key_id = b.api_key_id and s.market_type = b.market_type and b.created_at < ${restoredAt}`.execute(trx);
}
