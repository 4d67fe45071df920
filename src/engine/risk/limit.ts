/** What a limit is about. Checked in this order, so the same entry always meets the same limit. */
export const limitNames = [
  'order-value', // of one order, in stake currency
  'position-value', // of a bot: of one position; of a user or the server: of all positions together
  'open-orders',
  'orders-per-minute', // exits and stops count too, but are never held back
  'price-collar', // distance of an entry's price from the mid price, as a fraction of the mid price
  'leverage',
  'daily-loss', // of trades closed on a UTC day, in stake currency
  'drawdown', // fall from the highest balance so far, as a fraction of it
] as const;

/** See `limitNames`. */
export type LimitName = (typeof limitNames)[number];

/** The gate of an entry that a limit of the bot, its owner or the server has refused. */
export type LimitGate = `limit-${LimitName}`;

/** Why an entry was not written: a limit forbids it, a person has locked its pair, or another bot of the account holds its perpetual otherwise. */
export type WriteGate = LimitGate | 'pair-locked' | 'opposite-position' | 'other-leverage';

/** What stood against an entry that a limit has refused. Amounts in stake currency, ratios as fractions. */
export interface LimitFacts {
  level: 'bot' | 'user' | 'server'; // whose limit it is
  use: number; // with the entry, where it counts towards the limit
  value: number;
}

/** The entry of a candle that was refused after it was decided: it is not tried again before the next candle. */
export interface RefusedEntry {
  candleTime: number;
  gate: WriteGate;
  limit?: LimitFacts;
}
