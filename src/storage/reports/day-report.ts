import { dollarCurrencies } from '#engine/market/dollars.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { settledIn } from '../trades/settled-in.ts';
import type { TradeMode } from '../trades/trade-mode.ts';

/** A trade that was closed on the day of a report. */
export interface ClosedOnDay {
  id: string;
  symbol: string;
  botName: string;
  direction: 'long' | 'short';
  mode: TradeMode;
  openedAt: Date;
  closedAt: Date;
  entryPrice: string | null;
  exitPrice: string | null;
  stopSize: string | null; // distance of the first stop from the entry, as a fraction of it
  profit: string; // in the currency it was settled in
  stakeCurrency: string; // of the bot when it made the trade
  isDollar: boolean;
  exitReason: string | null;
  confidence: string | null;
}

/** The trades closed on a UTC day, in all modes, of all bots or of one owner's; in the order of closing. */
export async function tradesClosedOn(db: Database, day: string, ownerId: string | null): Promise<ClosedOnDay[]> {
  const { rows } = await sql<ClosedOnDay>`
    select t.id, t.symbol, b.nickname as bot_name, t.direction, t.mode, t.opened_at, t.closed_at, t.entry_price::text, t.exit_price::text,
      abs(t.entry_price - coalesce(t.initial_stop_price, t.stop_price)) / nullif(t.entry_price, 0) as stop_size,
      coalesce(t.profit, 0)::text as profit, ${settledIn} as stake_currency, ${settledIn} = any(${dollarCurrencies}::text[]) as is_dollar,
      t.exit_reason, t.confidence::text
    from trades t join bots b on b.id = t.bot_id
    where t.status = 'closed' and t.closed_at >= ${day}::date::timestamp at time zone 'UTC'
      and t.closed_at < (${day}::date + 1)::timestamp at time zone 'UTC'
      and (${ownerId}::uuid is null or b.user_id = ${ownerId}::uuid)
    order by t.closed_at, t.id`.execute(db);
  return rows;
}
