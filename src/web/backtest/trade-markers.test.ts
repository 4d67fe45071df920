import { expect, test } from 'vitest';
import { chartColors } from '../chart/chart-style.ts';
import { aBacktestTrade, sampleFrom, someDetails } from '../testing/samples/runs.ts';
import { tradeMarkers, viewOf } from './trade-markers.ts';

const { candles } = someDetails();
const hour = 3_600_000;

test('entries are arrows in their direction, stops circles, other exits squares in the colour of the result', () => {
  const marks = tradeMarkers(candles, [
    aBacktestTrade(10, 20, 5),
    aBacktestTrade(30, 40, -5, { direction: 'short', exit_reason: 'exit_signal' }),
    aBacktestTrade(50, 60, -9, { exit_reason: 'trailing_stop_loss' }),
  ]);
  expect(marks.map(({ shape, position, color, id }) => [shape, position, color, id])).toEqual([
    ['arrowUp', 'belowBar', chartColors.long, '0'],
    ['square', 'aboveBar', chartColors.up, '0'],
    ['arrowDown', 'aboveBar', chartColors.short, '1'],
    ['square', 'belowBar', chartColors.down, '1'],
    ['arrowUp', 'belowBar', chartColors.long, '2'],
    ['circle', 'aboveBar', chartColors.stop, '2'],
  ]);
});

test('several alike on one candle are one mark with their number; what lies before the first candle has none', () => {
  const marks = tradeMarkers(candles, [aBacktestTrade(10, 20, 5), aBacktestTrade(10, 20, -6), aBacktestTrade(-5, 3, 1)]);
  expect(marks.map(({ time, text, color }) => [(Number(time) * 1000 - sampleFrom) / hour, text, color])).toEqual([
    [3, undefined, chartColors.up],
    [10, '2', chartColors.long],
    [20, '2', chartColors.down],
  ]);
});

test('the view of a trade has room on both sides', () => {
  expect(viewOf(candles, aBacktestTrade(100, 110, 1))).toEqual({ from: 70, to: 140 });
  expect(viewOf(candles, aBacktestTrade(100, 200, 1))).toEqual({ from: 25, to: 275 });
});
