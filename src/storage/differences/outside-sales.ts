import type { Decimal } from '#engine/market/decimal.ts';
import { compare, fromText, minus, plus, toDecimal, toNumber, zero } from '#engine/market/decimal.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';

/** So much of a fill at an exchange. */
export interface PartOfFill {
  id: string; // the exchange's
  amount: number; // base currency
}

/** A fill of an account by no order of its bots: it sells what a trade holds, or buys it back; of a short the other way round. */
export interface OutsideFill extends PartOfFill {
  isBack: boolean;
}

/**
 * Takes as much of an account's fills, oldest first, as make up what a person says is missing of a trade, of what no other trade has taken. Null where
 * they do not make it up; none is taken then. The same wish gets the same again. Which sales they are: see `missingBy`.
 */
export async function takeOutsideSales(
  db: Database,
  { tradeId, wish, amount }: { tradeId: string; wish: string; amount: number },
  fills: readonly OutsideFill[],
): Promise<PartOfFill[] | null> {
  return await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ accountId: string | null; marketType: string; symbol: string; hasMore: boolean }>`
      select coalesce(t.account_id, b.api_key_id) as account_id, b.market_type, t.symbol, b.market_type <> 'futures' or exists (
        select from ignored_holdings i where i.api_key_id = coalesce(t.account_id, b.api_key_id) and i.market_type = b.market_type and i.symbol = t.symbol
          and case t.direction when 'long' then i.amount > 0 else i.amount < 0 end) as has_more
      from trades t join bots b on b.id = t.bot_id where t.id = ${tradeId}`.execute(trx);
    const [of] = rows;
    if (of === undefined || of.accountId === null) return null;
    const { accountId, marketType, symbol, hasMore } = of;
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
    const free = fills.map((fill) => {
      const taken = inAccount.filter(({ exchangeFillId }) => exchangeFillId === fill.id);
      return { ...fill, amount: taken.reduce((rest, each) => minus(rest, fromText(each.amount)), toDecimal(fill.amount)) };
    });
    const found = missingBy(free, toDecimal(amount), hasMore);
    if (found === null) return null;
    const about = { tradeId, wish, accountId, marketType, symbol };
    await trx
      .insertInto('outsideSales')
      .values(found.map((part) => ({ ...about, exchangeFillId: part.id, amount: String(part.amount) })))
      .execute();
    return found;
  });
}

/** A fill with what of it no trade has taken. */
interface FreeFill {
  id: string;
  amount: Decimal;
  isBack: boolean;
}

/**
 * The sales, oldest first, that an amount is missing by: the newest up to the last moment at which the account lacked so much. What was bought back made
 * good what had been sold before it. What lies beside the trades (`hasMore`) is sold first and missing of none; where nothing does, what is sold
 * beyond what the account lacks opens a position of its own. Null where it never lacked so much.
 */
function missingBy(fills: readonly FreeFill[], amount: Decimal, hasMore: boolean): PartOfFill[] | null {
  const enough = toNumber(amount) * (1 - 1e-9); // a sum of doubles may be off by so much
  let sold = zero;
  const after = fills.map(({ amount: each, isBack }) => (sold = isBack ? minus(sold, each) : plus(sold, each)));
  const lacks = after.map((each) => toNumber(each) >= enough);
  const last = lacks.findLastIndex((each, i) => each && (hasMore || lacks[i - 1] !== true));
  if (last === -1) return null;
  const found: PartOfFill[] = [];
  let left = amount;
  let beyond = hasMore ? zero : minus(after[last]!, amount);
  for (const { id, amount: each, isBack } of fills.slice(0, last + 1).toReversed()) {
    const missed = minus(each, beyond);
    const part = compare(missed, left) < 0 ? missed : left;
    if (isBack || compare(part, zero) <= 0) continue;
    beyond = zero;
    found.unshift({ id, amount: toNumber(part) });
    left = minus(left, part);
  }
  return found;
}
