import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { orderSequence } from '../order-sequence.ts';
import { closeAllAskedAt } from '../trading/close-all.ts';

/** Why a row of `trades t` has no stop, as far as that is known. */
export interface WhyNoStop {
  failedAt: Date | null; // when the newest stop has failed; null when the newest that has ended did not fail
  refusal: string | null; // what the exchange has said against it
  endedAs: 'expired' | 'cancelled' | null; // the exchange had taken it, and ended it so; null when it was refused
  stoodMs: number | null; // how long that stop lay at the exchange
  tooSmall: 'to-sell' | 'for-stop' | null; // it takes no exit, or no stop, for so little
}

/** What becomes of the next stop of a trade whose newest has failed. */
export interface NextStop {
  nextStop: 'pausing' | 'asked' | 'on-its-way' | null; // it waits; a person wants it now; its outcome is not known yet; nothing waits
  stopAskedAt: Date | null; // of one that a person wants now
}

/** Whether a stop has failed: it was refused, or the exchange had taken it and ended it unfilled, and the bot had not asked for that. */
function hasFailed(alias: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<boolean>`(${column('filled')} = 0 and (${column('status')} = 'refused' or (
    ${column('status')} in ('expired', 'cancelled') and ${column('exchangeOrderId')} is not null
    and not exists (select 1 from order_events e where e.order_id = ${column('id')} and e.state = 'cancel-pending'))))`;
}

/** Joins to a row of `trades t` its `newest_stop`, and as `failed_stop` the newest that has ended, if it has failed. */
export const withNewestStops = sql`
  left join lateral (
    select s.client_order_id, s.status, ${hasFailed('s')} as has_failed from orders s
    where s.trade_id = t.id and s.purpose = 'stop' order by ${orderSequence('s', 'desc')} limit 1) newest_stop on true
  left join lateral (
    select f.* from (
      select s.* from orders s where s.trade_id = t.id and s.purpose = 'stop'
        and (s.status = 'refused' or (s.status in ('filled', 'expired', 'cancelled') and s.exchange_order_id is not null))
      order by ${orderSequence('s', 'desc')} limit 1) f
    where ${hasFailed('f')}) failed_stop on true`;

/** The columns of `WhyNoStop`, where the newest stops are joined. */
export const whyNoStop = sql`
  coalesce(failed_stop.closed_at, failed_stop.planned_at) as failed_at, failed_stop.refusal,
  case when failed_stop.status <> 'refused' then failed_stop.status end as ended_as,
  case when failed_stop.status <> 'refused' then (extract(epoch from failed_stop.closed_at - failed_stop.acknowledged_at) * 1000)::float8 end as stood_ms,
  t.engine_state ->> 'tooSmall' as too_small`;

/**
 * The columns of `NextStop` of an open trade, where its bot is joined as `b`, and the newest stops. None is tried while the trade is being
 * closed, or where the exchange takes none for so little; the next follows at once where the newest has not failed.
 */
export const nextStop = sql`
  case when coalesce(t.close_asked_at, ${closeAllAskedAt}) is not null or b.status = 'stopped' or t.engine_state ->> 'tooSmall' is not null then null
    when newest_stop.status in ('planned', 'sent', 'unknown') then 'on-its-way'
    when newest_stop.has_failed and t.stop_asked_after = newest_stop.client_order_id then 'asked'
    when newest_stop.has_failed then 'pausing' end as next_stop,
  case when newest_stop.has_failed and t.stop_asked_after = newest_stop.client_order_id then t.stop_asked_at end as stop_asked_at`;
