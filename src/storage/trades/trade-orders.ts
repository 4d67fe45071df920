import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { closeAllAskedAt } from '../trading/close-all.ts';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';

type Tables = { [Name in keyof Schema]: Selectable<Schema[Name]> };

/** A trade with the name, the exchange and the owner of its bot. */
export type TradeOfOrders = Tables['trades'] & Pick<Tables['bots'], 'nickname' | 'exchangeId' | 'userId'> & { priceTick: string | null };

/** An order of a trade with all that is known of it. */
export type TradeOrder = Tables['orders'] & {
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
    .select(sql<Date | null>`coalesce(t.close_asked_at, ${closeAllAskedAt})`.as('closeAskedAt'))
    .where('t.id', '=', tradeId)
    .executeTakeFirst();
  return found ?? null;
}

/** The orders of a trade, oldest first. In a transaction with one view of the database, orders, events and fills agree. */
export async function ordersOfTrade(trx: Database, tradeId: string): Promise<TradeOrder[]> {
  const orders = await trx
    .selectFrom('orders')
    .selectAll()
    .where('tradeId', '=', tradeId)
    .orderBy('plannedAt')
    .orderBy('clientOrderId')
    .execute();
  const ofTrade = trx.selectFrom('orders').select('id').where('tradeId', '=', tradeId);
  const events = await trx.selectFrom('orderEvents').selectAll().where('orderId', 'in', ofTrade).orderBy('id').execute();
  const fills = await trx
    .selectFrom('fills')
    .selectAll()
    .where('orderId', 'in', ofTrade)
    .orderBy('filledAt')
    .orderBy('exchangeFillId')
    .execute();
  return orders.map((order) => ({
    ...order,
    events: events.filter(({ orderId }) => orderId === order.id),
    fills: fills.filter(({ orderId }) => orderId === order.id),
  }));
}
