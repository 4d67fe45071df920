import { expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { aFill, anOrder } from '../account/testing/an-order.ts';
import type { Order } from '../account/order.ts';
import { followPlan } from './position-plan.ts';

const plan = followPlan({ addMore: { distance: 0.01, stake: 0.5, most: 1 }, takeOut: [] });
const entry = anOrder({ purpose: 'entry', amount: 1, filled: 1, state: 'filled' });
const asked = (...orders: Order[]) =>
  plan({ trade: aTrade({ orders: [entry, ...orders] }), time: 0, price: 1, profitRatio: -0.5, minStake: 0, maxStake: 1_000 });

test('what is added is a part of what the first entry has tied up: with leverage not of what it has bought', () => {
  const first = anOrder({
    purpose: 'entry',
    amount: 10,
    filled: 10,
    fillPrice: 100,
    state: 'filled',
    fills: [aFill({ price: 100, amount: 10 })],
  });
  const trade = aTrade({ marketType: 'futures', leverage: 10, stake: 180, orders: [first] });
  expect(plan({ trade, time: 0, price: 1, profitRatio: -0.5, minStake: 0, maxStake: 1_000 })).toEqual({ stake: 50, tag: 'add-1' });
});

test('a price moves against a long when it falls, and against a short when it rises', () => {
  const at = (direction: 'long' | 'short', price: number) => {
    const trade = aTrade({ direction, marketType: 'futures', openRate: 100, orders: [entry] });
    return plan({ trade, time: 0, price, profitRatio: 0, minStake: 0, maxStake: 1_000 }) !== null;
  };
  expect([99.01, 99, 101].map((price) => at('long', price))).toEqual([false, true, false]);
  expect([99, 100.99, 101].map((price) => at('short', price))).toEqual([false, false, true]);
});

test('a part whose order was refused or has run out of time is taken out again; one that was sold is not', () => {
  const takeOut = followPlan({ addMore: null, takeOut: [{ profit: 0.1, part: 0.5 }] });
  const after = (part: Partial<Order>) => {
    const order = anOrder({ purpose: 'exit', tag: 'take-out-1', ...part });
    return takeOut({
      trade: aTrade({ stake: 100, orders: [entry, order] }),
      time: 0,
      price: 1,
      profitRatio: 0.2,
      minStake: 0,
      maxStake: 1_000,
    });
  };
  expect(after({ state: 'refused', filled: 0 })).toEqual({ stake: -50, tag: 'take-out-1' });
  expect(after({ state: 'cancelled', filled: 0 })).toEqual({ stake: -50, tag: 'take-out-1' });
  expect(after({ state: 'cancelled', filled: 1 })).toBeNull();
  expect(after({ state: 'filled', filled: 5 })).toBeNull();
});

test('a stop that stands at the exchange keeps no plan from being followed, and any other order that waits does', () => {
  expect(asked()).toMatchObject({ tag: 'add-1' });
  expect(asked(anOrder({ purpose: 'exit', type: 'stop', state: 'open', filled: 0 }))).toMatchObject({ tag: 'add-1' });
  expect(asked(anOrder({ purpose: 'exit', type: 'stop', state: 'open', filled: 0.2 }))).toBeNull();
  expect(asked(anOrder({ purpose: 'exit', type: 'limit', state: 'open', filled: 0 }))).toBeNull();
});
