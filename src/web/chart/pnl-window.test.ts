import { describe, expect, test } from 'vitest';
import { pnlWindow, sinceFirst } from './pnl-window.ts';

const hourMs = 3_600_000;
const now = Date.parse('2026-11-23T18:00:00Z');
const at = (hoursAgo: number, pnl: number) => ({ time: now - hoursAgo * hourMs, pnl });

describe('a running profit in a range', () => {
  test('OP-51 begins at 0, with what it was when the range began, and names the change', () => {
    expect(pnlWindow([at(200, -900), at(30, -158), at(20, -150.1), at(0, -140.3)], 'daily', now)).toEqual({
      points: [at(24, 0), at(20, 7.9), at(0, 17.7)],
      change: 17.7,
      knownSince: null,
    });
  });

  test('takes the point at its very beginning as that', () => {
    expect(pnlWindow([at(25, 3), at(24, 5), at(1, 6)], 'daily', now).points).toEqual([at(24, 0), at(1, 1)]);
  });

  test('says since when it is known where the beginning of the range is missing', () => {
    const points = [at(100, -158), at(50, -150), at(0, -160)];
    expect(pnlWindow(points, 'monthly', now)).toEqual({
      points: [at(100, 0), at(50, 8), at(0, -2)],
      change: -2,
      knownSince: now - 100 * hourMs,
    });
    expect(pnlWindow(points, 'daily', now).knownSince).toBe(null);
    expect(pnlWindow([at(23.98, 1), at(0, 2)], 'daily', now)).toMatchObject({ change: 1, knownSince: null });
  });

  test('is flat when nothing happened, and nothing where nothing is known', () => {
    expect(pnlWindow([at(400, 7)], 'weekly', now)).toEqual({ points: [at(168, 0)], change: 0, knownSince: null });
    expect(pnlWindow([], 'weekly', now)).toEqual({ points: [], change: 0, knownSince: null });
  });

  test('without a range begins with its first point', () => {
    expect(sinceFirst([at(100, -158), at(0, -123)])).toEqual({ points: [at(100, 0), at(0, 35)], change: 35, knownSince: null });
    expect(sinceFirst([])).toEqual({ points: [], change: 0, knownSince: null });
  });

  test('subtracts exactly', () => {
    expect(pnlWindow([at(30, 0.1), at(0, 0.3)], 'daily', now).change).toBe(0.2);
  });
});
