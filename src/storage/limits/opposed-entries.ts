import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../database.ts';
import { isNotDone } from '../adoptions/waiting.ts';
import { isInOwnAccount } from '../own-account.ts';
import { marginModeSql } from '../trades/margin-mode.ts';
import { EntryRefused } from './limits.ts';

/** An entry is refused, because its account holds its perpetual the other way, for another bot or for none; nothing of its step is written. */
export class Opposed extends EntryRefused {
  constructor(symbol: string) {
    super('opposite-position', `The account holds ${symbol} in the opposite direction, for another bot or for no bot: it is not entered`);
    this.name = 'Opposed';
  }
}

/** An entry is refused, because another bot of the account holds its perpetual with another leverage or margin mode; nothing of its step is written. */
export class OtherLeverage extends EntryRefused {
  constructor(symbol: string) {
    super('other-leverage', `Another bot with the same API key holds ${symbol} with another leverage or margin mode: it is not entered`);
    this.name = 'OtherLeverage';
  }
}

/** Whether the trades of a bot `c`, and its orders without a record that nobody has decided about, together come to a position on the other side of a trade `t`. */
const hasLeftOther = sql<boolean>`exists (select from unrecorded_orders r where r.bot_id = c.id and r.symbol = t.symbol and ${isInOwnAccount(sql`r`)}
  having sum(r.net - r.settled_net) <> 0 and case t.direction when 'long' then 1 else -1 end * (sum(r.net - r.settled_net) + coalesce((
    select sum(case u.direction when 'long' then u.amount else -u.amount end) from trades u
    where u.bot_id = c.id and u.symbol = t.symbol and u.status = 'open' and u.mode <> 'paper' and u.entry_price is not null), 0)) < 0)`;
const otherDirection = {
  trade: sql<boolean>`u.direction <> t.direction`,
  holding: sql<boolean>`h.direction <> t.direction`,
  left: hasLeftOther,
};
const marginMode = marginModeSql('t', 'b');
/**
 * Whether what orders of a bot `c` without a record have left in the symbol of a trade `t`, and nobody has decided about, has another leverage or margin
 * mode than that: those that its bot is set to, where it has no trade there.
 */
const hasLeftAtOther = sql<boolean>`((c.leverage <> t.leverage or c.leverage_mode <> ${marginMode})
  and exists (select from unrecorded_orders r where r.bot_id = c.id and r.symbol = t.symbol and ${isInOwnAccount(sql`r`)} having sum(r.net - r.settled_net) <> 0)
  and not exists (select from trades u where u.bot_id = c.id and u.symbol = t.symbol and u.status = 'open' and u.mode <> 'paper' and u.entry_price is not null))`;
const other = {
  trade: sql<boolean>`${otherDirection.trade} or u.leverage <> t.leverage or ${marginModeSql('u', 'c')} <> ${marginMode}`,
  holding: sql<boolean>`${otherDirection.holding} or c.leverage <> t.leverage or c.leverage_mode <> ${marginMode}`,
  left: sql<boolean>`(${hasLeftOther} or ${hasLeftAtOther})`,
};

/**
 * Whether what another bot `c` of the account holds in the perpetual of a trade `t` of a bot `b`, or is about to, is other: as a trade `u`, as
 * a holding `h` that is to become one, with the leverage and margin mode that its bot has then, or by orders whose record is lost.
 */
const heldByAnother = (isOther: Record<'trade' | 'holding' | 'left', RawBuilder<boolean>>) => sql<boolean>`exists (
  select from bots c where c.api_key_id = b.api_key_id and c.market_type = b.market_type and c.mode = 'live' and c.id <> b.id and (
    exists (select from trades u where u.bot_id = c.id and u.symbol = t.symbol and u.status = 'open' and u.mode <> 'paper' and (${isOther.trade}))
    -- An entry of a trade that is over may be filled after all.
    or exists (select from orders e join trades u on u.id = e.trade_id where e.bot_id = c.id and e.purpose in ('entry', 'adjust')
      and e.status in ('planned', 'sent', 'unknown', 'open', 'cancel-pending') and u.symbol = t.symbol and u.mode <> 'paper' and (${isOther.trade}))
    or ${isOther.left}
    or exists (select from adopted_holdings h where h.bot_id = c.id and h.symbol = t.symbol and (${isOther.holding}) and ${isNotDone})))`;

const side = sql`case t.direction when 'long' then 1 else -1 end`;
/**
 * Whether the account of a bot `b` holds the perpetual of a trade `t` the other way without any bot: what people have decided to ignore, or what the last
 * comparison found and nobody has decided about.
 */
const heldByNobody = sql<boolean>`(
  exists (select from ignored_holdings i
    where i.api_key_id = b.api_key_id and i.market_type = b.market_type and i.symbol = t.symbol and i.amount * ${side} < 0)
  or exists (select from differences d join bots c on c.id = d.bot_id
    where c.api_key_id = b.api_key_id and c.market_type = b.market_type and c.mode = 'live' and d.symbol = t.symbol and d.ended_at is null
      and d.actual * ${side} < 0))`;

/**
 * The orders among these, by client order id, whose perpetual another bot of the account holds the other way, or with another leverage or margin
 * mode, or is about to, or which lies there the other way for no bot: the account has one position for both. The other way, the reduce-only exits and stops of neither would be taken any more;
 * another leverage would be that of both, with another liquidation price than the other bot knows. Whether the other bot still trades does not matter.
 */
export const opposedAmong = (clientOrderIds: readonly string[]) => sql<{ clientOrderId: string; symbol: string; isOpposite: boolean }>`
  select o.client_order_id, t.symbol, ${heldByAnother(otherDirection)} or ${heldByNobody} as is_opposite
  from orders o join trades t on t.id = o.trade_id join bots b on b.id = o.bot_id
  where o.client_order_id = any(${[...clientOrderIds]}::text[]) and b.market_type = 'futures'
    and (${heldByAnother(other)} or ${heldByNobody})`;

/** The entries among these orders that are not to be sent, each with what another bot of the account holds. */
export async function opposedEntries(trx: Database, clientOrderIds: readonly string[]): Promise<ReadonlyMap<string, EntryRefused>> {
  const { rows } = await opposedAmong(clientOrderIds).execute(trx);
  return new Map(rows.map((row) => [row.clientOrderId, refusalOf(row)]));
}

/**
 * Refuses a step with a new entry against what another bot of the account holds; in its transaction, after its orders are written.
 *
 * Needs: `lockLimits`, so that of two at once the second sees the first. Fails: `Opposed`, `OtherLeverage`
 */
export async function refuseOpposed(trx: Database, clientOrderIds: readonly string[]): Promise<void> {
  const { rows } = await opposedAmong(clientOrderIds).execute(trx);
  const [first] = rows;
  if (first !== undefined) throw refusalOf(first);
}

function refusalOf({ symbol, isOpposite }: { symbol: string; isOpposite: boolean }): EntryRefused {
  return isOpposite ? new Opposed(symbol) : new OtherLeverage(symbol);
}
