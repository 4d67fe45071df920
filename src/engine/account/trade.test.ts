import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aTrade } from './testing/a-trade.ts';
import { simulatedFill } from './fill.ts';
import { aFill, anOrder } from './testing/an-order.ts';
import {
  closeTrade,
  countFill,
  dropOrder,
  filledEntries,
  firstFillTime,
  hasOpenOrders,
  heldByOrders,
  lastFillTime,
  minutesOpen,
  openOrder,
  sellableAmount,
  settleInDecimals,
  settleRoundTrip,
  settleTrade,
} from './trade.ts';

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

test('fees of mixed entries with an exit between them: what has been left took its part of the fees along, and each fee counts once', () => {
  const trade = aTrade({ amountStep: 0.001 });
  // 200 at 0.1 %, half of it left, 100 more at 0.3 %: what is held has cost 200 with fees of 0.4.
  const orders = [
    [anOrder({ id: '1', amount: 2, price: 100 }), aFill({ amount: 2, price: 100, fee: 0.2 })],
    [anOrder({ id: '2', purpose: 'exit', amount: 1, price: 110 }), aFill({ amount: 1, price: 110, fee: 0.11, time: 2 })],
    [anOrder({ id: '3', amount: 1, price: 100 }), aFill({ amount: 1, price: 100, fee: 0.3, time: 3 })],
  ] as const;
  for (const [order, fill] of orders) {
    trade.orders.push(order);
    countFill(trade, order, fill, null);
    settleTrade(trade);
  }
  expect(trade.realizedProfit).toBe(9.79); // 110 - 0.11 - (100 + 0.1)
  expect(trade.feeOpen).toBeCloseTo(0.002, 15);
  const last = anOrder({ id: '4', purpose: 'exit', amount: 2, price: 90 });
  trade.orders.push(last);
  countFill(trade, last, aFill({ amount: 2, price: 90, fee: 0.18, time: 4 }), null);
  closeTrade(trade, 90, 4);
  expect(trade.profit).toBeCloseTo(110 + 180 - 300 - (0.2 + 0.11 + 0.3 + 0.18), 10);
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

describe('the orders of a trade', () => {
  const done = { state: 'filled' } as const;
  const entry = anOrder({ id: '1', ...done, filled: 3, baseFee: 0.0015, filledTime: 5 });
  const unfilled = anOrder({ id: '2', state: 'cancelled' });
  const exit = anOrder({ id: '3', purpose: 'exit', ...done, filled: 1, filledTime: 9 });
  const late = anOrder({ id: '4', ...done, filled: 1, filledTime: 7 });

  test('one that waits is found by its purpose', () => {
    const [waiting, leaving] = [anOrder({ id: '5' }), anOrder({ id: '6', purpose: 'exit' })];
    const trade = aTrade({ orders: [entry, waiting, leaving] });
    expect([openOrder(trade, 'entry'), openOrder(trade, 'exit')]).toEqual([waiting, leaving]);
    expect(hasOpenOrders(trade)).toBe(true);
    const ended = aTrade({ orders: [entry, unfilled, exit] });
    expect([openOrder(ended, 'entry'), openOrder(ended, 'exit'), hasOpenOrders(ended)]).toEqual([null, null, false]);
  });

  test('what is held is what the entries have brought less what the exits have taken', () => {
    const trade = aTrade({ orders: [entry, unfilled, exit, late], amountStep: 0.01 });
    expect(filledEntries(trade)).toBe(2);
    expect(heldByOrders(trade)).toBeCloseTo(2.9985, 12);
    expect(sellableAmount(trade)).toBe(2.99);
    expect(sellableAmount(aTrade({ orders: [exit] }))).toBe(0);
    expect(heldByOrders(aTrade({ orders: [exit] }))).toBe(-1);
    expect([sellableAmount(aTrade()), heldByOrders(aTrade()), filledEntries(aTrade())]).toEqual([0, 0, 0]);
  });

  test('the last fill is the latest, the first is that of the first order with one; before any both are the opening', () => {
    const trade = aTrade({ openTime: 2, orders: [unfilled, entry, exit, late] });
    expect([firstFillTime(trade), lastFillTime(trade)]).toEqual([5, 9]);
    const waiting = aTrade({ openTime: 2, orders: [unfilled] });
    expect([firstFillTime(waiting), lastFillTime(waiting)]).toEqual([2, 2]);
  });

  test('a trade is open for whole minutes', () => {
    const trade = aTrade({ openTime: 60_000 });
    expect([minutesOpen(trade, 60_000), minutesOpen(trade, 179_999), minutesOpen(trade, 180_000)]).toEqual([0, 1, 2]);
  });

  test('an order that is dropped is cancelled, and the others stay', () => {
    const [one, two, three] = ['1', '2', '3'].map((id) => anOrder({ id }));
    const trade = aTrade({ orders: [one, two, three] });
    dropOrder(trade, two);
    expect(two.state).toBe('cancelled');
    expect(trade.orders).toEqual([one, three]);
  });

  test('a fill takes the running funding with it, and the price of an entry becomes that of the trade', () => {
    const order = anOrder();
    const trade = aTrade({ orders: [order], fundingRunning: 3, openRate: 90 });
    expect(countFill(trade, order, aFill({ price: 101 }), null)).toBe(true);
    expect([order.fundingFee, trade.fundingRunning, trade.openRate]).toEqual([3, 0, 101]);
    trade.fundingRunning = 2;
    expect(countFill(trade, order, aFill({ price: 101 }), null)).toBe(false);
    expect([order.fundingFee, trade.fundingRunning]).toEqual([3, 2]);
    const leaving = anOrder({ id: '2', purpose: 'exit' });
    countFill(trade, leaving, aFill({ price: 120 }), null);
    expect(trade.openRate).toBe(101);
  });
});

describe('a settled trade', () => {
  const traded = (
    given: Parameters<typeof aTrade>[0],
    rows: readonly (readonly [purpose: 'entry' | 'exit', amount: number, price: number, funding?: number])[],
  ) => {
    const trade = aTrade({ amountStep: 0.001, ...given });
    rows.forEach(([purpose, amount, price, funding = 0], i) => {
      const order = anOrder({ id: `${i}`, purpose, amount, price, state: 'filled' });
      trade.orders.push(order);
      trade.fundingRunning = funding;
      countFill(trade, order, simulatedFill(trade.symbol, { price, amount, time: i + 1, feeRatio: 0.001, liquidity: null }), 0.001);
    });
    return trade;
  };

  test('notes stake, average, value and the sum of all entries over the leverage', () => {
    const trade = traded({ leverage: 2 }, [
      ['entry', 1, 100],
      ['entry', 1, 110],
      ['exit', 1, 120],
    ]);
    settleTrade(trade);
    expect(trade).toMatchObject({ amount: 1, openRate: 105, stake: 52.5, stakeMax: 105, openValue: 105.105, feeOpen: 0.001 });
    expect(trade.realizedProfit).toBeCloseTo(120 - 0.12 - 105.105, 8);
  });

  test('of a short gains when the price falls', () => {
    const trade = traded({ direction: 'short', marketType: 'futures' }, [
      ['entry', 1, 100],
      ['exit', 1, 90],
    ]);
    closeTrade(trade, 90, 7);
    expect(trade.profit).toBeCloseTo(100 - 0.1 - 90 - 0.09, 8);
    expect(trade.profitRatio).toBeCloseTo(9.81 / 99.9, 8);
    expect(trade).toMatchObject({ isOpen: false, closeRate: 90, closeTime: 7 });
  });

  test('a ratio is on the stake: twice the leverage is twice the ratio, and nothing paid is a ratio of 0', () => {
    const rows = [
      ['entry', 1, 100],
      ['exit', 1, 110],
    ] as const;
    const [one, two] = [traded({ marketType: 'futures' }, rows), traded({ marketType: 'futures', leverage: 2 }, rows)];
    closeTrade(one, 110, 7);
    closeTrade(two, 110, 7);
    expect(two.profitRatio).toBeCloseTo(2 * (one.profitRatio ?? 0), 12);
    const none = aTrade();
    closeTrade(none, 110, 7);
    expect([none.profit, none.profitRatio]).toEqual([0, 0]);
  });

  test('each exit carries the funding since the exit before it, and all of it is in the sum', () => {
    const trade = traded({ marketType: 'futures' }, [
      ['entry', 2, 100],
      ['exit', 1, 100, 5],
      ['exit', 1, 100, 7],
    ]);
    closeTrade(trade, 100, 9);
    expect(trade.fundingFees).toBe(12);
    expect(trade.profit).toBeCloseTo(12 - 0.4, 8);
    const half = traded({ marketType: 'futures' }, [
      ['entry', 2, 100],
      ['exit', 1, 100, 5],
    ]);
    settleTrade(half);
    expect(half.realizedProfit).toBeCloseTo(5 - 0.2, 8);
  });

  test('an exit of everything leaves amount, stake and value as they were', () => {
    const trade = traded({}, [['entry', 2, 100]]);
    settleTrade(trade);
    const held = { amount: trade.amount, stake: trade.stake, openRate: trade.openRate, openValue: trade.openValue };
    const leaving = anOrder({ id: 'x', purpose: 'exit', amount: 2 });
    trade.orders.push(leaving);
    countFill(trade, leaving, aFill({ id: 'x1', amount: 1, price: 110 }), null);
    settleTrade(trade);
    expect(trade).toMatchObject({ amount: 1, stake: 100 });
    countFill(trade, leaving, aFill({ id: 'x2', amount: 1, price: 110 }), null);
    settleTrade(trade);
    expect(trade).toMatchObject(held);
  });

  test('the fee of entries that agree is theirs to the last digit, whatever was assumed before', () => {
    for (let cents = 9_901; cents < 10_000; cents++) {
      const trade = traded({ feeOpen: 0.002, amountStep: 0.1 }, [
        ['entry', 3.3, cents / 100],
        ['entry', 0.7, 101.03],
      ]);
      settleTrade(trade);
      expect(trade.feeOpen).toBe(0.001);
    }
  });

  test('an order without a fill changes nothing', () => {
    const trade = traded({}, [
      ['entry', 2, 100],
      ['exit', 1, 110],
    ]);
    settleTrade(trade);
    const { orders, ...before } = structuredClone(trade);
    expect(orders).toHaveLength(2);
    trade.orders.unshift(anOrder({ id: 'w' }), anOrder({ id: 'x', purpose: 'exit' }));
    settleTrade(trade);
    expect(trade).toMatchObject(before);
  });

  test('an order whose fee is not known pays what is usual, however often it is settled', () => {
    const trade = aTrade({ feeOpen: 0.01, feeClose: 0.02, amountStep: 0.001 });
    for (const purpose of ['entry', 'exit'] as const) {
      const order = anOrder({ id: purpose, purpose });
      trade.orders.push(order);
      countFill(
        trade,
        order,
        aFill({ amount: 1, price: purpose === 'entry' ? 100 : 200, fee: 1, feeCurrency: 'BNB', feeInQuote: null }),
        null,
      );
    }
    closeTrade(trade, 200, 9);
    expect(trade.profit).toBeCloseTo(200 - 4 - 102, 10);
  });

  test('nor does the known fee of another entry change what is usual', () => {
    const trade = aTrade({ feeOpen: 0.02, feeClose: 0.02, amountStep: 0.001 });
    for (const [id, feeInQuote] of [
      ['a', null],
      ['b', 1],
    ] as const) {
      const order = anOrder({ id, purpose: 'entry' });
      trade.orders.push(order);
      countFill(trade, order, aFill({ id, amount: 1, price: 100, fee: 1, feeCurrency: 'BNB', feeInQuote }), null);
      settleTrade(trade);
    }
    for (let i = 0; i < 3; i++) settleTrade(trade);
    expect(trade.feeOpen).toBeCloseTo(0.015, 12);
  });

  test('interest is owed until the fill of the exit', () => {
    const hour = 3_600_000;
    const interest = { scheme: 'binance', ratePerPeriod: 0.24 } as const;
    const trade = traded({ marketType: 'margin', leverage: 2, interest }, [['entry', 1, 100]]);
    const order = anOrder({ id: 'x', purpose: 'exit', amount: 1 });
    trade.orders.push(order);
    countFill(trade, order, aFill({ amount: 1, price: 100, fee: 0, time: 5 * hour }), null);
    closeTrade(trade, 100, 9 * hour);
    expect(trade.profit).toBeCloseTo(-0.1 - 50 * 0.01 * 5, 8);
  });

  test('what an exit in several fills has left is what is held', () => {
    const trade = traded({}, [['entry', 5, 100]]);
    const order = anOrder({ id: 'x', purpose: 'exit', amount: 3 });
    trade.orders.push(order);
    for (const id of ['x1', 'x2']) countFill(trade, order, aFill({ id, amount: 1 }), null);
    settleTrade(trade);
    expect(trade).toMatchObject({ amount: 3, stake: 300 });
  });
});

describe('settling a round trip in doubles', () => {
  const ticks = [0.01, 0.1, 1e-8, 0.5, 0];
  const tradeOf = fc.record({
    direction: fc.constantFrom('long' as const, 'short' as const),
    marketType: fc.constantFrom('spot' as const, 'futures' as const),
    leverage: fc.constantFrom(1, 3, 7.5),
    priceTick: fc.constantFrom(...ticks),
    amountStep: fc.constantFrom(0.001, 1e-8, 1, 0),
    contractSize: fc.constantFrom(1, 1, 0.01, 100),
    feeClose: fc.constantFrom(0.001, 0.00075, 0),
  });
  const number = fc.oneof(
    fc.integer({ min: 1, max: 1e7 }).map((n) => n / 100),
    fc.integer({ min: 1, max: 1e6 }).map((n) => n / 1e3),
    fc.integer({ min: 1, max: 1e12 }).map((n) => n / 1e8),
    fc.double({ min: 1e-6, max: 1e5, noNaN: true }),
  );
  const step = fc.record({
    purpose: fc.constantFrom('entry' as const, 'exit' as const),
    price: number,
    amount: number,
    feeRatio: fc.constantFrom(0.001, 0.0004, -0.0001, 1 / 3_000),
    sameAmount: fc.boolean(),
    fundingFee: fc.constantFrom<number>(0, 0, 0, 0, -0.25),
    isFilled: fc.constantFrom(true, true, true, true, false),
    inTwo: fc.constantFrom(false, false, false, true),
  });

  type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

  /** A trade with orders of which most come to an entry and an exit of everything, and some to anything else. */
  const traded = (given: object, steps: readonly Step[]) => {
    const trade = aTrade(given);
    for (const [i, { purpose, price, amount: own, feeRatio, sameAmount, fundingFee, isFilled, inTwo }] of steps.entries()) {
      const amount = sameAmount ? (trade.orders[0]?.amount ?? own) : own;
      const order = anOrder({ id: String(i), purpose: i === 0 ? 'entry' : purpose, price, amount, fundingFee });
      trade.orders.push(order);
      if (!isFilled) continue;
      const parts = inTwo ? [amount / 2, amount / 2] : [amount];
      for (const [part, each] of parts.entries())
        countFill(
          trade,
          order,
          { ...simulatedFill(trade.symbol, { price, amount: each, time: i, feeRatio, liquidity: null }), id: String(part) },
          feeRatio,
        );
    }
    return trade;
  };

  test('comes to what decimals come to, whatever the trade, or leaves it to them with nothing changed', () => {
    let said = 0;
    fc.assert(
      fc.property(tradeOf, fc.oneof(fc.array(step, { maxLength: 2 }), fc.array(step, { maxLength: 4 })), (given, steps) => {
        const trade = traded(given, steps);
        const [one, other] = [structuredClone(trade), structuredClone(trade)];
        const settled = settleRoundTrip(one);
        if (settled === null) {
          expect(one).toStrictEqual(trade);
          return;
        }
        said += 1;
        expect(settled).toStrictEqual(settleInDecimals(other));
        expect(one).toStrictEqual(other);
      }),
      { numRuns: 6_000, seed: 3 },
    );
    expect(said).toBeGreaterThan(250);
  });

  test('an exit of less than everything, a second entry and a second fill are for decimals', () => {
    const entry: Step = {
      purpose: 'entry',
      price: 100,
      amount: 10,
      feeRatio: 0.001,
      sameAmount: false,
      fundingFee: 0,
      isFilled: true,
      inTwo: false,
    };
    const exit: Step = { ...entry, purpose: 'exit', price: 110 };
    expect(settleRoundTrip(traded({}, [entry, exit]))).not.toBeNull();
    for (const steps of [
      [entry, { ...exit, amount: 4 }],
      [entry, entry],
      [{ ...entry, inTwo: true }],
      [entry, exit, exit],
      [{ ...entry, fundingFee: -0.25 }],
    ])
      expect(settleRoundTrip(traded({}, steps))).toBeNull();
  });
});
