import { adoptNeedsLess } from '#contract/differences.ts';
import type { FoundDifference } from '#storage/differences/found-differences.ts';
import { describe, expect, test } from 'vitest';
import { choicesOf, holdingOf } from './difference-choices.ts';

/** A difference of a bot without a trade, on perpetuals; these orders of it are without a record. */
function difference(expected: number, actual: number, unrecorded: FoundDifference['unrecorded']): FoundDifference {
  return {
    id: 'one',
    botId: 'bot',
    nickname: 'Momentum',
    exchangeId: 'sandbox',
    marketType: 'futures',
    apiKeyId: 'key',
    ownerId: 'owner',
    ownerEmail: 'owner@example.com',
    symbol: 'BTC/USDT:USDT',
    expected,
    actual,
    ignored: 0,
    isStopped: false,
    foundAt: new Date(0),
    endedAt: null,
    outcome: null,
    isDone: false,
    tradeId: null,
    tradeDirection: null,
    tradeAmount: null,
    lacksForOther: false,
    waits: false,
    step: 0.001,
    isStale: false,
    unrecorded,
  };
}
const adopting = (found: FoundDifference) => choicesOf(found).find(({ how }) => how === 'adopt');

describe('what a bot takes over of what its orders without a record have bought', () => {
  test.each([
    ['long', 1],
    ['short', -1],
  ] as const)('is no more than is there, with its part of the fees: of a %s', (direction, sign) => {
    const found = difference(0, sign * 0.5, [{ net: sign * 2, price: 100, fee: 0.4 }]);
    expect(holdingOf(found)).toEqual({ direction, amount: 0.5, price: 100, fee: 0.1 });
    expect(adopting(found)).toMatchObject({ may: true, text: expect.stringMatching(/^0\.5 BTC that orders/u) as unknown });
  });

  test('is no more than the account holds beyond the trades of others', () => {
    const found = difference(3, 4, [{ net: 2, price: 100, fee: 0.4 }]);
    expect(holdingOf(found)).toEqual({ direction: 'long', amount: 1, price: 100, fee: 0.2 });
  });

  test('is all of it, and no more, where the account holds more than that', () => {
    const found = difference(0, 5, [{ net: 2, price: 100, fee: 0.4 }]);
    expect(holdingOf(found)).toEqual({ direction: 'long', amount: 2, price: 100, fee: 0.4 });
  });

  test.each([
    ['bought', 2, 1, 1],
    ['bought', 0, -1, 1],
    ['sold', -2, -1, -1],
    ['bought', 1, 1, 1],
  ])('is nothing of what was %s where of %d the account holds %d: that is missing', (_, expected, actual, net) => {
    const found = difference(expected, actual, [{ net, price: 100, fee: 0.1 }]);
    expect(holdingOf(found)).toBeNull();
    expect(adopting(found)).toEqual({ how: 'adopt', may: false, text: adoptNeedsLess });
  });

  test.each([
    ['long', 1],
    ['short', -1],
  ] as const)('has of an order that turns a position round the price and the fee of what is left: a %s', (direction, sign) => {
    const found = difference(0, sign * 2, [
      { net: sign * -1, price: 90, fee: 0.1 },
      { net: sign * 3, price: 100, fee: 0.3 },
    ]);
    expect(holdingOf(found)).toEqual({ direction, amount: 2, price: 100, fee: 0.2 });
  });
});
