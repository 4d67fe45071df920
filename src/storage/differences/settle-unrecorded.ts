import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** What orders without a record have left in a symbol is decided about; a stop among them is to be cancelled. */
export async function settleUnrecorded(trx: Database, botId: string, symbol: string): Promise<void> {
  await sql`
    update unrecorded_orders set settled_net = net, settled_at = clock_timestamp()
    where bot_id = ${botId} and symbol = ${symbol} and (settled_at is null or settled_net <> net)`.execute(trx);
}
