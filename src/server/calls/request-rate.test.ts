import { texts } from '#contract/errors.ts';
import { expect, test } from 'vitest';
import { HttpError } from '../http/http-error.ts';
import { RequestRate } from './request-rate.ts';

const minute = 60_000;
const start = Date.UTC(2026, 2, 1, 12);

/** How many of so many calls in one moment are let through. */
function through(rate: RequestRate, count: number, { userId = 'one', isWrite = false, at = start } = {}): number {
  let passed = 0;
  for (let i = 0; i < count; i++) {
    try {
      rate.spend(userId, isWrite, at);
      passed += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(HttpError);
    }
  }
  return passed;
}

test('a person may read 1,200 times and write 120 times in a minute, and one does not use up the other', () => {
  const rate = new RequestRate();
  expect(through(rate, 1_300)).toBe(1_200);
  expect(through(rate, 130, { isWrite: true })).toBe(120);
});

test('each person has a count of their own', () => {
  const rate = new RequestRate();
  through(rate, 121, { isWrite: true });
  expect(through(rate, 121, { isWrite: true, userId: 'two' })).toBe(120);
});

test('the count begins again with the next minute of the clock, not before', () => {
  const rate = new RequestRate();
  expect(through(rate, 121, { isWrite: true, at: start + 1 })).toBe(120);
  expect(through(rate, 1, { isWrite: true, at: start + minute - 1 })).toBe(0);
  expect(through(rate, 121, { isWrite: true, at: start + minute })).toBe(120);
});

test('a refusal names the seconds that are left of the minute, rounded up', () => {
  const rate = new RequestRate();
  through(rate, 120, { isWrite: true });
  const refusal = (at: number): unknown => {
    try {
      rate.spend('one', true, at);
      return null;
    } catch (error) {
      return error;
    }
  };
  expect(refusal(start)).toMatchObject({ status: 429, message: texts.tooManyRequests, retryAfterSeconds: 60 });
  expect(refusal(start + 18_500)).toMatchObject({ retryAfterSeconds: 42 });
  expect(refusal(start + minute - 1)).toMatchObject({ retryAfterSeconds: 1 });
});
