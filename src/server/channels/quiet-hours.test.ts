import { expect, test } from 'vitest';
import { minuteOfTime, quietUntil, timeOfMinute } from './quiet-hours.ts';

const end = (from: string | null, until: string, zone: string, now: string) =>
  quietUntil(
    { quietFrom: from === null ? null : minuteOfTime(from), quietUntil: from === null ? null : minuteOfTime(until), quietZone: zone },
    new Date(now),
  )?.toISOString() ?? null;

test.each([
  [null, '', 'UTC', '2026-11-22T23:00:00Z', null],
  ['22:00', '07:00', 'UTC', '2026-11-22T21:59:59.999Z', null],
  ['22:00', '07:00', 'UTC', '2026-11-22T22:00:00Z', '2026-11-23T07:00:00.000Z'],
  ['22:00', '07:00', 'UTC', '2026-11-23T06:59:59.999Z', '2026-11-23T07:00:00.000Z'],
  ['22:00', '07:00', 'UTC', '2026-11-23T07:00:00Z', null],
  ['00:00', '23:59', 'UTC', '2026-11-23T00:00:30Z', '2026-11-23T23:59:00.000Z'],
  ['13:00', '14:00', 'UTC', '2026-11-23T13:30:00Z', '2026-11-23T14:00:00.000Z'],
  ['22:00', '07:00', 'Asia/Kolkata', '2026-11-22T17:00:00Z', '2026-11-23T01:30:00.000Z'],
  ['22:00', '07:00', 'America/New_York', '2026-11-22T17:00:00Z', null],
  // Summer time begins: the night is an hour shorter; it ends: an hour longer.
  ['22:00', '07:00', 'Europe/Zurich', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
  ['22:00', '07:00', 'Europe/Zurich', '2026-10-24T21:00:00Z', '2026-10-25T06:00:00.000Z'],
  // An end that the clock leaps over.
  ['22:00', '02:30', 'Europe/Zurich', '2026-03-28T23:00:00Z', '2026-03-29T01:00:00.000Z'],
])('quiet from %s until %s in %s: at %s until %s', (from, until, zone, now, expected) => {
  expect(end(from, until, zone, now)).toBe(expected);
});

test('minutes of the day and times of day are the same thing', () => {
  for (const minute of [0, 1, 59, 60, 719, 1439]) expect(minuteOfTime(timeOfMinute(minute))).toBe(minute);
});
