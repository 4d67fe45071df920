import { expect, test } from 'vitest';
import type { Difference } from '../live/use-differences.ts';
import { differenceText, excessText } from './amount-text.ts';

const of = (expected: number, actual: number): Difference => ({ symbol: 'BTC/USDT:USDT', expected, actual }) as Difference;

test.each([
  ['a long that is smaller', 1, 0.6, 'Binance holds 0.4 BTC less than the trades say.', '-0.4 BTC'],
  ['a long that is larger', 1, 1.4, 'Binance holds 0.4 BTC more than the trades say.', '+0.4 BTC'],
  ['a short that is smaller', -1, -0.6, 'Binance holds 0.4 BTC less than the trades say.', '+0.4 BTC'],
  ['a short that is larger', -1, -1.4, 'Binance holds 0.4 BTC more than the trades say.', '-0.4 BTC'],
  ['a long that has become a short', 1, -2, 'Binance holds 3 BTC less than the trades say.', '-3 BTC'],
  ['a short that has become a long', -1, 2, 'Binance holds 3 BTC less than the trades say.', '+3 BTC'],
  ['a short that nobody knows', 0, -2, 'Binance holds 2 BTC short, and no trade says so.', '-2 BTC'],
])('%s is said so', (_name, expected, actual, text, excess) => {
  expect(differenceText(of(expected, actual), 'Binance')).toContain(text);
  expect(excessText(of(expected, actual))).toBe(excess);
});
