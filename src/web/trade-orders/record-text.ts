import { formatAmount } from '../ui/money.ts';
import { orderKind, orderNames } from './order-names.ts';
import { preciseMoment } from './precise-time.ts';
import { recordOf } from './record.ts';
import type { TradeOrder, TradeOrders } from '../live/use-trade-orders.ts';

/**
 * The orders of a trade as text that an exchange's support can read: ids, times in UTC to the millisecond, amounts without
 * rounding.
 */
export function recordText(trade: TradeOrders): string {
  const names = orderNames(trade.orders);
  return [
    `${trade.symbol} ${trade.direction} on ${trade.exchange_id}, ${trade.mode}`,
    `Trade ${trade.trade_id} of bot ${trade.nickname}, opened ${preciseMoment(trade.opened_at)} UTC, ${trade.status}`,
    `Written ${preciseMoment(trade.time)} UTC. Times of orders are this server's, times of fills the exchange's.`,
    '',
    ...trade.orders.flatMap((order) => orderLines(order, names.get(order.order_id) ?? '')),
    'Time (UTC)              | Order | Step     | Amount | Price | What happened',
    ...recordOf(trade).map(({ at, order, kind, amount, price, text }) =>
      [preciseMoment(at), order.padEnd(5), kind.padEnd(8), exact(amount), exact(price), text].join(' | '),
    ),
    '',
  ].join('\n');
}

function orderLines(order: TradeOrder, name: string): string[] {
  const known: [string, string | null][] = [
    ['client order id', order.order_id],
    ["exchange's order id", order.exchange_order_id],
    ['requested', exact(order.requested)],
    ['filled', exact(order.filled)],
    ['average price', order.average_price === null ? null : exact(order.average_price)],
    ['limit price', order.type !== 'limit' || order.price === null ? null : exact(order.price)],
    ['stop price', order.stop_price === null ? null : exact(order.stop_price)],
    ['sent', order.attempts === 0 ? null : `${order.attempts} ${order.attempts === 1 ? 'time' : 'times'}`],
    ['refusal', order.refusal],
  ];
  return [
    `${name}: ${orderKind(order)}, ${order.state}`,
    ...known.flatMap(([what, value]) => (value === null ? [] : [`  ${what}: ${value}`])),
    '',
  ];
}

/** A number with every digit it has, never as '1e-7'. */
function exact(value: number | null): string {
  if (value === null) return '-';
  return Math.abs(value) >= 1e-6 || value === 0 ? String(value) : formatAmount(value);
}
