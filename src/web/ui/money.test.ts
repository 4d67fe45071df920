import { describe, expect, test } from 'vitest';
import { amountDecimals, baseOf, formatAmount, formatMoney, formatPnl, formatPrice, formatStake, quoteOf, toneOf } from './money.ts';

describe('money', () => {
  test('OP-68, CONST-01 money is written with two decimals and no thousands separator', () => {
    expect(formatMoney(1234.5)).toBe('$1234.50');
    expect(formatMoney(-0.126)).toBe('-$0.13');
    expect(formatMoney(0)).toBe('$0.00');
    expect(formatMoney(1_234_567.891)).toBe('$1234567.89');
  });

  test('OP-68, MON-25 profit and loss always carries its sign; zero is a plus', () => {
    expect(formatPnl(12.3)).toBe('+$12.30');
    expect(formatPnl(-12.3)).toBe('-$12.30');
    expect(formatPnl(0)).toBe('+$0.00');
    expect(formatPnl(-0)).toBe('+$0.00');
    expect(formatPnl(-0.004)).toBe('+$0.00');
    expect(formatPnl(-0.006)).toBe('-$0.01');
  });

  test('an amount in a currency that is not a dollar is not called dollars', () => {
    expect(formatMoney(1234.5, 'EUR')).toBe('1234.50 EUR');
    expect(formatPnl(0.00123, 'BTC')).toBe('+0.001230 BTC');
    expect(formatPnl(-0.00123, 'BTC')).toBe('-0.001230 BTC');
    expect(formatStake(100, 'USDT')).toBe('100.00 USDT');
    expect(formatStake(0.01, 'BTC')).toBe('0.010000 BTC');
  });

  test('the colour of a figure follows the figure as it is written', () => {
    expect([toneOf(0.01), toneOf(0.004), toneOf(0), toneOf(-0.004), toneOf(-0.01)]).toEqual(['up', 'flat', 'flat', 'flat', 'down']);
    expect(toneOf(-0.004, 'BTC')).toBe('down');
  });

  test('a price has two decimals, and below 10 five digits that say something', () => {
    const rows: [number, string, string][] = [
      [64250.5, 'USDT', '$64250.50'],
      [10, 'USDT', '$10.00'],
      [1.61874, 'USDT', '$1.6187'],
      [1, 'USDT', '$1.0000'],
      [0.5, 'USDT', '$0.50000'],
      [0.00001234, 'USDT', '$0.000012340'],
      [0, 'USDT', '$0.00'],
      [0.0512, 'BTC', '0.051200 BTC'],
    ];
    for (const [price, currency, text] of rows) expect(formatPrice(price, currency)).toBe(text);
  });

  test('DATA-12 a price keeps the step of its market, and a column of amounts one number of decimals', () => {
    const rows: [number, number, string][] = [
      [1.5634, 0.0001, '$1.5634'],
      [1.5, 0.0001, '$1.5000'],
      [81_683.9, 0.01, '$81683.90'],
      [64_000, 1, '$64000.00'],
      [0.00001234, 1e-8, '$0.00001234'],
      [25, 2.5e-7, '$25.00000000'],
      [12.5, 0.5, '$12.50'],
    ];
    for (const [price, tick, text] of rows) expect(formatPrice(price, 'USDT', tick)).toBe(text);
    expect(amountDecimals([433, 0.5, 12.125])).toBe(3);
    expect([433, 0.5, 12.125].map((amount) => formatAmount(amount, 3))).toEqual(['433.000', '0.500', '12.125']);
    expect([amountDecimals([]), amountDecimals([3]), amountDecimals([1e-8])]).toEqual([0, 0, 8]);
  });

  test('base, quote and amounts of a symbol', () => {
    expect([quoteOf('BTC/USDT'), quoteOf('ETH/BTC'), quoteOf('BTC/USDT:USDT'), quoteOf('BTC')]).toEqual(['USDT', 'BTC', 'USDT', 'USDT']);
    expect([baseOf('BTC/USDT:USDT'), baseOf('BTC')]).toEqual(['BTC', 'BTC']);
    expect([formatAmount(0.0155), formatAmount(3), formatAmount(100), formatAmount(1e-8), formatAmount(0)]).toEqual([
      '0.0155',
      '3',
      '100',
      '0.00000001',
      '0',
    ]);
  });
});
