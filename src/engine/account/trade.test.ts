import { expect, test } from 'vitest';
import { aTrade } from './testing/a-trade.ts';
import type { Order } from './order.ts';
import { fillOrder } from './trade.ts';

test('an exit leaves the average of the entries as it is, to the last decimal', () => {
  const trade = aTrade({ amountStep: 1, priceTick: 1e-10 });
  const fills = [
    ['entry', 126_158, 0.0000102032],
    ['entry', 82_373, 0.0000109259],
    ['entry', 218_730, 0.0000106415],
    ['exit', 79_506, 0.0000090365],
    ['exit', 32_049, 0.0000108561],
  ] as const;
  for (const [purpose, amount, price] of fills) {
    const order: Order = {
      id: '1',
      purpose,
      side: purpose === 'entry' ? 'buy' : 'sell',
      type: 'limit',
      price,
      amount,
      tag: null,
      createdTime: 0,
      state: 'open',
      fillPrice: null,
      filledTime: null,
      feeRatio: null,
      liquidity: null,
      fundingFee: 0,
    };
    trade.orders.push(order);
    fillOrder(trade, order, { price, amount, time: 1, feeRatio: 0.001, liquidity: null });
  }
  // Divided again after each exit it would be 3.3360377956822846; freqtrade 2026.9 has this figure.
  expect(trade.stake).toBe(3.336037795682317);
});
