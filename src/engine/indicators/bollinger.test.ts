import { expect, test } from 'vitest';
import { bollinger, Bollinger } from './bollinger.ts';
import { randomWalk } from './testing/random-walk.ts';

const { close } = randomWalk({ length: 1_203, seed: 7, stepMs: 60_000 });

test.each([1, 2, 3, 20, 200, 1_000, 1_203])(
  'a row of %i values is the same to the last digit wherever the values before it begin',
  (period) => {
    const whole = bollinger(close, { period, deviations: 2 });
    for (const from of [1, 2, 3, 101]) {
      const part = bollinger(close.subarray(from), { period, deviations: 2 });
      for (const line of ['upper', 'middle', 'lower'] as const) {
        const known = Math.min(from + period - 1, close.length);
        expect(part[line].subarray(known - from)).toEqual(whole[line].subarray(known));
      }
    }
  },
);

test('long windows are those of the incremental form, a value that is not known included', () => {
  const values = close.slice();
  values[400] = NaN;
  const bands = new Bollinger({ period: 350, deviations: 2 });
  const points = Array.from(values, (value) => bands.push(value));
  const { upper, middle, lower } = bollinger(values, { period: 350, deviations: 2 });
  expect(points.map((point) => point.upper)).toEqual([...upper]);
  expect(points.map((point) => point.middle)).toEqual([...middle]);
  expect(points.map((point) => point.lower)).toEqual([...lower]);
});
