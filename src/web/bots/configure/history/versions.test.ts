import { expect, test } from 'vitest';
import { changesText, hasOtherCode, restoredFields } from './versions.ts';

const version = (number: number, changes: [field: string, from: string, to: string][]) => ({
  version: number,
  changed_at: '2026-11-20T00:00:00.000Z',
  changed_by: null,
  changes: changes.map(([field, from, to]) => ({ field, from, to })),
  trades: 0,
  pnl: 0,
});

test('own settings are named as a person names them, ratios in per cent', () => {
  const changes: [string, string, string][] = [
    ['own.stoploss', 'inherited', '-0.025'],
    ['own.trailing', 'off', '0.01 from a profit of 0.02, not below'],
    ['own.minimal_roi', '0: 0.04, 60: 0.01', 'inherited'],
    ['own.parameters.fastPeriod', '8', '12'],
    ['own.order_types.entry', 'inherited', 'market'],
    ['leverage', '2', '3'],
  ];
  expect(changesText(version(2, changes))).toBe(
    'own stop loss inherited → -2.50%, own trailing stop off → 1.00% from a profit of 2.00%, not below, ' +
      'own minimal ROI 4.00% after 0 min, 1.00% after 60 min → inherited, own Fast Period 8 → 12, own entry order inherited → market, leverage 2 → 3',
  );
});

test('a restore says of each what it is now and what it becomes', () => {
  const versions = [
    version(3, [['own.stoploss', '-0.02', '-0.1']]),
    version(2, [
      ['own.stoploss', 'inherited', '-0.02'],
      ['own.parameters.fastPeriod', 'inherited', '8'],
    ]),
    version(1, []),
  ];
  expect(restoredFields(versions, 1)).toEqual([
    { name: 'own stop loss', from: '-10.00%', to: 'inherited' },
    { name: 'own Fast Period', from: '8', to: 'inherited' },
  ]);
});

test('a restore changes nothing where the settings are those in use, and never what the strategy of the bot runs', () => {
  const versions = [
    version(4, [['leverage', '2', '1']]),
    version(3, [
      ['code_version', '1', '2'],
      ['leverage', '1', '2'],
    ]),
    version(2, []),
    version(1, []),
  ];
  expect([restoredFields(versions, 2), restoredFields(versions, 1)]).toEqual([[], []]);
  expect(restoredFields(versions, 3)).toEqual([{ name: 'leverage', from: '1', to: '2' }]);
  expect([1, 2, 3].map((number) => hasOtherCode(versions, number))).toEqual([true, true, false]);
});
