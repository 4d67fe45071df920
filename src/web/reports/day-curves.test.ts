import { expect, test } from 'vitest';
import { dayCurves } from './day-curves.ts';

const day = '2026-03-01';
const at = (time: string) => Date.parse(`${day}T${time}Z`);
const modes = [{ mode: 'paper' as const, figures: {} as never, curve: [{ time: at('04:00:00'), pnl: -2 }] }];
const pointsAt = (now: number) => dayCurves(day, modes, now)[0]?.points;

test('a curve begins at nothing at midnight and ends with the day', () => {
  expect(pointsAt(at('23:59:59') + 3_600_000)).toEqual([
    { time: at('00:00:00'), value: 0 },
    { time: at('04:00:00'), value: -2 },
    { time: at('23:59:59.999'), value: -2 },
  ]);
});

test('a day that is still running ends now, but never before its last trade', () => {
  expect(pointsAt(at('05:00:00'))?.at(-1)).toEqual({ time: at('05:00:00'), value: -2 });
  expect(pointsAt(at('03:00:00'))).toEqual([
    { time: at('00:00:00'), value: 0 },
    { time: at('04:00:00'), value: -2 },
  ]);
});
