import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Direction } from '../market/direction.ts';
import { openProfitAt, profitAsOf } from './open-profit.ts';
import { aFill, anOrder } from './testing/an-order.ts';
import { aTrade } from './testing/a-trade.ts';
import type { Trade } from './trade.ts';
import { closeTrade, countFill, settleTrade } from './trade.ts';

function fill(trade: Trade, purpose: 'entry' | 'exit', amount: number, price: number, time: number): void {
  const order = anOrder({ id: String(time), purpose, amount, price });
  trade.orders.push(order);
  countFill(trade, order, aFill({ id: String(time), amount, price, time, fee: amount * price * trade.feeClose }), null);
  settleTrade(trade);
}

const free = { feeOpen: 0, feeClose: 0 };

test('OP-70 what a part taken out has earned stays in the profit of the open trade', () => {
  const trade = aTrade(free);
  expect(openProfitAt(trade, 150, 0)).toBe(0);
  fill(trade, 'entry', 1, 100, 1);
  expect(openProfitAt(trade, 150, 2)).toBe(50);
  fill(trade, 'exit', 0.5, 150, 3);
  expect(openProfitAt(trade, 150, 4)).toBe(50);
  expect(openProfitAt(trade, 90, 4)).toBe(20);
  fill(trade, 'exit', 0.5, 90, 5);
  closeTrade(trade, 90, 5);
  expect(trade.profit).toBe(20);
});

test('OP-70 what a part of a short has lost stays in it likewise', () => {
  const trade = aTrade({ ...free, direction: 'short', marketType: 'futures', leverage: 2 });
  fill(trade, 'entry', 1, 100, 1);
  fill(trade, 'exit', 0.4, 150, 2);
  expect(openProfitAt(trade, 150, 3)).toBe(-50);
  expect(openProfitAt(trade, 100, 3)).toBe(-20);
});

test('OP-70 funding counts once: an exit has carried what was paid before it', () => {
  const trade = aTrade({ ...free, marketType: 'futures' });
  fill(trade, 'entry', 1, 100, 1);
  trade.fundingRunning = -3;
  trade.fundingFees = -3;
  expect(openProfitAt(trade, 100, 2)).toBe(-3);
  fill(trade, 'exit', 0.5, 100, 3);
  expect(openProfitAt(trade, 100, 3)).toBe(-3);
  // Paid since, by the half that is left; an entry that follows takes it over.
  trade.fundingRunning = -1;
  trade.fundingFees = -4;
  expect(openProfitAt(trade, 100, 4)).toBe(-4);
  fill(trade, 'entry', 1, 100, 5);
  expect(openProfitAt(trade, 100, 5)).toBe(-4);
});

test('OP-70 a fill at the price of now moves the profit by its fee alone, whatever came before it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<Direction>('long', 'short'),
      fc.array(fc.record({ isEntry: fc.boolean(), steps: fc.integer({ min: 1, max: 50 }), price: fc.integer({ min: 50, max: 200 }) }), {
        maxLength: 8,
      }),
      (direction, moves) => {
        const trade = aTrade({ direction, marketType: 'futures', priceTick: 1e-10 });
        fill(trade, 'entry', 1, 100, 1);
        let held = 100; // of 0.01
        for (const [i, { isEntry, steps, price }] of moves.entries()) {
          if (!isEntry && steps >= held) continue;
          held += isEntry ? steps : -steps;
          const before = openProfitAt(trade, price, i);
          fill(trade, isEntry ? 'entry' : 'exit', steps / 100, price, i + 2);
          // What leaves is valued with its fee already; what enters will pay one to leave as well.
          const fees = isEntry ? 2 * 0.001 * (steps / 100) * price : 0;
          expect(openProfitAt(trade, price, i)).toBeCloseTo(before - fees, 5);
        }
      },
    ),
  );
});

test('OP-51 the profit as of a moment is that of the fills until then', () => {
  const trade = aTrade(free);
  fill(trade, 'entry', 1, 100, 10);
  fill(trade, 'exit', 0.5, 150, 20);
  fill(trade, 'entry', 0.5, 120, 30);
  expect(profitAsOf(trade)(170, 9)).toBe(0);
  expect(profitAsOf(trade)(110, 10)).toBe(10);
  expect(profitAsOf(trade)(110, 20)).toBe(25 + 5);
  expect(profitAsOf(trade)(110, 30)).toBe(25 + 5 - 5);
  fill(trade, 'exit', 1, 100, 40);
  closeTrade(trade, 100, 40);
  expect(profitAsOf(trade)(110, 20)).toBe(25 + 5);
  expect(profitAsOf(trade)(110, 39)).toBe(25 + 5 - 5);
  expect(profitAsOf(trade)(170, 40)).toBe(25 + 0 - 10);
  expect(trade.amount).toBe(1); // read, not changed
});

test('OP-51 an order that came in several fills counts with those until then', () => {
  const trade = aTrade(free);
  const order = (
    purpose: 'entry' | 'exit',
    id: string,
    fills: readonly (readonly [amount: number, price: number, time: number])[],
  ): void => {
    const made = anOrder({ id, purpose, amount: 2, price: 100 });
    trade.orders.push(made);
    for (const [amount, price, time] of fills) countFill(trade, made, aFill({ id: `${id} ${time}`, amount, price, time, fee: 0 }), null);
    settleTrade(trade);
  };
  order('entry', '1', [
    [1.5, 100, 10],
    [0.5, 100, 30],
  ]);
  order('exit', '2', [
    [1, 150, 40],
    [0.5, 90, 60],
  ]);
  const profit = profitAsOf(trade);
  expect([profit(150, 20), profit(150, 30), profit(90, 40), profit(90, 60), profit(150, 20)]).toEqual([75, 100, 40, 40, 75]);
});

test('OP-70 where all is sold while an entry still stands, what it has brought is the profit', () => {
  const trade = aTrade(free);
  fill(trade, 'entry', 1, 100, 1);
  fill(trade, 'exit', 1, 50, 2);
  trade.amount = 0; // as while its entry is being cancelled
  expect(openProfitAt(trade, 70, 3)).toBe(-50);
});
