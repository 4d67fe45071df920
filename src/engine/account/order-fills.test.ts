import { describe, expect, test } from 'vitest';
import { currenciesOf, feeInQuote, simulatedFill } from './fill.ts';
import { addFill, movedAmount } from './order-fills.ts';
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
});
