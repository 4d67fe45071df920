import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { settledIn } from '../trades/settled-in.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { tradeModeSql } from '../trades/trade-mode.ts';

/** What the open trades of bots would bring now, as their runners have said last; by mode and currency. */
export interface OpenProfit {
  mode: TradeMode;
  currency: string;
  trades: number;
  profit: string | null; // null: of some it is not known
}

/** See `OpenProfit`. `ownerId`: of the bots; null means all bots. */
export async function openProfits(db: Database, ownerId: string | null): Promise<OpenProfit[]> {
  const { rows } = await sql<OpenProfit>`
    select o.mode, o.currency, sum(o.trades)::int as trades,
      case when bool_and(v.bot_id is not null) then trim_scale(sum(v.unrealized_pnl))::text end as profit
    from (
      select t.bot_id, t.mode, ${settledIn} as currency, count(*) as trades from trades t
      where t.status = 'open' and t.entry_price is not null
      group by 1, 2, 3
    ) o join bots on bots.id = o.bot_id
    left join bot_vitals v on v.bot_id = o.bot_id and o.mode = ${tradeModeSql} and o.currency = bots.stake_currency
    where (${ownerId}::uuid is null or bots.user_id = ${ownerId}::uuid)
    group by 1, 2`.execute(db);
  return rows;
}
