import type { TradeOrder, TradeOrders } from '../live/use-trade-orders.ts';

/** What carrying out a trade's decision cost. Prices in quote currency, times in ms; null where it is not known. */
export interface Costs {
  decidedPrice: number | null; // of the first entry, when it was decided
  averageFill: number | null; // of its fills
  slippage: number | null; // what the difference of the two cost, quote currency; negative was gained
  fees: number | null; // of all fills, quote currency; null while the value of one is not known
  decisionToSentMs: number | null; // of the first entry, when it was first sent
  unknownMs: number; // in all, of all orders
  isUnknown: boolean; // one still is
}

/** What carrying out the decisions of a trade cost. */
export function costsOf({ orders, time }: Pick<TradeOrders, 'orders' | 'time'>): Costs {
  const entry = orders.find(({ purpose }) => purpose === 'entry');
  const decidedPrice = entry?.price ?? null;
  const averageFill = entry === undefined ? null : averageOf(entry);
  const filled = entry?.fills.reduce((sum, { amount }) => sum + amount, 0) ?? 0;
  const sign = entry?.side === 'sell' ? -1 : 1;
  const values = orders.flatMap(({ fills }) => fills.map(({ fee_value: value }) => value));
  const sent = entry?.events.find(({ state }) => state === 'sent')?.at;
  return {
    decidedPrice,
    averageFill,
    slippage: decidedPrice === null || averageFill === null ? null : sign * (averageFill - decidedPrice) * filled,
    fees: values.some((value) => value === null) ? null : values.reduce<number>((sum, value) => sum + (value ?? 0), 0),
    decisionToSentMs: entry === undefined || sent === undefined ? null : Date.parse(sent) - Date.parse(entry.planned_at),
    unknownMs: orders.reduce((sum, order) => sum + unknownMs(order, time), 0),
    isUnknown: orders.some(({ state }) => state === 'unknown'),
  };
}

function averageOf({ fills }: TradeOrder): number | null {
  const amount = fills.reduce((sum, fill) => sum + fill.amount, 0);
  return amount > 0 ? fills.reduce((sum, fill) => sum + fill.price * fill.amount, 0) / amount : null;
}

function unknownMs({ events }: TradeOrder, now: string): number {
  return events.reduce(
    (sum, { state, at }, place) => (state === 'unknown' ? sum + Date.parse(events[place + 1]?.at ?? now) - Date.parse(at) : sum),
    0,
  );
}
