import { expect, test } from 'vitest';
import { toColumns } from '#engine/market/candle.ts';
import { tradingStart } from '#engine/backtest/trading-start.ts';

const hour = 3_600_000;
const pairFrom = (first: number) =>
  toColumns(Array.from({ length: 50 }, (_, i) => ({ openTime: (first + i) * hour, open: 1, high: 1, low: 1, close: 1, volume: 0 })));

// What freqtrade 2026.9 makes of the same ranges.
test.each<[string, number | null, number[], number, number]>([
  ['the start of the range, with enough candles before it', 30, [0], 5, 30],
  ['the start of the range, when some of the warm-up is missing', 3, [0], 5, 3],
  ['moved by the warm-up, when there is no candle before the range', 0, [0], 5, 5],
  ['moved by the warm-up, when the candles begin after the range', -10, [0], 5, 5],
  ['not moved without a warm-up', -10, [0], 0, -10],
  ['without a range, the first candle of any pair and the warm-up', null, [20, 4], 5, 9],
])('%s', (_, from, firsts, startup, expected) => {
  expect(tradingStart(from === null ? null : from * hour, firsts.map(pairFrom), startup, hour) / hour).toBe(expected);
});
