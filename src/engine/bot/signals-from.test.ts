import { expect, test } from 'vitest';
import { candleOpenTime, type Timeframe, timeframeLengths } from '../market/timeframe.ts';
import { signalsFrom } from './signals-from.ts';

const at = (time: string): number => Date.parse(`2026-03-02T${time}Z`);
const source = (timeframe: Timeframe, parameters: Record<string, number> = { fast: 12 }) => ({ timeframe, parameters });

test('what computes the same signals as before changes nothing', () => {
  expect(signalsFrom(source('5m'), source('5m'), at('12:57:00'))).toBeNull();
});

test.each<[string, Timeframe, Timeframe, Record<string, number>, string, string]>([
  ['other parameters', '5m', '5m', { fast: 13 }, '12:57:00', '12:55:00'],
  ['other parameters as a candle closes', '5m', '5m', { fast: 13 }, '12:55:00', '12:55:00'],
  ['a parameter more', '5m', '5m', { fast: 12, slow: 3 }, '12:57:00', '12:55:00'],
  ['a longer timeframe, whose candle holds decided ones', '5m', '1h', { fast: 12 }, '12:57:00', '13:00:00'],
  ['a longer timeframe, whose candle holds none', '5m', '1h', { fast: 12 }, '13:03:00', '13:00:00'],
  ['a shorter timeframe', '1h', '5m', { fast: 12 }, '13:02:00', '13:00:00'],
])('with %s the first candle that counts is known', (_, before, after, parameters, now, first) => {
  const from = signalsFrom(source(before), source(after, parameters), at(now)) ?? 0;
  const length = timeframeLengths[after];
  const opened = candleOpenTime(after, from) + length; // the first opening time after `from`
  expect(new Date(opened).toISOString().slice(11, 19)).toBe(first);
  // It has not closed before, and is none of those that were decided.
  expect(opened + length).toBeGreaterThan(at(now));
  expect(opened).toBeGreaterThan(candleOpenTime(before, at(now)) - timeframeLengths[before]);
});
