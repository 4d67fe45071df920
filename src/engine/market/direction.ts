/** Which way a position gains: `long` when the price rises, `short` when it falls. */
export type Direction = 'long' | 'short';

/** What an order does on the exchange. */
export type Side = 'buy' | 'sell';

/** +1 for long, -1 for short. */
export function signOf(direction: Direction): 1 | -1 {
  return direction === 'long' ? 1 : -1;
}

/** The side of the orders that open a position. */
export function entrySide(direction: Direction): Side {
  return direction === 'long' ? 'buy' : 'sell';
}

/** The side of the orders that close a position. */
export function exitSide(direction: Direction): Side {
  return direction === 'long' ? 'sell' : 'buy';
}
