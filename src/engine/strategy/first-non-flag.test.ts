import { expect, test } from 'vitest';
import { firstNonFlag } from './first-non-flag.ts';

test('every place of a wrong flag is found, in columns of any length and offset, and in lists', () => {
  for (let length = 0; length < 14; length++) {
    for (let offset = 0; offset < 5; offset++) {
      const column = new Uint8Array(offset + length).fill(1).subarray(offset);
      expect(firstNonFlag(column)).toBe(-1);
      for (let at = 0; at < length; at++) {
        for (const wrong of [2, 3, 128, 255]) {
          const broken = Uint8Array.from(column);
          broken[at] = wrong;
          const placed = new Uint8Array(offset + length);
          placed.set(broken, offset);
          expect(firstNonFlag(placed.subarray(offset)), `${wrong} at ${at} of ${length}, offset ${offset}`).toBe(at);
        }
      }
    }
  }
  expect(firstNonFlag([0, 1, NaN, 1])).toBe(2);
  expect(firstNonFlag([0, true])).toBe(1);
  expect(firstNonFlag(Float64Array.of(1, 0, 0.5))).toBe(2);
});
