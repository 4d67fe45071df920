import { describe, expect, test } from 'vitest';
import { coin } from './money.ts';
import { isTriggered, reaches } from './taking.ts';

const price = (units: number): bigint => BigInt(units) * coin;

describe('which price sets off a stop at 100', () => {
  test.each([
    ['SELL', 'STOP_LOSS', [99, 100]],
    ['SELL', 'STOP_LOSS_LIMIT', [99, 100]],
    ['SELL', 'TAKE_PROFIT', [100, 101]],
    ['SELL', 'TAKE_PROFIT_LIMIT', [100, 101]],
    ['BUY', 'STOP_LOSS', [100, 101]],
    ['BUY', 'STOP_LOSS_LIMIT', [100, 101]],
    ['BUY', 'TAKE_PROFIT', [99, 100]],
    ['BUY', 'TAKE_PROFIT_LIMIT', [99, 100]],
  ] as const)('%s %s', (side, type, expected) => {
    expect([99, 100, 101].filter((units) => isTriggered({ side, type, stopPrice: price(100) }, price(units)))).toEqual(expected);
  });
});

test('a limit order is content with its own price and with better ones', () => {
  expect([99, 100, 101].filter((units) => reaches({ side: 'BUY', price: price(100) }, price(units)))).toEqual([99, 100]);
  expect([99, 100, 101].filter((units) => reaches({ side: 'SELL', price: price(100) }, price(units)))).toEqual([100, 101]);
});
