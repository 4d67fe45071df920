import { describe, expect, test } from 'vitest';
import { asGain, asPercent, compareMetrics, differenceText, metricText } from './metric-text.ts';
import { someDetails } from '../testing/samples/runs.ts';

describe('a metric', () => {
  test.each([
    [null, 'number', 'N/A'],
    [-17.7, 'money', '-$17.70'],
    [0.05336, 'ratio', '5.34%'],
    [-0.5, 'number', '-0.50'],
    [0.00123, 'number', '0.0012'],
    [1.2e-7, 'number', '1.2e-7'],
    [0, 'number', '0.00'],
    [-0, 'number', '0.00'],
    [12, 'count', '12'],
    [1830, 'minutes', '1d 6h'],
    [3.25, 'days', '3.25 d'],
  ] as const)('CONST-01 %j in %s is read as %s', (value, unit, text) => {
    expect(metricText({ name: 'Figure', value, unit }, 'USDT')).toBe(text);
  });

  test.each([
    [10, -2.5, 'money', '-$12.50'],
    [0.5, 0.6, 'ratio', '+10.00 pp'],
    [1, 1, 'number', '+0.00'],
    [7, 3, 'count', '-4'],
    [60, 90, 'minutes', '+30m 0s'],
    [null, 1, 'number', 'N/A'],
  ] as const)('from %j to %j in %s is %s', (first, second, unit, text) => {
    expect(differenceText({ name: 'Figure', unit }, { value: first, currency: 'USDT' }, { value: second, currency: 'USDT' })).toBe(text);
  });

  test('money is in the currency of the run: what a run in bitcoin has lost is not hidden, and two currencies have no difference', () => {
    expect(metricText({ name: 'Net PnL', value: -0.0012, unit: 'money' }, 'BTC')).toBe('-0.001200 BTC');
    const [inBitcoin, inDollars] = [
      { value: 0.5, currency: 'BTC' },
      { value: 120, currency: 'USDT' },
    ];
    expect(differenceText({ name: 'Net PnL', unit: 'money' }, inBitcoin, { ...inBitcoin, value: 0.4988 })).toBe('-0.001200 BTC');
    expect(differenceText({ name: 'Net PnL', unit: 'money' }, inBitcoin, inDollars)).toBe('N/A');
    expect(differenceText({ name: 'Trades', unit: 'count' }, inBitcoin, inDollars)).toBe('+120');
  });
});

test('OP-67 a win rate has one decimal', () => {
  expect(metricText({ name: 'Win rate', value: 2 / 3, unit: 'ratio' }, 'USDT')).toBe('66.7%');
  expect(differenceText({ name: 'Win Rate', unit: 'ratio' }, { value: 0.5, currency: 'USDT' }, { value: 2 / 3, currency: 'BTC' })).toBe(
    '+16.7 pp',
  );
});

test('metrics of runs are put beside each other by their set and name', () => {
  const first = someDetails();
  const second = someDetails({
    metric_sets: [{ name: 'daily equity', metrics: [{ name: 'Sharpe', value: 2, unit: 'number', meaning: '' }] }],
  });
  const [perTrade, daily] = compareMetrics([first, second, first]);
  expect(perTrade?.metrics.map((metric) => metric.values[1])).toEqual(Array.from({ length: 7 }, () => null));
  expect(daily?.metrics.map((metric) => [metric.name, ...metric.values])).toEqual([
    ['Sharpe', -0.5, 2, -0.5],
    ['Max drawdown', -17.7, null, -17.7],
  ]);
});

test('a curve is percent of stake times trades, or gain since its start', () => {
  const points = [
    { time: 1, value: 2000 },
    { time: 2, value: 2100 },
    { time: 3, value: 1900 },
  ];
  expect(asPercent(points, { stake_amount: 1000, max_open_trades: 2 }).map(({ value }) => value)).toEqual([0, 5, -5]);
  expect(asGain(points).map(({ value }) => value)).toEqual([0, 100, -100]);
  expect(asPercent([], { stake_amount: 1, max_open_trades: 1 })).toEqual([]);
});
