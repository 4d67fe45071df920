import { expect, test } from 'vitest';
import { Backoff } from './backoff.ts';

/** The largest wait a chance of up to a tenth could have been taken from. */
const inRange = (wait: number, most: number): void => {
  expect(wait).toBeGreaterThanOrEqual(0.9 * most);
  expect(wait).toBeLessThanOrEqual(most);
};

test('each wait is twice as long as the one before, up to the longest', () => {
  const backoff = new Backoff(500, 30_000);
  for (const most of [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) inRange(backoff.next(), most);
  for (let i = 0; i < 2000; i++) backoff.next();
  inRange(backoff.next(), 30_000);
});

test('after a success it begins with the first wait', () => {
  const backoff = new Backoff(500, 30_000);
  for (let i = 0; i < 5; i++) backoff.next();
  backoff.reset();
  inRange(backoff.next(), 500);
});

test('many who lost the same exchange do not all come back at the same moment', () => {
  const waits = Array.from({ length: 100 }, () => new Backoff(10_000, 30_000).next());
  expect(new Set(waits).size).toBeGreaterThan(90);
});
