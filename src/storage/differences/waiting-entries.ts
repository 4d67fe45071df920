import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/**
 * Whether fills of an order `o` are still to come: the exchange has said that more is filled. What is not there an hour after its end is listed
 * nowhere any more.
 */
export const waitsForFills = sql<boolean>`o.filled > (select coalesce(sum(f.amount), 0) from fills f where f.order_id = o.id) * (1 + 1e-12)
  and (o.closed_at is null or o.closed_at > now() - interval '1 hour')`;

/** Whether it is not known yet what became of an entry of a bot in a symbol, or what it was filled with is not in its trade yet. */
export const hasWaitingEntry = (botId: RawBuilder<unknown>, symbol: RawBuilder<unknown>) => sql<boolean>`exists (
  select from orders o join trades t on t.id = o.trade_id
  where o.bot_id = ${botId} and t.symbol = ${symbol} and t.mode <> 'paper' and o.purpose = 'entry'
    and (o.status in ('planned', 'sent', 'unknown', 'open', 'cancel-pending') or ${waitsForFills}))`;
