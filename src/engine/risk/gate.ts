/** Why a signal did not become an entry, in a backtest and in a running bot alike. */
export type EntryGate =
  | 'has-open-trade' // a trade of the symbol is open already
  | 'expired-signal' // its candle closed too long ago
  | 'locked' // a protection or the rest after a trade forbids entries
  | 'slots-full' // as many trades are open as may be
  | 'no-price' // there was no price to act upon
  | SizeGate
  | 'refused-by-strategy'; // the strategy gave no stake or did not confirm the entry

/** Why no size fits. */
export type SizeGate =
  | 'insufficient-balance' // the free balance is below the stake, or below the smallest one that the market allows
  | 'stake-too-large' // beyond the market's largest stake or its last leverage tier
  | 'stake-too-small' // below the market's smallest stake
  | 'amount-too-small' // less than one step of the amount
  | 'refused-by-strategy';

/** What stood against a size, in stake currency. */
export interface SizeFacts {
  stake: number; // that was wanted
  available: number; // free for a new trade
  limit: number | null; // the smallest or largest stake that is allowed, where that stood against it
}
