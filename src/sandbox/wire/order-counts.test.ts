import { minuteMs, secondMs } from '#engine/market/durations.ts';
import { expect, test } from 'vitest';
import { OrderCounts } from './order-counts.ts';

const start = 1_000 * minuteMs;

/** Sends so many orders at one time; gives how long the last of them has to wait, in seconds. */
function send(counts: OrderCounts, number: number, time: number, account = 'a'): number {
  let wait = 0;
  for (let i = 0; i < number; i++) wait = counts.count(account, time).retryAfterSeconds;
  return wait;
}

test('an account that stays within the limit of ten seconds runs into that of the minute, and may go on when it is over', () => {
  const counts = new OrderCounts([300, 1_200]);
  for (let i = 0; i < 5; i++) expect(send(counts, 240, start + i * 10 * secondMs)).toBe(0);
  expect(counts.count('a', start + 50 * secondMs)).toEqual({ tenSeconds: 0, minute: 1_200, retryAfterSeconds: 10 });
  expect(send(counts, 1, start + 59 * secondMs)).toBe(1);
  expect(send(counts, 1, start + 50 * secondMs, 'another')).toBe(0);
  expect(counts.count('a', start + minuteMs)).toEqual({ tenSeconds: 1, minute: 1, retryAfterSeconds: 0 });
});

test('one that is over the limit of ten seconds waits for their end, and is not counted', () => {
  const counts = new OrderCounts([300, 1_200]);
  expect(send(counts, 300, start + secondMs)).toBe(0);
  expect(counts.count('a', start + secondMs)).toEqual({ tenSeconds: 300, minute: 300, retryAfterSeconds: 9 });
  expect(counts.count('a', start + 10 * secondMs)).toEqual({ tenSeconds: 1, minute: 301, retryAfterSeconds: 0 });
});
