import type { Order } from './order.ts';

/** Whether an order may still be filled. */
export function isOpen({ status }: Order): boolean {
  return status === 'NEW' || status === 'PARTIALLY_FILLED';
}
