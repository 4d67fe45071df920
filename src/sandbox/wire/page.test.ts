import { dayMs } from '#engine/market/durations.ts';
import { expect, test } from 'vitest';
import { refuseLongAgo } from './page.ts';

test('of perpetuals, orders of the last 90 days are given, and a question that begins before is refused', () => {
  const now = Date.UTC(2026, 4, 20);
  const ask = (startTime: number | null) => () =>
    refuseLongAgo(new URLSearchParams(startTime === null ? {} : { startTime: String(startTime) }), now);
  expect(ask(now - 90 * dayMs - 1)).toThrow('90 days');
  expect(ask(now - 90 * dayMs)).not.toThrow();
  expect(ask(null)).not.toThrow();
});
