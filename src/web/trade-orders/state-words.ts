import { preciseTime } from './precise-time.ts';
import type { TradeOrder } from '../live/use-trade-orders.ts';

/** Whether it is not certain what the exchange has: shown in amber. */
export function isUnclear({ state }: Pick<TradeOrder, 'state'>): boolean {
  return state === 'sent' || state === 'unknown' || state === 'cancel-pending';
}

/** What is being done about an order that is on its way, and since when; null when it waits for nothing but the market. */
export function whatIsDone(order: TradeOrder): { since: string; text: string } | null {
  const text = doing(order);
  if (text === null) return null;
  return { since: order.events.findLast(({ state }) => state === order.state)?.at ?? order.sent_at ?? order.planned_at, text };
}

function doing({ state, expires_at: expiresAt }: TradeOrder): string | null {
  switch (state) {
    case 'planned':
      return 'Saved; it is sent as soon as the exchange can take it.';
    case 'sent':
      return `Waiting for the answer of the exchange${expiresAt === null ? '.' : `, which does not take it after ${preciseTime(expiresAt)}.`}`;
    case 'unknown':
      return 'Looking it up at the exchange; sent again only when it is certainly not there.';
    case 'cancel-pending':
      return 'Asking the exchange to cancel it until the exchange confirms that; it may still be filled meanwhile.';
    case 'open':
    case 'filled':
    case 'cancelled':
    case 'expired':
    case 'refused':
      return null;
  }
}
