import { describe, expect, test } from 'vitest';
import { requireSettings } from '../settings/normalise-settings.ts';
import { entryDirection } from './entry-direction.ts';
import { fillPriceOn } from './fill-rule.ts';
import type { QuirkName } from './quirks.ts';
import { withoutQuirks } from './quirks.ts';
import { slotsFull } from './slots.ts';

test.each([
  [3, 2, false],
  [3, 3, true],
  [3, 4, true],
  [-1, 1000, false],
  [0, 1000, false],
])('of %d slots with %d open trades all are taken: %s', (maxOpenTrades, openCount, expected) => {
  expect(slotsFull(requireSettings({ stakeAmount: 100, maxOpenTrades, stoploss: -0.1 }), openCount)).toBe(expected);
});

describe('the direction of an entry', () => {
  const quiet = { enterLong: false, exitLong: false, enterShort: false, exitShort: false };
  test.each([
    ['none without a signal', {}, true, null],
    ['long', { enterLong: true }, true, 'long'],
    ['not long beside an exit', { enterLong: true, exitLong: true }, true, null],
    ['long beside the exit of a short', { enterLong: true, exitShort: true }, true, 'long'],
    ['short', { enterShort: true }, true, 'short'],
    ['not short where that is not allowed', { enterShort: true }, false, null],
    ['not short beside an exit', { enterShort: true, exitShort: true }, true, null],
    ['short beside the exit of a long', { enterShort: true, exitLong: true }, true, 'short'],
    ['none for both', { enterLong: true, enterShort: true }, true, null],
    ['long for both where shorts are not allowed', { enterLong: true, enterShort: true }, false, 'long'],
    ['none for both, where the long contradicts itself', { enterLong: true, exitLong: true, enterShort: true }, true, null],
  ] as const)('is %s', (_, flags, canShort, expected) => {
    expect(entryDirection({ ...quiet, ...flags }, canShort)).toBe(expected);
  });
});

describe('a limit order on a candle', () => {
  const bar = { time: 0, open: 101, high: 110, low: 90, close: 105 };
  const price =
    (side: 'buy' | 'sell', at: number, without: QuirkName[] = []) =>
    () =>
      fillPriceOn({ side, price: at }, bar, withoutQuirks(without));
  const realistic: QuirkName[] = ['gapThroughLimitDoesNotFill'];
  test.each<[string, () => number | null, number | null]>([
    ['inside fills at its price', price('buy', 100), 100],
    ['at the low fills', price('buy', 90), 90],
    ['at the high fills', price('sell', 110), 110],
    ['to buy below waits', price('buy', 89, realistic), null],
    ['to sell above waits', price('sell', 111, realistic), null],
    ['gapThroughLimitDoesNotFill to buy above does not fill', price('buy', 111), null],
    ['to buy above fills at the open', price('buy', 111, realistic), 101],
    ['gapThroughLimitDoesNotFill to sell below does not fill', price('sell', 89), null],
    ['to sell below fills at the open', price('sell', 89, realistic), 101],
  ])('%s', (_, found, expected) => {
    expect(found()).toBe(expected);
  });
});
