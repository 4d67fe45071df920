import { describe, expect, test } from 'vitest';
import { toNumber } from '../market/decimal.ts';
import { currenciesOf, feeInQuote, simulatedFill } from './fill.ts';
import { addFill, movedAmount, movedValue } from './order-fills.ts';
import { aFill, anOrder } from './testing/an-order.ts';

describe('OP-85 fills of an order', () => {
  test('the same fill twice is once', () => {
    const order = anOrder();
    expect(addFill(order, aFill({ id: 'a', amount: 4 }), 'BTC/USDT')).toBe(true);
    const before = structuredClone(order);
    expect(addFill(order, aFill({ id: 'a', amount: 4 }), 'BTC/USDT')).toBe(false);
    expect(order).toEqual(before);
  });
  test('amount, average, fee and role are those of all fills; what was requested stays', () => {
    const order = anOrder({ amount: 10 });
    addFill(order, aFill({ id: 'b', amount: 0.2, price: 100.02, fee: 0.02, liquidity: 'maker', time: 9 }), 'BTC/USDT');
    addFill(order, aFill({ id: 'a', amount: 0.1, price: 100.01, fee: 0.01, time: 7 }), 'BTC/USDT');
    expect(order).toMatchObject({ amount: 10, filled: 0.3, fillPrice: 30.005 / 0.3, filledTime: 9, liquidity: null });
    expect(order.feeRatio).toBeCloseTo(0.03 / 30.005, 15);
  });
  test('a fee in base currency lowers what an entry brings, and nothing else', () => {
    const entry = anOrder();
    addFill(entry, aFill({ amount: 1, fee: 0.001, feeCurrency: 'BTC', feeInQuote: 0.1 }), 'BTC/USDT');
    expect([entry.filled, movedAmount(entry)]).toEqual([1, 0.999]);
    const exit = anOrder({ purpose: 'exit' });
    addFill(exit, aFill({ amount: 1, fee: 0.001, feeCurrency: 'BTC', feeInQuote: 0.1 }), 'BTC/USDT');
    expect([movedAmount(exit), exit.feeRatio]).toEqual([1, 0.001]);
  });
  test('the value of a fee is known for quote and base currency, and for a third one only when it is given', () => {
    const fill = { price: 200, fee: 0.5 };
    expect(['USDT', 'BTC', 'BNB'].map((feeCurrency) => feeInQuote({ ...fill, feeCurrency }, 'BTC/USDT:USDT'))).toEqual([0.5, 100, null]);
    expect(currenciesOf('BTC/USDC:USDC')).toEqual({ base: 'BTC', quote: 'USDC' });
  });
  test('a simulated fill has its exact fee in quote currency', () => {
    const execution = { price: 100.1, amount: 0.3, time: 1, feeRatio: 0.001, liquidity: null };
    expect(simulatedFill('BTC/USDT', execution)).toMatchObject({ fee: 0.03003, feeCurrency: 'USDT', feeInQuote: 0.03003 });
  });
  test('the time of an order is that of its last fill, whichever is reported last', () => {
    const order = anOrder();
    for (const [id, time] of [
      ['a', 5],
      ['b', 9],
      ['c', 7],
    ] as const)
      addFill(order, aFill({ id, time }), 'BTC/USDT');
    expect(order.filledTime).toBe(9);
  });
  test('no fee is worth nothing in any currency', () => {
    expect(feeInQuote({ price: 200, fee: 0, feeCurrency: 'BNB' }, 'BTC/USDT')).toBe(0);
  });
  test('a simulated fill has the configured ratio to the last digit; with a second one the sums count', () => {
    const order = anOrder();
    const execution = { price: 99.97, amount: 3.3, time: 1, feeRatio: 0.00075, liquidity: 'maker' } as const;
    addFill(order, { ...simulatedFill('BTC/USDT', execution), fee: 1, feeInQuote: 1 }, 'BTC/USDT', 0.00075);
    expect(order).toMatchObject({ filled: 3.3, fillPrice: 99.97, feeRatio: 0.00075, liquidity: 'maker', filledTime: 1 });
    addFill(order, aFill({ id: '2', price: 99.97, amount: 6.7, fee: 1 }), 'BTC/USDT', 0.00075);
    expect(order).toMatchObject({ filled: 10, fillPrice: 99.97, liquidity: null });
    expect(order.feeRatio).toBeCloseTo(2 / 999.7, 12);
  });
  test('only a bought coin pays its own fee: one of a short or of an exit does not lower what was moved', () => {
    const fill = aFill({ amount: 1, fee: 0.001, feeCurrency: 'BTC', feeInQuote: 0.1 });
    for (const given of [{ side: 'sell' }, { purpose: 'exit', side: 'buy' }] as const) {
      const order = anOrder(given);
      addFill(order, fill, 'BTC/USDT');
      expect([order.baseFee, movedAmount(order)]).toEqual([0, 1]);
    }
  });
  test('the role is that of all fills when they agree', () => {
    const order = anOrder();
    for (const id of ['a', 'b']) addFill(order, aFill({ id, liquidity: 'maker' }), 'BTC/USDT');
    expect(order.liquidity).toBe('maker');
  });
  test('the value of what was moved is that of all fills, without the coins that were kept as a fee', () => {
    const order = anOrder();
    addFill(order, aFill({ id: 'a', amount: 1, price: 100 }), 'BTC/USDT');
    expect(toNumber(movedValue(order))).toBe(100);
    addFill(order, aFill({ id: 'b', amount: 3, price: 104 }), 'BTC/USDT');
    expect(toNumber(movedValue(order))).toBe(412);
    addFill(order, aFill({ id: 'c', amount: 4, price: 97, fee: 0.8, feeCurrency: 'BTC', feeInQuote: 77.6 }), 'BTC/USDT');
    // 800 for 8, of which 7.2 are left.
    expect(toNumber(movedValue(order))).toBe(720);
    expect(movedAmount(order)).toBe(7.2);
  });
  test('the fee of an order is not known while that of any of its fills is not', () => {
    for (const fees of [
      [null, 1],
      [1, null],
    ]) {
      const order = anOrder();
      fees.forEach((feeInQuote, i) => addFill(order, aFill({ id: `${i}`, feeCurrency: 'BNB', feeInQuote }), 'BTC/USDT'));
      expect(order).toMatchObject({ feeRatio: null, filled: 20 });
    }
  });
  test('the coins that a single fill has kept as a fee are not in its value', () => {
    const order = anOrder();
    addFill(order, aFill({ amount: 4, price: 100, fee: 0.5, feeCurrency: 'BTC', feeInQuote: 50 }), 'BTC/USDT');
    expect(toNumber(movedValue(order))).toBe(350);
  });
  test('a fee in BNB leaves what was bought of a perpetual of BNB whole: it is paid out of the wallet, as a long and as a short', () => {
    for (const symbol of ['BNB/USDT:USDT', 'BNB/USDC:USDC']) {
      for (const side of ['buy', 'sell'] as const) {
        const order = anOrder({ side });
        addFill(order, aFill({ amount: 10, price: 600, fee: 0.0045, feeCurrency: 'BNB', feeInQuote: 2.7 }), symbol);
        expect([order.filled, movedAmount(order), order.baseFee, toNumber(movedValue(order))]).toEqual([10, 10, 0, 6_000]);
        expect(order.feeRatio).toBeCloseTo(0.00045, 12);
      }
    }
    const onSpot = anOrder();
    addFill(onSpot, aFill({ amount: 10, price: 600, fee: 0.0045, feeCurrency: 'BNB', feeInQuote: 2.7 }), 'BNB/USDT');
    expect(movedAmount(onSpot)).toBe(9.9955);
  });
});
