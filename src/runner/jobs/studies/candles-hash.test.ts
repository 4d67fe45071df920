import { fundingColumns } from '#engine/account/funding.ts';
import { candleColumns } from '#engine/market/candle.ts';
import type { BacktestPair } from '#engine/backtest/input.ts';
import { expect, test } from 'vitest';
import { candlesHash } from './candles-hash.ts';

test('another price of a candle, a detail or another pair, another payment or another symbol is another hash; a copy is none', () => {
  const candles = (close: number) => {
    const columns = candleColumns(2);
    columns.close.set([close, 1]);
    return columns;
  };
  const funding = (rate: number) => fundingColumns([{ time: 1, rate, mark: 100 }]);
  const hashOf = (given: object = {}, others = { 'ETH/USDT:USDT': candles(1) }) => {
    const instrument = { symbol: 'BTC/USDT:USDT' } as BacktestPair['instrument'];
    return candlesHash([{ instrument, candles: candles(1), detail: candles(1), funding: funding(0.0001), ...given }], others);
  };
  expect(hashOf()).toBe(hashOf());
  const hashes = [
    hashOf(),
    hashOf({ candles: candles(2) }),
    hashOf({ detail: candles(2) }),
    hashOf({ detail: null }),
    hashOf({ funding: funding(0.0002) }),
    hashOf({ funding: null }),
    hashOf({ instrument: { symbol: 'SOL/USDT:USDT' } }),
    hashOf({}, { 'ETH/USDT:USDT': candles(2) }),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
});
