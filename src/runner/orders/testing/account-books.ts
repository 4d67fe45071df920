import { sql } from 'kysely';
import type { Trading, VenueFill, VenueOrder } from '#engine/ports/trading.ts';
import type { Database } from '#storage/database.ts';
import { patiently } from '../../../../test/support/patiently.ts';

/** What an exchange's own books have of an account. */
export interface Ledger {
  orders: VenueOrder[];
  fills: VenueFill[];
}

/** All that the exchange has of an account in these symbols since a time, in ms. */
export async function ledgerOf(trading: Trading, symbols: readonly string[], since: number): Promise<Ledger> {
  const orders: VenueOrder[] = [];
  const fills: VenueFill[] = [];
  for (const symbol of symbols) {
    orders.push(...(await patiently(() => trading.ordersSince(symbol, since))));
    fills.push(...(await patiently(() => trading.fillsSince(symbol, null))));
  }
  return { orders, fills };
}

/** What must never be, found out by comparing the exchange's own books with ours. */
export async function bookFaults(db: Database, botId: string, { orders, fills }: Ledger): Promise<string[]> {
  const faults: string[] = [];
  const rows = await db.selectFrom('orders').selectAll().where('botId', '=', botId).execute();
  const known = new Map(rows.map((row) => [row.clientOrderId, row]));
  const seen = new Set<string>();
  for (const order of orders) {
    const row = known.get(order.clientOrderId);
    if (seen.has(order.clientOrderId)) faults.push(`${order.clientOrderId} was made twice`);
    seen.add(order.clientOrderId);
    if (row === undefined) faults.push(`${order.clientOrderId} is unknown here`);
    else if (row.status !== order.state) faults.push(`${order.clientOrderId} is ${order.state} there and ${row.status} here`);
    else if (Number(row.filled) !== order.filled)
      faults.push(`${order.clientOrderId} has ${order.filled} filled there and ${row.filled} here`);
  }
  for (const row of rows) {
    const isPlaced = seen.has(row.clientOrderId);
    if (!isPlaced && row.status !== 'cancelled' && row.status !== 'refused')
      faults.push(`${row.clientOrderId} is ${row.status} here and nowhere there`);
  }
  const ours = await sql<{ id: string; order: string; amount: number; price: number; fee: number }>`
    select f.exchange_fill_id as id, o.client_order_id as order, f.amount::float8 as amount, f.price::float8 as price, f.fee::float8 as fee
    from fills f join orders o on o.id = f.order_id where o.bot_id = ${botId}`.execute(db);
  const texts = (of: { id: string; order: string; amount: number; price: number; fee: number }[]) =>
    of.map(({ id, order, amount, price, fee }) => `${order} ${id}: ${amount} at ${price} for ${fee}`).toSorted();
  const theirs = texts(fills.map(({ clientOrderId, ...fill }) => ({ ...fill, order: clientOrderId })));
  const mine = new Set<string>(texts(ours.rows));
  for (const fill of theirs) if (!mine.delete(fill)) faults.push(`the fill ${fill} is missing here`);
  for (const fill of mine) faults.push(`the fill ${fill} is not theirs`);
  return faults;
}
