import { compare, fromText, minus, toDecimal, toNumber, zero } from '#engine/market/decimal.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';

/** So much of a fill at an exchange. */
export interface PartOfFill {
  id: string; // the exchange's
  amount: number; // base currency
}

/**
 * Takes as much of an account's fills as make up what a person says is missing of a trade: the oldest that no other trade has taken, of those that are
 * offered. Null where those do not make it up; none is taken then. The same wish gets the same again.
 */
export async function takeOutsideSales(
  db: Database,
  { tradeId, wish, amount }: { tradeId: string; wish: string; amount: number },
  offered: readonly PartOfFill[],
): Promise<PartOfFill[] | null> {
  return await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ accountId: string | null; marketType: string; symbol: string }>`
      select coalesce(t.account_id, b.api_key_id) as account_id, b.market_type, t.symbol from trades t join bots b on b.id = t.bot_id where t.id = ${tradeId}`.execute(
      trx,
    );
    const [of] = rows;
    if (of === undefined || of.accountId === null) return null;
    const { accountId, marketType, symbol } = of;
    // Two that are decided about at once must not both find the same.
    await sql`select pg_advisory_xact_lock(hashtextextended('outside sales of ' || ${accountId}::text || ${symbol}::text, 0))`.execute(trx);
    const inAccount = await trx
      .selectFrom('outsideSales')
      .select(['tradeId', 'wish', 'exchangeFillId', 'amount'])
      .where('accountId', '=', accountId)
      .where('symbol', '=', symbol)
      .where('marketType', '=', marketType)
      .execute();
    const own = inAccount.filter((each) => each.tradeId === tradeId && each.wish === wish);
    if (own.length > 0) return own.map((each) => ({ id: each.exchangeFillId, amount: toNumber(fromText(each.amount)) }));
    const found: PartOfFill[] = [];
    let left = toDecimal(amount);
    for (const fill of offered) {
      const taken = inAccount.filter(({ exchangeFillId }) => exchangeFillId === fill.id);
      const free = taken.reduce((rest, each) => minus(rest, fromText(each.amount)), toDecimal(fill.amount));
      const part = compare(free, left) < 0 ? free : left;
      if (compare(part, zero) <= 0) continue;
      found.push({ id: fill.id, amount: toNumber(part) });
      left = minus(left, part);
    }
    if (toNumber(left) > amount * 1e-9) return null; // more than a sum of doubles is off
    const about = { tradeId, wish, accountId, marketType, symbol };
    await trx
      .insertInto('outsideSales')
      .values(found.map((part) => ({ ...about, exchangeFillId: part.id, amount: String(part.amount) })))
      .execute();
    return found;
  });
}
