import type { TradeOrder } from './use-trade-orders.ts';

const letters: Readonly<Record<TradeOrder['purpose'], string>> = { entry: 'E', adjust: 'A', exit: 'X', stop: 'S' };

/** Short names of a trade's orders by their ids: 'E1' is the first entry, 'S2' the second stop. */
export function orderNames(orders: readonly Pick<TradeOrder, 'order_id' | 'purpose'>[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  const names = new Map<string, string>();
  for (const { order_id: id, purpose } of orders) {
    const count = (counts.get(purpose) ?? 0) + 1;
    counts.set(purpose, count);
    names.set(id, `${letters[purpose]}${count}`);
  }
  return names;
}

/** What an order is, in words: 'entry, buy limit', 'stop, sell stop'. */
export function orderKind({ purpose, side, type }: Pick<TradeOrder, 'purpose' | 'side' | 'type'>): string {
  return `${purpose}, ${side} ${type}`;
}
