import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { isNotDone } from '../adoptions/waiting.ts';
import { isInOwnAccount } from '../own-account.ts';

/**
 * Whether a bot has open trades, orders that have not ended, coins that it is to take over, or what orders without a record have left, at its exchange. Paper trades are at none.
 *
 * Needs: the bot locked, for an answer that still holds when something is made of it
 */
export async function isOpenAtExchange(db: Database, botId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from trades where bot_id = ${botId} and mode <> 'paper' and status = 'open'
    union all
    select 1 from orders o join trades t on t.id = o.trade_id
      where o.bot_id = ${botId} and o.status in ('planned', 'sent', 'unknown', 'open', 'cancel-pending') and t.mode <> 'paper'
    union all select 1 from unrecorded_orders u join bots b on b.id = u.bot_id
      where u.bot_id = ${botId} and b.mode = 'live' and u.net <> u.settled_net and ${isInOwnAccount(sql`u`)}
    union all select 1 from adopted_holdings h where h.bot_id = ${botId} and ${isNotDone}
    limit 1`.execute(db);
  return rows.length > 0;
}
