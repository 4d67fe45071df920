import { describe, expect, test } from 'vitest';
import { fundingBetween, fundingColumns, joinFunding } from './funding.ts';
import {
  addFunding,
  addLateFunding,
  awaitsFunding,
  dropRunningFunding,
  fundedUntil,
  fundingMissed,
  refreshFunding,
  setRunningFunding,
} from './refresh-funding.ts';
import { aTrade } from './testing/a-trade.ts';
import { anOrder } from './testing/an-order.ts';

const hour = 3_600_000;
/** Payments of 0.1, 0.2, 0.3 and 0.4 for one coin, at the hours 1 to 4. */
const events = fundingColumns([1, 2, 3, 4].map((n) => ({ time: n * hour, rate: n / 1000, mark: 100 })));
const long = { direction: 'long', amount: 1 } as const;

describe('the funding of a position', () => {
  test.each([
    ['both ends included', 2 * hour, 3 * hour, 0.5],
    ['nothing a moment after and before', 2 * hour + 1, 3 * hour - 1, 0],
    ['from before the first', 0, hour, 0.1],
    ['to after the last', 4 * hour, 9 * hour, 0.4],
    ['all', 0, 9 * hour, 1],
    ['after the last', 4 * hour + 1, 9 * hour, 0],
  ])('%s', (_, from, to, paid) => {
    expect(fundingBetween(events, long, from, to)).toBeCloseTo(-paid, 12);
    expect(fundingBetween(events, { direction: 'short', amount: 2 }, from, to)).toBeCloseTo(2 * paid, 12);
  });
});

describe('rates joined with mark prices', () => {
  const values = (rows: readonly (readonly [time: number, value: number])[]) => ({
    time: Float64Array.from(rows, ([time]) => time),
    value: Float64Array.from(rows, ([, value]) => value),
  });
  const marks = (...hours: readonly number[]) => ({
    ...values(hours.map((n) => [n * hour, 100 + n] as const)),
    close: Float64Array.from(hours, (n) => 200 + n),
    stepMs: hour,
  });
  const rows = (...args: Parameters<typeof joinFunding>) => {
    const { time, rate, mark } = joinFunding(...args);
    return Array.from(time, (each, i) => [each / hour, rate[i], mark[i]]);
  };

  test('only times in both count', () => {
    expect(
      rows(
        values([
          [hour, 0.1],
          [3 * hour, 0.3],
          [5 * hour, 0.5],
        ]),
        marks(1, 2, 3),
        null,
      ),
    ).toEqual([
      [1, 0.1, 101],
      [3, 0.3, 103],
    ]);
  });

  test('a rate that is reported some milliseconds late belongs to its second, and of two in one second the first counts', () => {
    expect(
      rows(
        values([
          [hour + 7, 0.1],
          [hour + 999, 0.2],
          [2 * hour + 1000, 0.3],
        ]),
        marks(1, 2),
        null,
      ),
    ).toEqual([[1, 0.1, 101]]);
  });

  test('a gap in the mark prices is filled with the close before it', () => {
    const rates = values([1, 2, 3, 4].map((n) => [n * hour, n / 10]));
    expect(rows(rates, marks(1, 4), null)).toEqual([
      [1, 0.1, 101],
      [2, 0.2, 201],
      [3, 0.3, 201],
      [4, 0.4, 104],
    ]);
  });

  test('a configured rate fills what comes before the first rate, not a gap behind it', () => {
    expect(rows(values([[2 * hour, 0.2]]), marks(1, 2, 3), 0.01)).toEqual([
      [1, 0.01, 101],
      [2, 0.2, 102],
    ]);
    expect(rows(values([]), marks(1, 2), 0.01)).toEqual([
      [1, 0.01, 101],
      [2, 0.01, 102],
    ]);
    expect(rows(values([]), marks(1, 2), null)).toEqual([]);
  });

  test('what lies outside the range is cut, both ends stay, and a gap at its end is not filled', () => {
    const rates = values([1, 2, 3, 4, 5, 6].map((n) => [n * hour, n / 10]));
    const range = { from: 2 * hour, to: 4 * hour };
    expect(rows(rates, marks(1, 2, 3, 4, 5), null, range).map(([time]) => time)).toEqual([2, 3, 4]);
    expect(rows(rates, marks(1, 2, 5), null, range).map(([time]) => time)).toEqual([2]);
    expect(rows(rates, marks(2, 4), null, range).map(([time]) => time)).toEqual([2, 3, 4]);
  });

  test('a rate before the range is not the first rate: a configured one still fills the beginning', () => {
    expect(
      rows(
        values([
          [hour, 0.1],
          [3 * hour, 0.3],
        ]),
        marks(1, 2, 3),
        0.01,
        { from: 2 * hour, to: 9 * hour },
      ),
    ).toEqual([
      [2, 0.01, 102],
      [3, 0.3, 103],
    ]);
  });
});

describe('the funding of a trade', () => {
  const filled = anOrder({ filled: 1, filledTime: 2 * hour, fundingFee: 5 });
  const trade = () => aTrade({ amount: 1, orders: [{ ...filled }, anOrder({ id: '2', fundingFee: 99 })] });

  test('counts from the last fill, its moment included or not, and adds what the fills have settled', () => {
    for (const [countOnce, running] of [
      [false, -0.5],
      [true, -0.3],
    ] as const) {
      const of = trade();
      refreshFunding(of, events, 3 * hour, countOnce);
      expect(of.fundingRunning).toBeCloseTo(running, 12);
      expect(of.fundingFees).toBeCloseTo(5 + running, 12); // an order without a fill has settled nothing
      refreshFunding(of, events, 3 * hour, countOnce);
      expect(of.fundingFees).toBeCloseTo(5 + running, 12);
    }
  });

  const fill = (time: number, amount: number) => ({
    id: String(time),
    price: 100,
    amount,
    fee: 0,
    feeCurrency: 'USDT',
    feeInQuote: 0,
    liquidity: null,
    time,
  });
  /** Bought 3 at 02:00, sold 2 of them at 05:00. */
  const partlySold = () => {
    const bought = anOrder({ filled: 3, filledTime: 2 * hour, fills: [fill(2 * hour, 3)] });
    const sold = anOrder({ id: '2', purpose: 'exit', side: 'sell', filled: 2, filledTime: 5 * hour, fills: [fill(5 * hour, 2)] });
    return aTrade({ amount: 1, openTime: 2 * hour, orders: [bought, sold] });
  };
  const payment = (time: number) => ({ time, rate: 0.001, mark: 100 });

  test('a payment counts once', () => {
    const of = partlySold();
    expect(addFunding(of, payment(6 * hour))).toBe(true);
    expect([of.fundingRunning, of.fundingFees, of.fundedUntil]).toEqual([-0.1, -0.1, 6 * hour]);
    expect(addFunding(of, payment(6 * hour))).toBe(false);
    expect(addFunding(of, payment(7 * hour))).toBe(true);
    expect([of.fundingRunning, fundedUntil(of)]).toEqual([-0.2, 7 * hour]);
  });

  test.each([
    ['at the moment of the entry is for nothing', 2 * hour, 0],
    ['before a sale is for what was held then, also when it is reported after the sale', 4 * hour, -0.3],
    ['at the moment of a sale is for what was held before', 5 * hour, -0.3],
    ['after a sale is for what is left', 5 * hour + 1, -0.1],
  ])('a payment %s', (_, time, fees) => {
    const of = partlySold();
    expect(addFunding(of, payment(time))).toBe(fees !== 0);
    expect(of.fundingFees).toBeCloseTo(fees, 12);
  });

  test('a payment between the first fills of an entry is for the first of them', () => {
    const bought = anOrder({ filled: 3, filledTime: 4 * hour, fills: [fill(2 * hour, 1), fill(4 * hour, 2)] });
    const of = aTrade({ amount: 3, openTime: hour, orders: [bought] });
    expect(fundedUntil(of)).toBe(2 * hour);
    expect(addFunding(of, payment(3 * hour))).toBe(true);
    expect(of.fundingFees).toBeCloseTo(-0.1, 12);
  });

  test('a fill that is reported late changes the payments after it, those that are kept', () => {
    const [long, short] = [partlySold(), { ...partlySold(), direction: 'short' as const }];
    for (const trade of [long, short]) for (let at = 6; at <= 9; at++) addFunding(trade, payment(at * hour));
    const [bought = anOrder(), sold = anOrder()] = long.orders;
    expect(long.payments).toEqual([6, 7, 8, 9].map((at) => ({ time: at * hour, perUnit: 0.1 })));
    expect(fundingMissed(long, sold, fill(8.5 * hour, 1))).toBeCloseTo(0.1, 12);
    expect(fundingMissed(long, bought, fill(8.5 * hour, 1))).toBeCloseTo(-0.1, 12);
    expect(fundingMissed(long, sold, fill(8 * hour, 1))).toBeCloseTo(0.1, 12); // that of its moment was for what was held before
    expect(fundingMissed(long, sold, fill(9 * hour, 1))).toBe(0);
    expect(fundingMissed(short, sold, fill(7 * hour, 1))).toBeCloseTo(0.2, 12); // a short grows by what is sold
    expect(fundingMissed(aTrade(), sold, fill(0, 1))).toBe(0);
    for (let at = 10; at <= 70; at++) addFunding(long, payment(at * hour));
    expect(long.payments?.map(({ time }) => time / hour)).toEqual(Array.from({ length: 50 }, (_, i) => 21 + i));
  });

  /** Bought 3 at 02:00, sold 2 of them at 05:00 and the rest in two parts at 07:00 and 08:30. */
  const sold = (direction: 'long' | 'short' = 'long') => {
    const [entry, exit] = direction === 'long' ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
    const parts = [fill(7 * hour, 0.25), fill(8.5 * hour, 0.75)];
    return aTrade({
      direction,
      marketType: 'futures',
      amount: 1, // as any trade that is over keeps it: what was held before the last exit
      isOpen: false,
      openTime: 2 * hour,
      closeTime: 8.5 * hour,
      profit: 7,
      orders: [
        anOrder({ side: entry, filled: 3, filledTime: 2 * hour, fills: [fill(2 * hour, 3)] }),
        anOrder({ id: '2', purpose: 'exit', side: exit, filled: 2, filledTime: 5 * hour, fills: [fill(5 * hour, 2)] }),
        anOrder({ id: '3', purpose: 'exit', side: exit, filled: 1, filledTime: 8.5 * hour, fills: parts }),
      ],
    });
  };

  test.each([
    ['before the entry, to nothing', 2 * hour - 1, [0, 0, 0]],
    ['at the moment of the entry, to nothing', 2 * hour, [0, 0, 0]],
    ['before the first exit, to it', 4 * hour, [0, -0.3, 0]],
    ['at the moment of the first exit, to it', 5 * hour, [0, -0.3, 0]],
    ['between the exits, to the second', 6 * hour, [0, 0, -0.1]],
    ['within the second exit, to it', 8 * hour, [0, 0, -0.075]],
    ['at the moment of the end, to the last exit', 8.5 * hour, [0, 0, -0.075]],
    ['after the end, to nothing', 8.5 * hour + 1, [0, 0, 0]],
  ])('a payment that becomes known after the end is added: %s', (_, time, fees) => {
    for (const direction of ['long', 'short'] as const) {
      const of = sold(direction);
      const added = fees.some((fee) => fee !== 0);
      expect(addLateFunding(of, payment(time))).toBe(added);
      expect(addLateFunding(of, payment(time))).toBe(false);
      of.orders.forEach(({ fundingFee }, i) => expect(fundingFee).toBeCloseTo((direction === 'long' ? 1 : -1) * (fees[i] ?? 0), 12));
      expect(of.payments).toEqual(added ? [{ time, perUnit: 0.1 }] : undefined);
      expect(of.fundedUntil).toBe(added ? time : undefined);
      expect(of.profit).toBe(7);
    }
  });

  test('what is left of a trade after its last exit pays nothing, nor does one that has sold nothing or too much', () => {
    const rest = sold();
    rest.orders.pop();
    expect(addLateFunding(rest, payment(6 * hour))).toBe(false);
    rest.orders.pop();
    expect(addLateFunding(rest, payment(4 * hour))).toBe(false);
    const oversold = sold();
    oversold.orders[1]?.fills.push(fill(5.5 * hour, 1.5));
    expect(addLateFunding(oversold, payment(6 * hour))).toBe(false);
  });

  test('a payment that becomes known after the end adds to what its exit carries, and is not a matter of a later entry', () => {
    const of = sold();
    const [entry = anOrder(), , exit = anOrder()] = of.orders;
    Object.assign(exit, { fundingFee: -0.1 });
    of.fundedUntil = 6 * hour;
    addLateFunding(of, payment(8 * hour));
    expect(exit.fundingFee).toBeCloseTo(-0.175, 12);
    const grown = sold();
    grown.orders.splice(0, 1, { ...entry, fills: [fill(2 * hour, 1), fill(4 * hour, 2)] });
    addLateFunding(grown, payment(3 * hour));
    grown.orders.forEach(({ fundingFee }, i) => expect(fundingFee).toBeCloseTo([0, -0.1, 0][i] ?? 0, 12));
  });

  test.each([
    ['over a full hour', 3.5, {}, true],
    ['from within an hour to its end', 3, {}, true],
    ['within one hour', 3 - 1e-6, {}, false],
    ['over hours that are accounted for', 3.5, { fundedUntil: 3 * hour }, false],
    ['over an hour that is not accounted for', 4, { fundedUntil: 3 * hour }, true],
    ['on spot', 3.5, { marketType: 'spot' }, false],
    ['and is still', 3.5, { profit: null }, false],
  ] as const)('a payment may be published late of a trade that was held %s', (_, hours, given, expected) => {
    const exit = anOrder({ id: '2', purpose: 'exit', filled: 3, filledTime: hours * hour, fills: [fill(hours * hour, 3)] });
    const entry = anOrder({ filled: 3, filledTime: 2.5 * hour, fills: [fill(2.5 * hour, 3)] });
    const of = { ...sold(), openTime: 2 * hour, orders: [entry, exit] };
    expect(awaitsFunding({ ...of, ...given })).toBe(expected);
  });

  test('a short receives what a long pays', () => {
    const of = { ...trade(), direction: 'short' as const, amount: 3 };
    addFunding(of, { time: 3 * hour, rate: 0.001, mark: 100 });
    expect(of.fundingRunning).toBeCloseTo(0.3, 12);
  });

  test('what has come since the last fill can be left out of the sum, and is kept', () => {
    const of = trade();
    setRunningFunding(of, 2);
    expect(of.fundingFees).toBe(7);
    dropRunningFunding(of);
    expect([of.fundingFees, of.fundingRunning]).toEqual([5, 2]);
  });
});

describe('a payment of an exchange', () => {
  const paid = { time: 2 * hour, rate: 0.0001, mark: 98.87513 };
  /** A position of 0.5, bought or sold at the hour 1. */
  const held = (direction: 'long' | 'short') => {
    const fill = {
      ...anOrder({ amount: 0.5 }).fills[0],
      id: 'a',
      price: 100,
      amount: 0.5,
      fee: 0,
      feeCurrency: 'USDT',
      feeInQuote: 0,
      liquidity: null,
      time: hour,
    };
    const side = direction === 'long' ? ('buy' as const) : ('sell' as const);
    return aTrade({
      direction,
      amount: 0.5,
      openTime: hour,
      orders: [anOrder({ side, amount: 0.5, filled: 0.5, fills: [fill], filledTime: hour })],
    });
  };

  test.each([
    ['long', 0.0001, -0.00494375],
    ['short', 0.0001, 0.00494375],
    ['long', -0.0001, 0.00494375],
    ['short', -0.0001, -0.00494375],
  ] as const)('is cut to eight decimals and not rounded: a %s at %d', (direction, rate, expected) => {
    const trade = held(direction);
    expect(addFunding(trade, { ...paid, rate })).toBe(true); // 0.0049437565
    expect(trade.fundingRunning).toBe(expected);
  });

  test('is cut for what was held, not for what a late fill has changed', () => {
    const trade = held('long');
    addFunding(trade, paid);
    const order = anOrder({ side: 'buy', amount: 0.5 });
    trade.orders.push(order);
    const fill = { id: 'b', price: 100, amount: 0.5, fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: null, time: 1.5 * hour };
    // For 1 it is 0.009887513, cut to 0.00988751.
    expect(trade.fundingRunning + fundingMissed(trade, order, fill)).toBeCloseTo(-0.00988751, 12);
    expect(fundingMissed(trade, order, fill)).toBe(-0.00494376);
  });

  test('adds up without the noise of doubles', () => {
    const trade = held('short');
    for (let n = 2; n < 30; n++) addFunding(trade, { time: n * hour, rate: 0.0001, mark: 2200.1 });
    expect(trade.fundingRunning).toBe(3.08014);
  });
});
