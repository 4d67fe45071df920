import type { Trade } from '../account/trade.ts';

/** What of a trade is compared. */
export type FingerprintTrade = Pick<
  Trade,
  'symbol' | 'direction' | 'openTime' | 'closeTime' | 'openRate' | 'closeRate' | 'amount' | 'exitReason' | 'profit'
>;

/** One line per trade, for comparing runs: symbol, direction, times in ms, rates, amount, reason, profit. */
export function fingerprintLines(trades: readonly FingerprintTrade[]): string[] {
  return trades.map((trade) =>
    [
      trade.symbol,
      trade.direction,
      trade.openTime,
      trade.closeTime,
      trade.openRate.toFixed(8),
      (trade.closeRate ?? 0).toFixed(8),
      trade.amount.toFixed(8),
      trade.exitReason,
      (trade.profit ?? 0).toFixed(8),
    ].join(','),
  );
}

/** The fingerprint of trades in their sequence: two FNV-1a hashes of 32 bits side by side, as 16 hexadecimal digits; for comparing by eye, not against forgery. */
export function fingerprintOf(trades: readonly FingerprintTrade[]): string {
  let [one, two] = [0x811c9dc5, 0xc9dc5118];
  for (const line of fingerprintLines(trades)) {
    for (let i = 0; i <= line.length; i++) {
      const unit = i === line.length ? 10 : line.charCodeAt(i);
      one = Math.imul(one ^ unit, 0x01000193);
      two = Math.imul(two ^ (unit + 1), 0x01000193);
    }
  }
  return [one, two].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
