import { sql } from 'kysely';
import { askToClose } from '../trades/close-asked.ts';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';

/** What a bot is to take over as a trade, because a person said so. */
export interface HoldingToAdopt {
  direction: 'long' | 'short';
  amount: number; // base currency
  price: number; // average
  fee: number | null; // quote currency; null while its value is not known
}

/** Asks for a holding to become a trade of a bot. False when the bot is to take over another in the symbol. */
export async function askToAdopt(
  trx: Database,
  { botId, symbol }: { botId: string; symbol: string },
  { direction, amount, price, fee }: HoldingToAdopt,
  how: { closes: boolean; now: Date },
): Promise<boolean> {
  const { rows } = await sql`
    insert into adopted_holdings (bot_id, symbol, direction, amount, price, fee, closes, asked_at)
    values (${botId}, ${symbol}, ${direction}, ${amount}, ${price}, ${fee}, ${how.closes}, ${how.now})
    on conflict (bot_id, symbol) where done_at is null do nothing returning id`.execute(trx);
  return rows.length > 0;
}

/** Whether a row of `adopted_holdings h` still waits. After a day a person has to decide again. */
export const isWaitingToBeAdopted = sql<boolean>`h.done_at is null and h.asked_at > now() - interval '1 day'`;

/** A holding that waits to become a trade. */
export interface WaitingHolding {
  id: string;
  botId: string;
  symbol: string;
  holding: HoldingToAdopt;
  fillId: string; // of the fill that books it
  tradeId: string | null; // the trade it has become
  isBlocked: boolean; // an order without a record stands in the symbol, and may hold its coins
}

/** The holdings that the bots of a runner are to take over. */
export async function holdingsToAdopt(db: Database, runnerId: string): Promise<WaitingHolding[]> {
  const { rows } = await sql<WaitingHolding>`
    select h.id, h.bot_id, h.symbol, n.fill_id,
      jsonb_build_object('direction', h.direction, 'amount', h.amount::float8, 'price', h.price::float8, 'fee', h.fee::float8) as holding,
      (select o.trade_id from orders o join fills f on f.order_id = o.id where o.bot_id = h.bot_id and f.exchange_fill_id = n.fill_id limit 1) as trade_id,
      exists (select 1 from unrecorded_orders u where u.bot_id = h.bot_id and u.symbol = h.symbol and u.state = 'open') as is_blocked
    from adopted_holdings h join bots b on b.id = h.bot_id
      cross join lateral (select 'outside-' || floor(extract(epoch from h.asked_at) * 1000)::bigint as fill_id) n
    where ${isWaitingToBeAdopted} and b.runner_id = ${runnerId} and b.mode = 'live'`.execute(db);
  return rows;
}

/** A holding has become a trade; where a person wanted that, the trade is closed now. */
export async function noteAdopted(db: Database, id: string, tradeId: string, now: Date): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ closes: boolean }>`
      update adopted_holdings set done_at = ${now} where id = ${id} and done_at is null returning closes`.execute(trx);
    if (rows[0]?.closes === true) await askToClose(trx, tradeId, now);
  });
}
