import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { isNotDone } from '../adoptions/waiting.ts';
import { EntryRefused } from './limits.ts';

/** An entry is refused, because another bot of the account holds its perpetual the other way; nothing of its step is written. */
export class Opposed extends EntryRefused {
  constructor(symbol: string) {
    super('opposite-position', `Another bot with the same API key holds ${symbol} in the opposite direction: it is not entered`);
    this.name = 'Opposed';
  }
}

/**
 * The orders among these, by client order id, whose perpetual another bot of the account holds the other way, or is about to: the account
 * has one position for both, and the reduce-only exits and stops of neither would be taken any more. Whether the other bot still trades does not matter.
 */
export const opposedAmong = (clientOrderIds: readonly string[]) => sql<{ clientOrderId: string; symbol: string }>`
  select o.client_order_id, t.symbol from orders o join trades t on t.id = o.trade_id join bots b on b.id = o.bot_id
  where o.client_order_id = any(${[...clientOrderIds]}::text[]) and b.market_type = 'futures' and exists (
    select from bots c where c.api_key_id = b.api_key_id and c.market_type = b.market_type and c.mode = 'live' and c.id <> b.id and (
      exists (select from trades u where u.bot_id = c.id and u.symbol = t.symbol and u.status = 'open' and u.mode <> 'paper' and u.direction <> t.direction)
      -- An entry of a trade that is over may be filled after all.
      or exists (select from orders e join trades u on u.id = e.trade_id where e.bot_id = c.id and e.purpose in ('entry', 'adjust')
        and e.status in ('planned', 'sent', 'unknown', 'open', 'cancel-pending') and u.symbol = t.symbol and u.mode <> 'paper' and u.direction <> t.direction)
      or exists (select from adopted_holdings h where h.bot_id = c.id and h.symbol = t.symbol and h.direction <> t.direction and ${isNotDone})))`;

/** The entries among these orders that are not to be sent, because another bot of the account holds the opposite. */
export async function opposedEntries(trx: Database, clientOrderIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await opposedAmong(clientOrderIds).execute(trx);
  return new Set(rows.map(({ clientOrderId }) => clientOrderId));
}

/**
 * Refuses a step with a new entry against what another bot of the account holds; in its transaction, after its orders are written.
 *
 * Needs: `lockLimits`, so that of two at once the second sees the first. Fails: `Opposed`
 */
export async function refuseOpposed(trx: Database, clientOrderIds: readonly string[]): Promise<void> {
  const { rows } = await opposedAmong(clientOrderIds).execute(trx);
  const [first] = rows;
  if (first !== undefined) throw new Opposed(first.symbol);
}
