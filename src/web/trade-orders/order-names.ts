import type { TradeOrder } from '../live/use-trade-orders.ts';

const letters: Readonly<Record<TradeOrder['purpose'], string>> = { entry: 'E', adjust: 'A', exit: 'X', stop: 'S' };

/** Short names of a trade's orders by their ids: 'E1' is the first entry, 'S2' the second stop, those that are left out counted. */
export function orderNames(orders: readonly Pick<TradeOrder, 'order_id' | 'purpose' | 'alike_before'>[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  const names = new Map<string, string>();
  for (const { order_id: id, purpose, alike_before: leftOut } of orders) {
    const count = (counts.get(purpose) ?? 0) + leftOut + 1;
    counts.set(purpose, count);
    names.set(id, `${letters[purpose]}${count}`);
  }
  return names;
}

/** Says of the stops right before an order that are left out what became of them. */
export function leftOutText({ alike_before: count }: Pick<TradeOrder, 'alike_before'>): string {
  return count === 1 ? 'One stop before it failed in the same way' : `${count} stops before it failed in the same way, one after the other`;
}

/** What an order is, in words: 'entry, buy limit', 'stop, sell stop'. */
export function orderKind({ purpose, side, type }: Pick<TradeOrder, 'purpose' | 'side' | 'type'>): string {
  return `${purpose}, ${side} ${type}`;
}
