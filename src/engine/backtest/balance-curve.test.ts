import { describe, expect, test } from 'vitest';
import { dayMs } from '../market/durations.ts';
import { newBalanceCurve } from './balance-curve.ts';

const start = Date.UTC(2024, 0, 1);
/** The curve of values noted at these days. */
function curve(startValue: number, notes: readonly (readonly [day: number, value: number])[], endDay: number) {
  const of = newBalanceCurve(startValue);
  for (const [day, value] of notes) of.note(start + day * dayMs, value);
  return of.finish(start + endDay * dayMs);
}

describe('OP-70 the balance by day', () => {
  test('is the last value of each day; a day without one has that of the day before', () => {
    const { days } = curve(
      100,
      [
        [0.1, 101],
        [0.9, 102],
        [2.5, 103],
      ],
      3.2,
    );
    expect(days.map(({ dayTime, balance }) => [(dayTime - start) / dayMs, balance])).toEqual([
      [0, 102],
      [1, 102],
      [2, 103],
      [3, 103],
    ]);
  });
  test('of a curve that ends on the day it began is one value', () => {
    expect(curve(100, [[0, 101]], 0.5).days).toHaveLength(1);
    expect(newBalanceCurve(100).finish(start)).toMatchObject({ days: [], elapsedDays: 1 });
  });
  test.each([
    [0.5, 1],
    [1.9, 1],
    [2, 2],
    [9.99, 9],
  ])('%d days are %d whole ones', (endDay, elapsed) => {
    expect(
      curve(
        100,
        [
          [0, 100],
          [0.2, 100],
        ],
        endDay,
      ).elapsedDays,
    ).toBe(elapsed);
  });
});

describe('OP-70 the falls of the balance', () => {
  const falls = (startValue: number, ...values: readonly number[]) => {
    const { maxDrawdownAbs, maxDrawdownRatio, accountDrawdown } = curve(
      startValue,
      values.map((value, i) => [i / 24, value]),
      2,
    );
    return [maxDrawdownAbs, maxDrawdownRatio, accountDrawdown];
  };
  test.each([
    ['are none while it rises', [100, 100, 110, 120], [0, 0, 0]],
    ['begin with the value it starts from', [100, 80], [20, 0.2, 0.2]],
    ['are measured from the highest so far', [100, 200, 150, 180, 120], [80, 0.4, 0.4]],
    ['are the deepest in money and the deepest as a ratio, each for itself', [100, 50, 1000, 900], [100, 0.5, 0.1]],
    ['in money need not be the first that is deep', [1000, 900, 910, 880, 2000, 1890], [120, 0.12, 0.12]],
    ['of the same money count where they come first', [100, 90, 1000, 990], [10, 0.1, 0.1]],
    ['of the same ratio change nothing', [100, 90, 200, 180], [20, 0.1, 0.1]],
  ])('%s', (_, [startValue = 0, ...values], expected) => {
    expect(falls(startValue, ...values)).toEqual(expected);
  });
});
