import type { Direction } from '../market/direction.ts';
import type { Gate } from './effect.ts';

/** What a person wants a bot to do by hand, once. It is not begun after `until`, in ms. */
export type ManualAction = { id: string; until: number } & (
  | { kind: 'enter'; symbol: string; direction: Direction; stake: number; stopPrice: number | null } // without a price the settings' stop
  | { kind: 'add'; tradeId: number; stake: number }
  | { kind: 'take-out'; tradeId: number; share: number } // of what is held then, between 0 and 1
  | { kind: 'move-stop'; tradeId: number; price: number | null } // null: the bot moves it again
);

/** Why what a person wants was not done. */
export type ManualRefusal =
  | Gate // what would have kept the bot itself from entering
  | 'cannot-short' // on spot, or by a strategy that never does
  | 'too-late' // nothing could be done about it in its time
  | 'trade-over' // its trade is closed, or is being closed
  | 'entry-waits' // an entry of the trade still waits to be filled
  | 'part-too-small' // the exchange takes no order for so little
  | 'rest-too-small' // what would be left could not be sold
  | 'stop-beyond-price' // the price has passed it already: the trade would close at once
  | 'stop-beyond-liquidation' // the position would be liquidated before
  | 'stop-filling'; // the stop has been reached

/** The entry tag of a trade that a person has opened, and of an entry by which a person has enlarged one. */
export const manualTag = 'manual';

/** The exit reason of an exit by which a person has made a trade smaller. */
export const manualPartTag = 'manual_partial_exit';
