import { sql } from 'kysely';
import type { Database } from '../database.ts';

/**
 * What the fills of a row of `trades t` have left on a spot account besides what the trade holds, in base currency: fees are taken out of
 * the coins that were bought, and what remains below the smallest step of an amount cannot be sold.
 */
export const leftOver = sql<number>`(case when t.mode = 'paper' or t.entry_price is null or position(':' in t.symbol) > 0 then 0 else
  greatest(0, coalesce((
    select sum(case o.side when 'buy' then f.amount else -f.amount end
      - case when f.fee_currency = split_part(t.symbol, '/', 1) then f.fee else 0 end)
    from fills f join orders o on o.id = f.order_id where o.trade_id = t.id), 0)
    - case when t.status = 'open' then t.amount else 0 end) end)::float8`;

/** See `leftOver`; 0 for a trade that is not there. */
export async function leftOverOf(db: Database, tradeId: string): Promise<number> {
  const { rows } = await sql<{ amount: number }>`select ${leftOver} as amount from trades t where t.id = ${tradeId}`.execute(db);
  return rows[0]?.amount ?? 0;
}
