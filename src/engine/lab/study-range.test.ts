import { describe, expect, test } from 'vitest';
import { sealedRange } from './study-range.ts';

describe('the time of a study', () => {
  test('ends where its sealed part begins: a candle before, and nothing of it is in both', () => {
    expect(sealedRange({ from: 1_000, to: 1_100 }, 0.2, 10)).toEqual({
      studied: { from: 1_000, to: 1_080 },
      sealed: { from: 1_090, to: 1_100 },
    });
    expect(sealedRange({ from: 1_000, to: 1_100 }, 0.25, 10)?.studied.to).toBe(1_070); // on a candle
  });

  test('is all of it where nothing is sealed', () => {
    expect(sealedRange({ from: 1_000, to: 1_100 }, null, 10)).toEqual({ studied: { from: 1_000, to: 1_100 }, sealed: null });
  });

  test('cannot be cut where there are too few candles', () => {
    expect(sealedRange({ from: 1_000, to: 1_010 }, 0.9, 10)).toBeNull();
    expect(sealedRange({ from: 1_000, to: 1_000 }, null, 10)).toBeNull();
  });
});
