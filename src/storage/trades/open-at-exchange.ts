import { sql } from 'kysely';
import type { Database } from '../database.ts';

/**
 * Whether a bot has open trades, or orders that have not ended, at its exchange. Paper trades are at none.
 *
 * Needs: the bot locked, for an answer that still holds when something is made of it
 */
export async function isOpenAtExchange(db: Database, botId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from trades where bot_id = ${botId} and mode <> 'paper' and status = 'open'
    union all
    select 1 from orders o join trades t on t.id = o.trade_id
      where o.bot_id = ${botId} and o.status in ('planned', 'sent', 'unknown', 'open', 'cancel-pending') and t.mode <> 'paper'
    limit 1`.execute(db);
  return rows.length > 0;
}
