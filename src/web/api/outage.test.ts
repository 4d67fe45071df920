import { expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { isServerError } from './connection.ts';
import { heldData, isOutage } from './outage.ts';

const failed = (status: number | null) => new ApiError({ status, detail: null });

test.each([
  [null, true],
  [429, true],
  [500, true],
  [502, true],
  [504, true],
  [499, false],
  [400, false],
  [401, false],
  [404, false],
  [200, false], // an answer that is not JSON
])('status %s is an outage: %s', (status, expected) => {
  expect(isOutage(failed(status))).toBe(expected);
});

test('a fault of the page itself is not an outage', () => {
  expect(isOutage(new Error('a fault of our own'))).toBe(false);
});

test('what was loaded is kept during an outage and given up after a refusal', () => {
  expect(heldData({ data: 'loaded', error: null })).toBe('loaded');
  expect(heldData({ data: 'loaded', error: failed(503) })).toBe('loaded');
  expect(heldData({ data: 'loaded', error: failed(404) })).toBeUndefined();
});

test('500, 503 and 504 say that the server is broken; 501 and 502 speak of something behind it', () => {
  expect([499, 500, 501, 502, 503, 504, 505].filter(isServerError)).toEqual([500, 503, 504]);
});
