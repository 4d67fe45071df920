import { expect, test } from 'vitest';
import { worstCase } from './worst-case.ts';

const bot = { stake: 100, slots: 3, symbols: 5, stoploss: -0.1, marginMode: null };

test.each([
  ['on spot all stakes can be lost, at the stops a tenth of them', {}, { trades: 3, atStops: 30, whole: 300 }],
  ['there are no more trades than symbols', { symbols: 2 }, { trades: 2, atStops: 20, whole: 200 }],
  ['an isolated position loses no more than its margin', { marginMode: 'isolated' }, { trades: 3, atStops: 30, whole: 300 }],
  ['with cross margin the account is lost', { marginMode: 'cross' }, { trades: 3, atStops: 30, whole: null }],
  ['a stop beyond the stake is never reached', { stoploss: -99 }, { trades: 3, atStops: 300, whole: 300 }],
] as const)('%s', (_, changes, expected) => {
  expect(worstCase({ ...bot, ...changes })).toEqual(expected);
});
