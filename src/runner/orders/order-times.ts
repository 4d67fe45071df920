import { hourMs } from '#engine/market/durations.ts';

/** How long the steps of an order's life take at most, and how often they are repeated; all in ms. */
export interface OrderTimes {
  expiry: number; // after so long the exchange no longer takes a request
  margin: number; // how far the exchange's clock may be off, and how long its look-ups may lag behind
  clockOff: number; // how far this machine's clock may be from the exchange's: requests are sent by the exchange's, as it was measured
  firstLook: number; // from a lost answer to the first look-up
  lookUpEvery: number; // must be longer than an exchange's look-ups lag behind
  lookUps: number; // so many that find nothing, all after the expiry, say that it never arrived
  listsLag: number; // for so long a look-up that finds nothing is not believed against the exchange's own word that it has the order; no longer than `checkOpen`
  checkOpen: number; // how often an order that waits at the exchange is checked
  retry: number; // after a call that failed
  cancelled: number; // what stands of before, and must not, is cancelled within this time, or is not for long
  retryRefused: number; // after one that the exchange has refused, or the key that asks, where a trade waits for the answer
  fillsComeFor: number; // fills that are not listed so long after an order has ended are listed nowhere; as long as comparisons wait for them
  entryIsWanted: number; // an entry that could not be sent for so long is given up: its signal is old
}

/** The times where the market's clock runs `pace` times as fast as the machine's, as a sandbox's may. */
export function timesAt(pace: number): OrderTimes {
  const { lookUps, ...times } = orderTimes;
  const scaled = Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, ms * pace]));
  return { ...(scaled as Omit<OrderTimes, 'lookUps'>), lookUps };
}

/**
 * The times of real exchanges: an expiry that slow networks meet, and lists that lag behind by a second. Under load they lag behind by more: an order
 * that the exchange has said it has is given ten. A stop that has gone without a word may be missed for as long.
 */
export const orderTimes: OrderTimes = {
  expiry: 2_000,
  margin: 1_000,
  clockOff: 30_000,
  firstLook: 250,
  lookUpEvery: 1_000,
  lookUps: 3,
  listsLag: 10_000,
  checkOpen: 30_000,
  retry: 500,
  cancelled: 5_000,
  retryRefused: 4_000,
  fillsComeFor: hourMs,
  entryIsWanted: 60_000,
};
