import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** An open trade that a person wants corrected: so much of it was left outside, and its account does not hold it. */
export interface HeldElsewhere {
  botId: string;
  tradeId: string;
  amount: number; // base currency
  fillId: string; // of the fill that books it: it is booked when that fill is there
  decidedAt: number; // ms
}

/** The id of the fill that books the correction of a row `t` of `trades`. */
export const heldElsewhereFill = sql<string>`'outside-' || floor(extract(epoch from t.held_elsewhere_at) * 1000)::bigint`;

/** Whether a row `t` of `trades` waits to be corrected. */
export const waitsForCorrection = sql<boolean>`t.status = 'open' and t.held_elsewhere_at is not null and not exists (
  select 1 from orders ho join fills hf on hf.order_id = ho.id where ho.trade_id = t.id and hf.exchange_fill_id = ${heldElsewhereFill})`;

/** Asks for an open trade to be corrected by what is missing. False when it does not hold that much, or already waits for a correction. */
export async function askHeldElsewhere(trx: Database, tradeId: string, amount: number, now: Date): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    update trades t set held_elsewhere = ${amount}::numeric, held_elsewhere_at = ${now}::timestamptz
    where t.id = ${tradeId} and t.status = 'open' and t.amount >= ${amount}::numeric and not (${waitsForCorrection})
    returning t.id`.execute(trx);
  return rows.length > 0;
}

/** The trades that the bots of a runner are to correct. */
export async function tradesHeldElsewhere(db: Database, runnerId: string): Promise<HeldElsewhere[]> {
  const { rows } = await sql<HeldElsewhere>`
    select t.bot_id, t.id as trade_id, t.held_elsewhere::float8 as amount, ${heldElsewhereFill} as fill_id,
      floor(extract(epoch from t.held_elsewhere_at) * 1000)::float8 as decided_at
    from trades t join bots b on b.id = t.bot_id where b.runner_id = ${runnerId} and ${waitsForCorrection}`.execute(db);
  return rows;
}
