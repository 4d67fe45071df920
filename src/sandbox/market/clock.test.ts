import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import { sandboxClock } from './clock.ts';

const startTime = Date.UTC(2026, 2, 3, 10);

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

test('the clock runs `factor` times as fast as the machine’s', () => {
  const clock = sandboxClock({ startTime, factor: 60 });
  expect(clock.now()).toBe(startTime);
  vi.advanceTimersByTime(2 * secondMs);
  expect(clock.now()).toBe(startTime + 2 * minuteMs);
});

test('another factor holds from now on: the time before it stays, and 0 freezes it', () => {
  const clock = sandboxClock({ startTime, factor: 60 });
  vi.advanceTimersByTime(secondMs);
  clock.setFactor(1);
  expect(clock.factor).toBe(1);
  expect(clock.now()).toBe(startTime + minuteMs);
  vi.advanceTimersByTime(secondMs);
  expect(clock.now()).toBe(startTime + minuteMs + secondMs);
  clock.setFactor(0);
  vi.advanceTimersByTime(minuteMs);
  expect(clock.now()).toBe(startTime + minuteMs + secondMs);
});

test('a clock that is moved forward keeps running from there', () => {
  const clock = sandboxClock({ startTime, factor: 2 });
  vi.advanceTimersByTime(secondMs);
  clock.advance(minuteMs);
  expect(clock.now()).toBe(startTime + 2 * secondMs + minuteMs);
  vi.advanceTimersByTime(secondMs);
  expect(clock.now()).toBe(startTime + 4 * secondMs + minuteMs);
});

test('without a start time it shows the machine’s time, and a correction of that does not move the market', () => {
  const clock = sandboxClock();
  const before = Date.now();
  expect(clock.now()).toBe(before);
  vi.setSystemTime(before + 10 * minuteMs);
  expect(clock.now()).toBe(before);
});
