import { describe, expect, test } from 'vitest';
import { baseOf, formatAmount, formatMoney, formatPnl, formatPrice, formatStake, quoteOf, toneOf } from './money.ts';

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

  test('an amount in a currency that is no dollar is not called dollars', () => {
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

  test('a price has two decimals, and below 1 five digits that say something', () => {
    const rows: [number, string, string][] = [
      [64250.5, 'USDT', '$64250.50'],
      [1, 'USDT', '$1.00'],
      [0.5, 'USDT', '$0.50000'],
      [0.00001234, 'USDT', '$0.000012340'],
      [0, 'USDT', '$0.00'],
      [0.0512, 'BTC', '0.051200 BTC'],
    ];
    for (const [price, currency, text] of rows) expect(formatPrice(price, currency)).toBe(text);
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
