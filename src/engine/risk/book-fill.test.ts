import { describe, expect, test } from 'vitest';
import { aFill, anOrder } from '../account/testing/an-order.ts';
import { aTrade } from '../account/testing/a-trade.ts';
import type { Order } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import { sellableAmount, settleTrade } from '../account/trade.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import type { Booking } from './book-fill.ts';
import { bookFill } from './book-fill.ts';
import { parityQuirks, withoutQuirks } from './quirks.ts';

/** How fills are booked here, and a record of what was called for, with what was held and realized then. */
function booking(given: Partial<Booking> = {}) {
  const calls: unknown[] = [];
  const note = (name: string, trade: Trade) => calls.push([name, trade.amount, trade.isOpen]);
  const how: Booking = {
    settings: requireSettings({ stakeAmount: 1000, maxOpenTrades: 1, stoploss: -0.1 }),
    callbacks: { orderFilled: ({ trade, time }) => void calls.push(['orderFilled', trade.amount, time]) },
    quirks: parityQuirks,
    feeRatio: null,
    customStopPrice: 100,
    settlesExitLast: false,
    leavesNothing: (trade) => sellableAmount(trade) === 0,
    updateFunding: (trade) => note('updateFunding', trade),
    setLiquidations: (trade) => note('setLiquidations', trade),
    beforeClose: (trade) => note('beforeClose', trade),
    ...given,
  };
  return { how, calls };
}

function withOrder(trade: Trade, given: Partial<Order>): Order {
  const order = anOrder(given);
  trade.orders.push(order);
  return order;
}

/** Ten coins bought at 100. */
function held(given: Partial<Trade> = {}): Trade {
  const trade = aTrade({ stop: 0, minRate: 1, maxRate: 1, ...given });
  bookFill(trade, withOrder(trade, { id: 'e', state: 'filled' }), aFill({ id: 'e', time: 5 }), booking().how);
  return trade;
}

describe('OP-85 a first entry', () => {
  test('is settled, sets the stop, and asks the strategy once it is filled in whole', () => {
    const trade = aTrade({ minRate: 1, maxRate: 500, isStopTrailing: true });
    const { how, calls } = booking();
    expect(bookFill(trade, withOrder(trade, { state: 'filled' }), aFill({ time: 5 }), how)).toBe('held');
    expect(trade).toMatchObject({ amount: 10, stop: 90, initialStop: 90, isStopTrailing: false, minRate: 100, maxRate: 100, openTime: 0 });
    expect(calls).toEqual([
      ['updateFunding', 10, true],
      ['orderFilled', 10, 5],
      ['setLiquidations', 10, true],
    ]);
  });

  test('does not ask the strategy while more is to come', () => {
    const trade = aTrade();
    const { how, calls } = booking();
    bookFill(trade, withOrder(trade, { state: 'open' }), aFill({ amount: 4 }), how);
    expect(calls.flat()).not.toContain('orderFilled');
  });

  test('in parts moves its stop with the average both ways, until the stop trails; lowest and highest price stay', () => {
    const trade = aTrade();
    const order = withOrder(trade, { state: 'open' });
    bookFill(trade, order, aFill({ id: 'a', amount: 5, price: 100 }), booking().how);
    bookFill(trade, order, aFill({ id: 'b', amount: 5, price: 80, time: 2 }), booking().how);
    expect(trade).toMatchObject({ openRate: 90, stop: 81, initialStop: 81, isStopTrailing: false, minRate: 100, maxRate: 100 });
    Object.assign(trade, { stop: 85, isStopTrailing: true });
    bookFill(trade, order, aFill({ id: 'c', amount: 5, price: 60, time: 3 }), booking().how);
    expect(trade).toMatchObject({ openRate: 80, stop: 85, initialStop: 81, isStopTrailing: true });
  });

  test('tradeOpensWhenOrdered the trade opened with its order; without it with the first fill', () => {
    const quirks = withoutQuirks(['tradeOpensWhenOrdered']);
    const [ordered, filled] = [aTrade(), aTrade()];
    bookFill(ordered, withOrder(ordered, {}), aFill({ time: 5 }), booking().how);
    const order = withOrder(filled, { state: 'open' });
    bookFill(filled, order, aFill({ id: 'a', time: 5, amount: 5 }), booking({ quirks }).how);
    bookFill(filled, order, aFill({ id: 'b', time: 9, amount: 5 }), booking({ quirks }).how);
    expect([ordered.openTime, filled.openTime]).toEqual([0, 5]);
    const further = held();
    bookFill(further, withOrder(further, { id: 'f' }), aFill({ id: 'f', time: 9 }), booking({ quirks }).how);
    expect(further.openTime).toBe(0);
  });

  test('takes the configured fee of a simulated fill to the last digit', () => {
    const simulated = aTrade();
    bookFill(simulated, withOrder(simulated, {}), aFill({ fee: 0.750001, feeInQuote: 0.750001 }), booking({ feeRatio: 0.00075 }).how);
    expect(simulated.feeOpen).toBe(0.00075);
  });
});

test('a further entry tightens the stop to the new average, and keeps the lowest and the highest price', () => {
  const trade = held();
  Object.assign(trade, { minRate: 95, maxRate: 125 });
  bookFill(trade, withOrder(trade, { id: 'f', state: 'filled' }), aFill({ id: 'f', price: 120 }), booking().how);
  expect(trade).toMatchObject({ amount: 20, openRate: 110, stop: 99, initialStop: 90, isStopTrailing: true, minRate: 95, maxRate: 125 });
});

test('a fill needs nobody that is asked or called', () => {
  const { how } = booking({ callbacks: {} });
  delete how.updateFunding;
  delete how.beforeClose;
  const trade = aTrade();
  expect(bookFill(trade, withOrder(trade, { state: 'filled' }), aFill(), how)).toBe('held');
  expect(bookFill(trade, withOrder(trade, { id: 'x', purpose: 'exit', state: 'filled' }), aFill({ id: 'x' }), how)).toBe('closed');
});

test('a fill that is known already changes nothing', () => {
  const trade = held();
  const before = structuredClone(trade);
  const { how, calls } = booking();
  expect(bookFill(trade, trade.orders[0], aFill({ id: 'e', time: 5 }), how)).toBe('known');
  expect([trade, calls]).toEqual([before, []]);
});

test('the strategy sets its own stop after a fill, measured from the price it is measured from', () => {
  const trade = aTrade();
  const callbacks = { stopAfterFill: true, customStop: () => -0.05 };
  bookFill(trade, withOrder(trade, {}), aFill(), booking({ callbacks, customStopPrice: 110 }).how);
  expect(trade.stop).toBe(104.5);
});

describe('OP-85 an exit', () => {
  test('of a part is settled, and the trade is held', () => {
    const trade = held();
    const { how, calls } = booking();
    const exit = withOrder(trade, { id: 'x', purpose: 'exit', state: 'filled' });
    expect(bookFill(trade, exit, aFill({ id: 'x', amount: 4, price: 110, time: 9 }), how)).toBe('held');
    expect(trade).toMatchObject({ amount: 6, isOpen: true, stop: 90 });
    expect(trade.realizedProfit).toBeCloseTo(4 * 110 - 1 - 400.4, 8);
    expect(calls).toEqual([
      ['updateFunding', 6, true],
      ['orderFilled', 6, 9],
      ['setLiquidations', 6, true],
    ]);
  });

  test('that is settled last counts funding and liquidation by what was held until it, and keeps the running funding', () => {
    const trade = held({ marketType: 'futures' });
    const { how, calls } = booking({ settlesExitLast: true, updateFunding: (of) => void (of.fundingRunning = 7) });
    const exit = withOrder(trade, { id: 'x', purpose: 'exit', state: 'filled' });
    bookFill(trade, exit, aFill({ id: 'x', amount: 4, price: 110, time: 9 }), how);
    expect(calls).toEqual([
      ['orderFilled', 10, 9],
      ['setLiquidations', 10, true],
    ]);
    expect(trade).toMatchObject({ amount: 6, fundingRunning: 7, fundingFees: 7 });
  });

  test('an entry is settled at once in any case', () => {
    const trade = held();
    trade.fundingRunning = 3;
    const { how, calls } = booking({ settlesExitLast: true });
    bookFill(trade, withOrder(trade, { id: 'f', state: 'filled' }), aFill({ id: 'f' }), how);
    expect(calls[0]).toEqual(['updateFunding', 20, true]);
    settleTrade(trade);
    expect(trade.fundingFees).toBe(3);
  });

  test('of everything closes the trade at its average price and last fill, after all has been asked', () => {
    const trade = held();
    const exit = withOrder(trade, { id: 'x', purpose: 'exit', state: 'open' });
    const first = booking();
    expect(bookFill(trade, exit, aFill({ id: 'x', amount: 5, price: 110, time: 9 }), first.how)).toBe('held');
    exit.state = 'filled';
    const { how, calls } = booking();
    expect(bookFill(trade, exit, aFill({ id: 'y', amount: 5, price: 120, time: 8 }), how)).toBe('closed');
    expect(trade).toMatchObject({ isOpen: false, closeRate: 115, closeTime: 9 });
    expect(calls).toEqual([
      ['orderFilled', 5, 8],
      ['beforeClose', 5, true],
    ]);
  });

  test('of everything by an order that has not ended does not ask the strategy', () => {
    const trade = held();
    const { how, calls } = booking();
    expect(bookFill(trade, withOrder(trade, { id: 'x', purpose: 'exit', amount: 20 }), aFill({ id: 'x' }), how)).toBe('closed');
    expect(calls).toEqual([['beforeClose', 10, true]]);
  });
});
