import { sql } from 'kysely';
import type { BotRow } from '../bots/bots.ts';
import type { Database } from '../database.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { tradeModeOf } from '../trades/trade-mode.ts';

/** The mode of a bot's trades on a day: that of its newest trade then, else the mode it has now. */
export async function modeOfDay(db: Database, bot: Pick<BotRow, 'id' | 'mode' | 'exchangeId'>, from: Date, to: Date): Promise<TradeMode> {
  const { rows } = await sql<{ mode: TradeMode }>`
    select mode from trades
    where bot_id = ${bot.id} and imported_from is null and status in ('open', 'closed')
      and opened_at < ${to} and (closed_at is null or closed_at >= ${from})
    order by opened_at desc limit 1`.execute(db);
  return rows[0]?.mode ?? tradeModeOf(bot);
}
