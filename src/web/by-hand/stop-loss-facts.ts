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

/** What is said of a stop price that is a slip of the keyboard: `81,400` is read as 81.4, and such a stop would never be reached. */
export const farOffText = 'More than ten times away from the price. Type it without separators for thousands, and with a dot for decimals.';

/** Whether a stop price is so far from a price that it was hardly meant; never where that is not known. */
export function isFarOff(stop: number, price: number | null): boolean {
  return stop > 0 && price !== null && price > 0 && Math.max(stop / price, price / stop) > 10;
}
