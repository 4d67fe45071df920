import { expect, test } from 'vitest';
import { RestartPauses } from './restart-pauses.ts';

test('pauses double with each crash in a row, up to half a minute', () => {
  const pauses = new RestartPauses();
  const found = Array.from({ length: 10 }, () => pauses.next(10_000));
  expect(found).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
});

test('a process that has lived for more than ten seconds is started again without a long pause', () => {
  const pauses = new RestartPauses();
  for (let i = 0; i < 5; i++) pauses.next(0);
  expect(pauses.next(10_001)).toBe(200);
  expect(pauses.next(0)).toBe(400);
});
