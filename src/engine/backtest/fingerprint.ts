import type { Trade } from '../account/trade.ts';

/** One line per trade, for comparing runs: symbol, direction, times in ms, rates, amount, reason, profit. */
export function fingerprintLines(trades: readonly Trade[]): string[] {
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
