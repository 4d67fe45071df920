import { describe, expect, test } from 'vitest';
import { isExpired, isStale } from './signal-age.ts';

const minute = 60_000;
const opened = Date.UTC(2024, 0, 1);

describe('the age of a signal', () => {
  test.each([
    ['5m', 15],
    ['1h', 125],
  ] as const)('a candle of %s is too old to be trusted later than %d minutes after it opened', (timeframe, minutes) => {
    expect(isStale(opened, opened + minutes * minute, timeframe)).toBe(false);
    expect(isStale(opened, opened + minutes * minute + 1, timeframe)).toBe(true);
  });

  test('a candle has expired later than the limit after its close', () => {
    expect(isExpired(opened, opened + 5 * minute + 30_000, '5m', 30_000)).toBe(false);
    expect(isExpired(opened, opened + 5 * minute + 30_001, '5m', 30_000)).toBe(true);
  });

  test('a limit of 0 is none', () => {
    expect(isExpired(opened, opened + 900 * minute, '5m', 0)).toBe(false);
  });
});
