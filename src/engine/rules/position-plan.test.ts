import { expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { anOrder } from '../account/testing/an-order.ts';
import type { Order } from '../account/order.ts';
import { followPlan } from './position-plan.ts';

const plan = followPlan({ addMore: { distance: 0.01, stake: 0.5, most: 1 }, takeOut: [] });
const entry = anOrder({ purpose: 'entry', amount: 1, filled: 1, state: 'filled' });
const asked = (...orders: Order[]) =>
  plan({ trade: aTrade({ orders: [entry, ...orders] }), time: 0, price: 1, profitRatio: -0.5, minStake: 0, maxStake: 1_000 });

test('a stop that stands at the exchange keeps no plan from being followed, and any other order that waits does', () => {
  expect(asked()).toMatchObject({ tag: 'add-1' });
  expect(asked(anOrder({ purpose: 'exit', type: 'stop', state: 'open', filled: 0 }))).toMatchObject({ tag: 'add-1' });
  expect(asked(anOrder({ purpose: 'exit', type: 'stop', state: 'open', filled: 0.2 }))).toBeNull();
  expect(asked(anOrder({ purpose: 'exit', type: 'limit', state: 'open', filled: 0 }))).toBeNull();
});
