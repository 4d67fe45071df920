import { expect, test } from 'vitest';
import { isWaiting } from './order.ts';
import { anOrder } from './testing/an-order.ts';

test.each([
  ['is open', { state: 'open' }, true],
  ['has ended', { state: 'cancelled', filled: 4, reported: 4 }, false],
  ['has ended, with fills that are reported and still to come', { state: 'cancelled', filled: 3, reported: 4 }, true],
  ['has ended, with more fills than were reported', { state: 'cancelled', filled: 5, reported: 4 }, false],
  ['is open and filled as far as was reported', { state: 'open', filled: 4, reported: 4 }, true],
] as const)('OP-85 whether an order is waited for that %s', (_, given, expected) => {
  expect(isWaiting(anOrder(given))).toBe(expected);
});

test('of a new order nothing is filled, reported or to be cancelled', () => {
  expect(anOrder()).toMatchObject({
    isCancelWanted: false,
    reported: 0,
    fills: [],
    filled: 0,
    baseFee: 0,
    fillPrice: null,
    filledTime: null,
    feeRatio: null,
    liquidity: null,
    fundingFee: 0,
  });
});
