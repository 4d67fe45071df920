import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { isInOwnAccount } from '../own-account.ts';
import { hasWaitingEntry } from './waiting-entries.ts';

/** What orders without a record have left in a symbol is decided about; a stop among them is to be cancelled. */
export async function settleUnrecorded(trx: Database, botId: string, symbol: string): Promise<void> {
  await sql`
    update unrecorded_orders u set settled_net = net, settled_at = clock_timestamp()
    where bot_id = ${botId} and symbol = ${symbol} and (settled_at is null or settled_net <> net) and ${isInOwnAccount(sql`u`)}`.execute(
    trx,
  );
}

/** The same of the other bots with the key of one, but for what an entry on record may still turn out to have bought. */
export async function settleOthers(trx: Database, botId: string, symbol: string): Promise<void> {
  await sql`
    update unrecorded_orders u set settled_net = u.net, settled_at = clock_timestamp()
    from bots found, bots b
    where found.id = ${botId} and b.api_key_id = found.api_key_id and b.market_type = found.market_type and b.mode = 'live' and b.id <> found.id
      and u.bot_id = b.id and u.api_key_id = b.api_key_id and u.market_type = b.market_type and u.symbol = ${symbol} and u.settled_net <> u.net
      and not ${hasWaitingEntry(sql`b.id`, sql`u.symbol`)}`.execute(trx);
}
