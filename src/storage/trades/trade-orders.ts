import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { closeAllAskedAt } from '../trading/close-all.ts';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';
import { orderSequence } from '../order-sequence.ts';

type Tables = { [Name in keyof Schema]: Selectable<Schema[Name]> };

/** A trade with the name, the exchange and the owner of its bot. */
export type TradeOfOrders = Tables['trades'] &
  Pick<Tables['bots'], 'nickname' | 'exchangeId' | 'userId'> & { priceTick: string | null; stopByHand: boolean };

type OrderOfTrade = Tables['orders'] & {
  alikeBefore: number; // so many stops right before it, which have failed as it has, are left out
};

/** An order of a trade with all that is known of it. */
export type TradeOrder = OrderOfTrade & {
  events: Pick<Tables['orderEvents'], 'at' | 'state' | 'detail'>[]; // oldest first
  fills: Tables['fills'][]; // oldest first
};

/** The trade with this id; null when there is none. */
export async function findTradeOfOrders(db: Database, tradeId: string): Promise<TradeOfOrders | null> {
  const found = await db
    .selectFrom('trades as t')
    .innerJoin('bots as b', 'b.id', 't.botId')
    .selectAll('t')
    .select(['b.nickname', 'b.exchangeId', 'b.userId', sql<string | null>`t.engine_state ->> 'priceTick'`.as('priceTick')])
    .select(sql<boolean>`coalesce((t.engine_state ->> 'stopByHand')::boolean, false)`.as('stopByHand'))
    .select(sql<Date | null>`coalesce(t.close_asked_at, ${closeAllAskedAt})`.as('closeAskedAt'))
    .where('t.id', '=', tradeId)
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Says of a stop that has failed how it has: what the exchange has said to it without its figures, or that it was ended within a minute though
 * nobody wanted that. Null of all other orders, and of one about which something was not known in between.
 */
const failure = sql<string | null>`case when o.purpose = 'stop' and o.filled = 0
    and (o.status = 'refused' or (o.status in ('expired', 'cancelled') and o.closed_at - o.acknowledged_at < interval '1 minute'))
    and not exists (select 1 from order_events e where e.order_id = o.id and e.state in ('cancel-pending', 'unknown'))
  then concat(o.status, ' ', regexp_replace(o.refusal, '[0-9]', '', 'g')) end`;

/**
 * The orders of a trade, oldest first. Of stops that have failed in the same way in a row, which may be thousands, only the first and
 * the last are among them, unless `all` are asked for. In a transaction with one view of the database, orders, events and fills agree.
 */
export async function ordersOfTrade(trx: Database, tradeId: string, all = false): Promise<TradeOrder[]> {
  const { rows: orders } = await sql<OrderOfTrade>`
    with placed as (
      select o.*, ${failure} as failure, row_number() over (order by ${orderSequence('o')}) as place from orders o where o.trade_id = ${tradeId}
    ), compared as (
      select *, coalesce(failure = lag(failure) over by_place and failure = lead(failure) over by_place, false) as is_alike
      from placed window by_place as (order by place)
    )
    select *, (place - coalesce(lag(place) over (order by place), 0) - 1)::int as alike_before
    from compared where ${all} or not is_alike order by place`.execute(trx);
  const ids = orders.map(({ id }) => id);
  const events = await trx
    .selectFrom('orderEvents')
    .selectAll()
    .where('orderId', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('id')
    .execute();
  const fills = await trx
    .selectFrom('fills')
    .selectAll()
    .where('orderId', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('filledAt')
    .orderBy('exchangeFillId')
    .execute();
  const [eventsOf, fillsOf] = [Map.groupBy(events, ({ orderId }) => orderId), Map.groupBy(fills, ({ orderId }) => orderId)];
  return orders.map((order) => ({ ...order, events: eventsOf.get(order.id) ?? [], fills: fillsOf.get(order.id) ?? [] }));
}
