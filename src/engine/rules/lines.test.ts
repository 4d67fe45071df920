import { expect, test } from 'vitest';
import { randomWalk } from '../indicators/testing/random-walk.ts';
import { compileRules } from './compile-rules.ts';
import { candlesSince, change, rowsBack, withoutHoles } from './lines.ts';
import { compare, indicator, number } from './pieces.ts';
import { emaCross } from './templates/ema-cross.ts';

const line = (...values: number[]): Float64Array => Float64Array.from(values);

test('candles are counted up to a number and no further, so that a shorter window counts the same', () => {
  const flags = Uint8Array.from([0, 0, 1, 0, 0, 0, 0, 0, 1]);
  expect([...candlesSince(flags, 3)]).toEqual([NaN, NaN, 0, 1, 2, 3, 3, 3, 0]);
  expect([...candlesSince(flags.slice(3), 3)]).toEqual([NaN, NaN, 3, 3, 3, 0]);
});

test('a change from 0 is not known', () => {
  expect([...change(line(0, 2, 3, -2, -1), 1)]).toEqual([NaN, NaN, 0.5, -5 / 3, 0.5]);
});

test('a line further back than it is long is not known', () => {
  expect([...rowsBack(line(1, 2, 3), 2)]).toEqual([NaN, NaN, 1]);
  expect([...rowsBack(line(1, 2, 3), 5)]).toEqual([NaN, NaN, NaN]);
});

test('a hole in a line keeps the last value', () => {
  expect([...withoutHoles(line(NaN, 1, NaN, Infinity, 2))]).toEqual([NaN, 1, 1, 1, 2]);
});

test('an average of VWAP is known again after a midnight without volume', () => {
  const average = indicator('ema', { period: 5 }, 'value', indicator('vwap', { deviations: 1 }, 'vwap'));
  const when = compare(average, 'above', number(0));
  const strategy = compileRules({ ...emaCross, enterLong: [{ tag: 'in', when }], exitLong: [], enterShort: [], exitShort: [] });
  const candles = randomWalk({ length: 600, seed: 1, stepMs: 300_000 });
  candles.volume.fill(0, 288, 292); // from the second midnight on
  expect(strategy.compute(candles, {}).enterLong.lastIndexOf(0)).toBe(3);
});
