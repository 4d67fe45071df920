import { describe, expect, test } from 'vitest';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import { RequestWeights } from './request-weights.ts';

const now = Date.UTC(2026, 2, 3, 10, 0, 20);

describe('the request weights of the sandbox', () => {
  test('up to the limit a request is allowed, above it the answer is 429 until the minute is over', () => {
    const weights = new RequestWeights(10);
    expect(weights.count(10, now)).toEqual({ used: 10, status: 200, retryAfterSeconds: 0 });
    expect(weights.count(1, now)).toEqual({ used: 11, status: 429, retryAfterSeconds: 40 });
    expect(weights.count(1, now + 40 * secondMs)).toEqual({ used: 1, status: 200, retryAfterSeconds: 0 });
  });

  test('an address that keeps sending is banned with 418 for two minutes', () => {
    const weights = new RequestWeights(10);
    weights.count(10, now);
    for (let refused = 1; refused <= 20; refused++) expect(weights.count(1, now).status).toBe(429);
    expect(weights.count(1, now)).toMatchObject({ status: 418, retryAfterSeconds: 120 });
    expect(weights.count(1, now + minuteMs)).toMatchObject({ status: 418, retryAfterSeconds: 60 });
    expect(weights.count(1, now + 2 * minuteMs).status).toBe(200);
  });

  test('refusals of an earlier minute do not count towards the ban', () => {
    const weights = new RequestWeights(10);
    for (const at of [now, now + minuteMs]) {
      weights.count(10, at);
      for (let refused = 1; refused <= 15; refused++) expect(weights.count(1, at).status).toBe(429);
    }
  });

  test('work that is known only afterwards is charged to its own minute', () => {
    const weights = new RequestWeights(10);
    weights.count(2, now);
    expect(weights.charge(5, now)).toBe(7);
    expect(weights.charge(5, now + minuteMs)).toBe(7);
  });
});
