import { createHash } from 'node:crypto';
import type { BacktestPair } from '#engine/backtest/input.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { OtherPairs } from '#engine/strategy/series.ts';

/** A hash of all that epochs are calculated from. */
export function candlesHash(pairs: readonly Omit<BacktestPair, 'signals'>[], others: OtherPairs): string {
  const hash = createHash('sha256');
  const add = (column: Float64Array): void => void hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  const addAll = (columns: CandleColumns): void => {
    for (const name of ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const) add(columns[name]);
  };
  for (const { instrument, candles, detail, funding } of pairs) {
    hash.update(instrument.symbol);
    addAll(candles);
    if (detail !== null && detail !== undefined) addAll(detail);
    if (funding !== null && funding !== undefined)
      for (const column of Object.values(funding)) if (column instanceof Float64Array) add(column);
  }
  for (const [symbol, candles] of Object.entries(others)) {
    hash.update(symbol);
    addAll(candles);
  }
  return hash.digest('hex');
}
