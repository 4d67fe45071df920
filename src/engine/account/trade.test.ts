import { expect, test } from 'vitest';
import { aTrade } from './testing/a-trade.ts';
import { simulatedFill } from './fill.ts';
import { aFill, anOrder } from './testing/an-order.ts';
import { closeTrade, countFill, settleTrade } from './trade.ts';

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
    const order = anOrder({ purpose, price, amount });
    trade.orders.push(order);
    countFill(trade, order, simulatedFill(trade.symbol, { price, amount, time: 1, feeRatio: 0.001, liquidity: null }), 0.001);
    settleTrade(trade);
  }
  // Divided again after each exit it would be 3.3360377956822846; freqtrade 2026.9 has this figure.
  expect(trade.stake).toBe(3.336037795682317);
});

test('fees of mixed entries: each exit bears the share of the entries before it, and all together bear every fee once', () => {
  const trade = aTrade({ amountStep: 0.001 });
  // 100 at 0.1 %, 300 at 0.3 %: together 400 for 1, which is 0.25 %.
  const orders = [
    [anOrder({ id: '1', amount: 1, price: 100 }), aFill({ amount: 1, price: 100, fee: 0.1 })],
    [anOrder({ id: '2', amount: 3, price: 100 }), aFill({ amount: 3, price: 100, fee: 0.9 })],
    [anOrder({ id: '3', purpose: 'exit', amount: 2, price: 110 }), aFill({ amount: 2, price: 110, fee: 0.22, time: 2 })],
  ] as const;
  for (const [order, fill] of orders) {
    trade.orders.push(order);
    countFill(trade, order, fill, null);
    settleTrade(trade);
  }
  expect(trade.feeOpen).toBe(0.0025);
  expect(trade.realizedProfit).toBeCloseTo(2 * 110 - 0.22 - (200 + 0.5), 10);
  const last = anOrder({ id: '4', purpose: 'exit', amount: 2, price: 90 });
  trade.orders.push(last);
  countFill(trade, last, aFill({ amount: 2, price: 90, fee: 0.18, time: 3 }), null);
  closeTrade(trade, 90, 3);
  expect(trade.profit).toBeCloseTo(220 + 180 - 400 - (0.1 + 0.9 + 0.22 + 0.18), 10);
});

test('the fees of the entries after an exit are not in that exit', () => {
  const trade = aTrade({ amountStep: 0.001 });
  const fills = [
    [anOrder({ id: '1', amount: 2 }), aFill({ amount: 2, fee: 0.2 })],
    [anOrder({ id: '2', purpose: 'exit', amount: 1 }), aFill({ amount: 1, fee: 0.1 })],
    [anOrder({ id: '3', amount: 1 }), aFill({ amount: 1, fee: 5 })],
  ] as const;
  for (const [order, fill] of fills) {
    trade.orders.push(order);
    countFill(trade, order, fill, null);
  }
  settleTrade(trade);
  expect(trade.realizedProfit).toBeCloseTo(-0.2, 10);
});
