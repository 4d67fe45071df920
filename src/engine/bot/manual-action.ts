import type { Direction } from '../market/direction.ts';

/** What a person wants a bot to do by hand, once. It is not begun after `until`, in ms. */
export type ManualAction = { id: string; until: number } & (
  | { kind: 'enter'; symbol: string; direction: Direction; stake: number; stopPrice: number | null } // without a price the settings' stop
  | { kind: 'add'; tradeId: number; stake: number }
  | { kind: 'take-out'; tradeId: number; share: number } // of what is held then, between 0 and 1
  | { kind: 'move-stop'; tradeId: number; price: number | null } // null: the bot moves it again
);

/** The entry tag of a trade that a person has opened, and of an entry by which a person has enlarged one. */
export const manualTag = 'manual';

/** The exit reason of an exit by which a person has made a trade smaller. */
export const manualPartTag = 'manual_partial_exit';
