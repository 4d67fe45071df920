import { expect, test } from 'vitest';
import { aTradeOrder, someTradeOrders } from '../testing/samples/trade-orders.ts';
import { costsOf } from './costs.ts';

test('ADD-trade-orders: slippage, fees, the time to the first attempt and the time it was unknown', () => {
  const costs = costsOf(someTradeOrders());
  expect(costs.averageFill).toBeCloseTo(2060.5584, 4);
  expect(costs.slippage).toBeCloseTo((2060.5584 - 2060.9) * 0.4853, 3);
  expect(costs).toMatchObject({ decidedPrice: 2060.9, decisionToSentMs: 144, unknownMs: 2812, isUnknown: false });
  expect(costs.fees).toBeCloseTo(0.31, 10);
});

test('a short entry that sold lower than decided has lost by it', () => {
  expect(costsOf(someTradeOrders({ orders: [aTradeOrder({ side: 'sell' })] })).slippage).toBeCloseTo(0.16577, 4);
});

test('a fee whose value is not known makes no sum, and an order that is unknown still counts until now', () => {
  const [fill] = aTradeOrder().fills;
  const order = aTradeOrder({
    state: 'unknown',
    fills: fill === undefined ? [] : [{ ...fill, fee_value: null }],
    events: [{ at: '2026-11-21T06:45:00.000Z', state: 'unknown', detail: null }],
  });
  expect(costsOf(someTradeOrders({ time: '2026-11-21T06:45:09.500Z', orders: [order] }))).toMatchObject({
    fees: null,
    unknownMs: 9_500,
    isUnknown: true,
  });
  const both = aTradeOrder({ fills: aTradeOrder().fills.flatMap((each) => [each, { ...each, fee_value: null }]) });
  expect(costsOf(someTradeOrders({ orders: [both] })).fees).toBeNull();
});

test('without an entry nothing is known', () => {
  expect(costsOf(someTradeOrders({ orders: [] }))).toEqual({
    decidedPrice: null,
    averageFill: null,
    slippage: null,
    fees: 0,
    decisionToSentMs: null,
    unknownMs: 0,
    isUnknown: false,
  });
});
