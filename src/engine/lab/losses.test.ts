import { describe, expect, test } from 'vitest';
import { losses, lossNames, type LossInput, type LossName } from './losses.ts';
import { someTrades } from './testing/some-trades.ts';

const mixed = { ...someTrades({ count: 120, mean: 0.002, spread: 0.04, seed: 1 }), symbols: ['ETH/USDT'] };
const many = { ...someTrades({ count: 700, mean: 0.001, spread: 0.02, seed: 4, days: 90 }), symbols: ['BTC/USDT', 'ETH/USDT'] };
const sets: Record<string, LossInput> = {
  mixed,
  losing: someTrades({ count: 30, mean: -0.01, spread: 0.03, seed: 2 }),
  winning: someTrades({ count: 70, mean: 0.02, spread: 0.02, seed: 3 }), // without a loss: no drawdown
  many,
  one: someTrades({ count: 1, mean: 0.01, spread: 0.001, seed: 5, days: 3 }),
};

// What the classes of freqtrade 2026.9 give for the same trades, run on 26 November 2026.
const byFreqtrade: [LossName, Record<keyof typeof sets, number>][] = [
  ['CalmarHyperOptLoss', { mixed: -33.49925086479523, losing: 47.76243293635701, winning: 100, many: -330.7549610301936, one: 100 }],
  ['MaxDrawDownHyperOptLoss', { mixed: -0.6927354773475596, losing: 1, winning: -Infinity, many: -15.268363839978809, one: -Infinity }],
  ['MaxDrawDownPerPairHyperOptLoss', { mixed: 19.75675262780492, losing: 21, winning: 20, many: -4.854556279742469, one: 20 }],
  [
    'MaxDrawDownRelativeHyperOptLoss',
    { mixed: -54.84744292535825, losing: 36.364048930300605, winning: -141.68260899999999, many: -2366.9546463425377, one: -0.971976 },
  ],
  [
    'MultiMetricHyperOptLoss',
    {
      mixed: -2.6202266354352597,
      losing: 0.052522548405394526,
      winning: -5210.126682055653,
      many: -49.703502236005825,
      one: -2.625526226563171,
    },
  ],
  [
    'OnlyProfitHyperOptLoss',
    { mixed: -8.858490000000002, losing: 27.499687999999995, winning: -141.68260899999999, many: -100.50901300000001, one: -0.971976 },
  ],
  [
    'ProfitDrawDownHyperOptLoss',
    { mixed: -8.754996642359814, losing: 26.80017262290995, winning: -141.68260899999999, many: -99.90929193293245, one: -0.971976 },
  ],
  [
    'SharpeHyperOptLoss',
    { mixed: -4.02272331632454, losing: 15.191431584858071, winning: -111.39576480648027, many: -36.486522559498596, one: 100 },
  ],
  [
    'SharpeHyperOptLossDaily',
    {
      mixed: -0.6270597431406332,
      losing: 11.936127841383245,
      winning: -27.329278136331574,
      many: -8.621213762882858,
      one: -9.5524865872714,
    },
  ],
  [
    'ShortTradeDurHyperOptLoss',
    { mixed: 2.1910946417893404, losing: 2.30156917890414, winning: 1.7675500446999726, many: 1.8153314324807202, one: 2.2551893210259624 },
  ],
  ['SortinoHyperOptLoss', { mixed: -8.903056580362069, losing: 18.179825800093262, winning: 100, many: -80.94699190810982, one: 100 }],
  ['SortinoHyperOptLossDaily', { mixed: -0.8620636174692414, losing: 10.224036261763613, winning: 20, many: -19.279154249931842, one: 20 }],
];

describe('the losses are those of freqtrade', () => {
  test.each(byFreqtrade)('%s', (name, expected) => {
    for (const [set, value] of Object.entries(expected)) {
      const found = losses[name](sets[set]);
      if (Number.isFinite(value)) expect(found / value, set).toBeCloseTo(1, 10);
      else expect(found, set).toBe(value);
    }
  });

  test('each is compared', () => {
    expect(byFreqtrade.map(([name]) => name).toSorted()).toEqual(lossNames.toSorted());
  });
});
