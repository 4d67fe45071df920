/** A value with the moment it was loaded, in ms; undefined while there is none. */
interface Loaded<T> {
  value: T | undefined;
  loadedAt: number;
}

/** The current price: that of the last PnL answer, replaced by the close of the newest candle at each later chart poll. */
export function currentPrice(pnl: Loaded<number | null>, close: Loaded<number>): number | null {
  if (close.value !== undefined && (pnl.value === undefined || pnl.value === null || close.loadedAt >= pnl.loadedAt)) return close.value;
  return pnl.value ?? null;
}
