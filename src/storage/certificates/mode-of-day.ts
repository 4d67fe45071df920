import { sql } from 'kysely';
import type { BotRow } from '../bots/bots.ts';
import type { Database } from '../database.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { tradeModeOf } from '../trades/trade-mode.ts';

/** The modes in which a bot held trades or had figures on a day, what was imported apart; where it did neither, the mode it has now. */
export async function modesOfDay(
  db: Database,
  bot: Pick<BotRow, 'id' | 'mode' | 'exchangeId'>,
  from: Date,
  to: Date,
): Promise<TradeMode[]> {
  const { rows } = await sql<{ mode: TradeMode }>`
    select mode from trades
      where bot_id = ${bot.id} and imported_from is null and status in ('open', 'closed')
        and opened_at < ${to} and (closed_at is null or closed_at >= ${from})
    union select mode from pnl_snapshots s where bot_id = ${bot.id} and taken_at >= ${from} and taken_at < ${to}
      and not exists (select from trades i where i.bot_id = s.bot_id and i.imported_from is not null and i.closed_at = s.taken_at)`.execute(
    db,
  );
  return rows.length === 0 ? [tradeModeOf(bot)] : rows.map(({ mode }) => mode);
}
