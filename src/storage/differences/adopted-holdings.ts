import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { isWaitingToBeAdopted } from '../adoptions/waiting.ts';
import { askToClose } from '../trades/close-asked.ts';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import { isInOwnAccount } from '../own-account.ts';

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
  how: { closes: boolean; now?: Date }, // by default the database's time, as of what is settled with it
): Promise<boolean> {
  const { rows } = await sql`
    insert into adopted_holdings (bot_id, symbol, direction, amount, price, fee, closes, asked_at)
    values (${botId}, ${symbol}, ${direction}, ${amount}, ${price}, ${fee}, ${how.closes}, coalesce(${how.now ?? null}::timestamptz, clock_timestamp()))
    on conflict (bot_id, symbol) where done_at is null do nothing returning id`.execute(trx);
  return rows.length > 0;
}

/** The id of the fill that books a row of `adopted_holdings h`. */
const fillId = sql<string>`'outside-' || floor(extract(epoch from h.asked_at) * 1000)::bigint`;

/** The trade that a row of `adopted_holdings h` has become; null while it has not. */
const bookedTrade = sql<
  string | null
>`(select o.trade_id from orders o join fills f on f.order_id = o.id where o.bot_id = h.bot_id and f.exchange_fill_id = ${fillId} limit 1)`;

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
    select h.id, h.bot_id, h.symbol, ${fillId} as fill_id,
      jsonb_build_object('direction', h.direction, 'amount', h.amount::float8, 'price', h.price::float8, 'fee', h.fee::float8) as holding,
      ${bookedTrade} as trade_id,
      exists (select 1 from unrecorded_orders u where u.bot_id = h.bot_id and u.symbol = h.symbol and u.state = 'open' and ${isInOwnAccount(sql`u`)}) as is_blocked
    from adopted_holdings h join bots b on b.id = h.bot_id
    where (${isWaitingToBeAdopted} or h.done_at is null and ${bookedTrade} is not null) and b.runner_id = ${runnerId} and b.mode = 'live'`.execute(
    db,
  );
  return rows;
}

/** Whether a bot is to take over a holding, or one that it could not take over is to be given back. */
export async function isToAdopt(db: Database, botId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from adopted_holdings h where h.bot_id = ${botId} and h.done_at is null limit 1`.execute(db);
  return rows.length > 0;
}

/** A holding has become a trade; where a person wanted that, the trade is closed now. */
export async function noteAdopted(db: Database, id: string, tradeId: string, now: Date): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ closes: boolean }>`
      update adopted_holdings set done_at = ${now} where id = ${id} and done_at is null returning closes`.execute(trx);
    if (rows[0]?.closes === true) await askToClose(trx, tradeId, now);
  });
}

/** Whether nobody has been able to carry out a row of `adopted_holdings h` while it waited, nor may be about to. */
const hasLapsed = sql<boolean>`h.done_at is null and h.asked_at <= now() - interval '1 day 10 minutes' and ${bookedTrade} is null`;

/** The wishes of an account that have lapsed: what they are about belongs to no trade and to no difference. */
export async function lapsedAdoptions(
  db: Database,
  { apiKeyId, marketType }: { apiKeyId: string; marketType: string },
): Promise<{ id: string; botId: string; symbol: string }[]> {
  const { rows } = await sql<{ id: string; botId: string; symbol: string }>`
    select h.id, h.bot_id, h.symbol from adopted_holdings h join bots b on b.id = h.bot_id
    where b.api_key_id = ${apiKeyId} and b.market_type = ${marketType} and b.mode = 'live' and ${hasLapsed}`.execute(db);
  return rows;
}

/** Removes a lapsed wish; what it has settled of orders without a record is to be decided about again. Whether there was one. */
export async function giveBackLapsed(trx: Database, id: string): Promise<boolean> {
  return await giveBack(trx, sql`h.id = ${id} and ${hasLapsed}`);
}

/** Does the same with a wish about coins of which some were sold since. Whether there was one. */
export async function giveBackSold(
  trx: Database,
  { botId, symbol, left }: { botId: string; symbol: string; left: number },
): Promise<boolean> {
  const isLess = sql`h.direction = ${left < 0 ? 'long' : 'short'}`;
  return await giveBack(
    trx,
    sql`h.bot_id = ${botId} and h.symbol = ${symbol} and ${isLess} and h.done_at is null and ${bookedTrade} is null`,
  );
}

async function giveBack(trx: Database, which: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql`
    with wish as (delete from adopted_holdings h where ${which} returning h.bot_id, h.symbol, h.asked_at),
    given as (
      update unrecorded_orders u set settled_net = 0, settled_at = null from wish
      where u.bot_id = wish.bot_id and u.symbol = wish.symbol and u.settled_at >= wish.asked_at) -- by this decision
    select 1 from wish`.execute(trx);
  return rows.length > 0;
}
