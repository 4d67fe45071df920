import { signOf } from '#engine/market/direction.ts';

/** What a stop would mean. Money in stake currency. */
export interface StopMeaning {
  distance: number; // from the price of now, as a fraction of it with its sign
  result: number; // of the trade, when the stop is filled at its price
  isBeyond: boolean; // the price has passed it already
}

/** What it would mean to have the stop of an open trade at a price. `unrealized` is what the trade would bring now, after fees. */
export function stopMeaning(
  trade: { direction: 'long' | 'short'; amount: number },
  open: { price: number; unrealizedPnl: number },
  stop: number,
): StopMeaning {
  const sign = signOf(trade.direction);
  return {
    distance: stop / open.price - 1,
    result: open.unrealizedPnl + sign * (stop - open.price) * trade.amount,
    isBeyond: sign * (open.price - stop) <= 0,
  };
}
