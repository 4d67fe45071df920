import { expect, test } from 'vitest';
import { countsText, nearestText, shortCountsText } from './count-words.ts';

const nearest = { candle_time: '2026-11-21T13:25:00.000Z', symbol: 'ETH/USDT', name: 'RSI', value: 31, threshold: 30 };
const hour = { candles: 60, signals: 0, entered: 0, nearest };
const day = { candles: 1440, signals: 0, entered: 0, nearest: { ...nearest, candle_time: '2026-11-21T09:10:00.000Z', value: 30.5 } };
const busy = { candles: 1440, signals: 3, entered: 1, nearest };
const none = { candles: 0, signals: 0, entered: 0, nearest: null };

test('ADD-bot-decisions: the last hour and day of a bot in a sentence each', () => {
  expect(countsText({ last_hour: hour, last_day: day }, true)).toBe(
    'Last hour 60 candles, no signal; the nearest was 13:25, RSI 31 of 30. Last day 1,440 candles, no signal; the nearest was 09:10, RSI 30.5 of 30.',
  );
  expect(countsText({ last_hour: hour, last_day: busy }, false)).toBe(
    'Last hour 60 candles, no signal; the nearest was 13:25 in ETH/USDT, RSI 31 of 30. Last day 1,440 candles, 3 signals, 1 entered.',
  );
  expect(countsText({ last_hour: none, last_day: { ...none, candles: 1 } }, true)).toBe(
    'Last hour no candle. Last day 1 candle, no signal.',
  );
  // A bot that has not run for longer than an hour: nothing is said twice.
  expect(countsText({ last_hour: hour, last_day: { ...hour } }, true)).toBe(
    'Last hour and day 60 candles, no signal; the nearest was 13:25, RSI 31 of 30.',
  );
  expect(countsText({ last_hour: { ...hour, signals: 1 }, last_day: { ...hour, signals: 1, entered: 1 } }, true)).toBe(
    'Last hour 60 candles, 1 signal, 0 entered. Last day 60 candles, 1 signal, 1 entered.',
  );
  expect(countsText({ last_hour: hour }, true)).toBe('Last hour 60 candles, no signal; the nearest was 13:25, RSI 31 of 30.');
  expect(countsText({ last_hour: null, last_day: null }, true)).toBe('');
});

test('ADD-bot-decisions: in a line what may be cut off comes last', () => {
  const said = (last_hour: typeof hour | typeof none, last_day: typeof day | typeof none) =>
    shortCountsText({ last_hour, last_day }, 'ETH/USDT');
  expect(said(hour, day)).toBe('last hour 60 candles, last day 1,440, no signal; the nearest was 13:25, RSI 31 of 30');
  expect(said(hour, busy)).toBe(
    'last hour 60 candles, no signal, last day 1,440, 3 signals, 1 entered; the nearest was 13:25, RSI 31 of 30',
  );
  expect(said({ ...hour, signals: 1 }, busy)).toBe('last hour 60 candles, 1 signal, 0 entered, last day 1,440, 3 signals, 1 entered');
  expect(said(none, { ...none, candles: 24 })).toBe('last hour no candle, last day 24, no signal');
  expect(said(none, none)).toBe('last hour and day no candle');
  expect(said(hour, { ...hour })).toBe('last hour and day 60 candles, no signal; the nearest was 13:25, RSI 31 of 30');
  expect(said(busy, { ...busy })).toBe('last hour and day 1,440 candles, 3 signals, 1 entered');
  expect(shortCountsText({ last_hour: hour, last_day: day }, null)).toContain('the nearest was 13:25 in ETH/USDT, RSI');
  expect(shortCountsText({}, null)).toBe('');
});

test.each([
  [31, 30, 'RSI 31 of 30'],
  [56.8091, 30, 'RSI 56.81 of 30'],
  [82_345.12, 82_345.34, 'RSI 82345.1 of 82345.3'],
  [80_440.9, 80_445, 'RSI 80441 of 80445'], // no digit before the point is lost
  [0.123_456, 0.123_41, 'RSI 0.1235 of 0.1234'],
])('how near %d was to %d is said in as few digits as distinguish them', (value, threshold, text) => {
  expect(nearestText({ ...nearest, value, threshold }, true)).toBe(`the nearest was 13:25, ${text}`);
});
