import { toColumns } from '#engine/market/candle.ts';
import { describe, expect, test } from 'vitest';
import { runsOf } from './held-runs.ts';
import { replayCandles } from './replay-candles.ts';
import type { DrawnTrade } from './replay-trades.ts';
import { differenceColors, replayMarkers, replaySegments, viewOfTrade } from './replay-trades.ts';

const step = 60_000;
const candle = (i: number) => ({ openTime: i * step, open: 10 + i, high: 12 + i, low: 9 + i, close: 11 + i, volume: 1 });

test('the candles of a range have no gaps, so that the place of each is its row', () => {
  const columns = toColumns([0, 1, 2, 5, 6, 7].map(candle));
  const found = replayCandles(columns, step, 7 * step, step);
  expect(found.map(({ timestamp, close, volume }) => [timestamp / step, close, volume])).toEqual([
    [1, 12, 1],
    [2, 13, 1],
    [3, 13, 0],
    [4, 13, 0],
    [5, 16, 1],
    [6, 17, 1],
  ]);
});

test('runs of set flags are cut at what is in sight', () => {
  const flags = Uint8Array.from([1, 1, 0, 1, 0, 0, 1, 1, 1]);
  expect(runsOf(flags, -5, 100)).toEqual([
    [0, 1],
    [3, 3],
    [6, 8],
  ]);
  expect(runsOf(flags, 1, 7)).toEqual([
    [1, 1],
    [3, 3],
    [6, 7],
  ]);
  expect(runsOf(new Uint8Array(3), 0, 2)).toEqual([]);
});

describe('trades of a replay', () => {
  const candles = replayCandles(toColumns([0, 1, 2, 3, 4, 5].map(candle)), 0, 6 * step, step);
  const trade = (changes: Partial<DrawnTrade>): DrawnTrade => ({
    id: 'a',
    kind: 'same',
    direction: 'long',
    openTime: step,
    closeTime: 3 * step,
    entryPrice: 12,
    exitPrice: 14,
    profit: 1,
    isStop: false,
    ...changes,
  });

  test('what a change adds and removes has a colour and a sign of its own', () => {
    const marks = replayMarkers(candles, [trade({ kind: 'added' }), trade({ kind: 'removed', direction: 'short', openTime: 2 * step })]);
    expect(marks.map(({ shape, color, text = '' }) => `${shape} ${color} ${text}`)).toEqual([
      `arrowUp ${differenceColors.added} +`,
      `arrowDown ${differenceColors.removed} −`,
      'square #26a69a ',
      `square ${differenceColors.removed} `,
    ]);
    expect(replaySegments(candles, [trade({ kind: 'removed' })])[0]).toMatchObject({ isOpen: true, from: { place: 1 }, to: { place: 3 } });
  });

  test('a stop is a circle, and a trade from before the first candle has no mark', () => {
    expect(replayMarkers(candles, [trade({ isStop: true })]).map(({ shape }) => shape)).toEqual(['arrowUp', 'circle']);
    expect(replayMarkers(candles, [trade({ openTime: -step })])).toEqual([]);
  });

  test('a trade is looked at with room on both sides', () => {
    expect(viewOfTrade(candles, trade({}))).toEqual({ from: -39, to: 43 });
  });
});
