import { expect, test } from 'vitest';
import { formatDuration, formatMoment, formatTimeOfDay } from './moment.ts';
import { formatOptionalRatio, formatRatio, formatSignedRatio } from './ratio.ts';
import { venueNote } from './venue.ts';

test('CONST-02, OP-67, OP-69 a fraction is shown as per cent with the decimals of its screen', () => {
  expect(formatRatio(0.5325)).toBe('53.3%');
  expect(formatRatio(0.5325, 2)).toBe('53.25%');
  expect(formatRatio(0)).toBe('0.0%');
  expect(formatRatio(1)).toBe('100.0%');
});

test('OP-71 a confidence is per cent with one decimal, N/A when there is none', () => {
  expect(formatOptionalRatio(0.715)).toBe('71.5%');
  expect(formatOptionalRatio(null)).toBe('N/A');
});

test('OP-69 moments are shown in UTC', () => {
  expect(formatMoment('2026-11-20T23:59:59.999Z')).toBe('2026-11-20 23:59:59');
  expect(formatMoment(0)).toBe('1970-01-01 00:00:00');
  expect(formatTimeOfDay('2026-11-20T23:59:59Z')).toBe('23:59:59');
});

test('a length of time is written in its two largest units', () => {
  const rows: [number, string][] = [
    [-5, '0s'],
    [999, '0s'],
    [59_000, '59s'],
    [61_000, '1m 1s'],
    [3_600_000, '1h 0m'],
    [97_200_000, '1d 3h'],
  ];
  for (const [ms, text] of rows) expect(formatDuration(ms)).toBe(text);
});

test('simulated markets and test networks are named', () => {
  expect([venueNote('sandbox'), venueNote('kraken_testnet'), venueNote('binance'), venueNote(undefined)]).toEqual([
    'simulated market',
    'test network',
    null,
    null,
  ]);
});

test('a gain or loss has its sign, and no minus before nothing', () => {
  expect([0.041, -0.1703, 0, -0.00004].map((fraction) => formatSignedRatio(fraction))).toEqual(['+4.10%', '-17.03%', '0.00%', '0.00%']);
});
