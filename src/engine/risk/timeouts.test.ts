import { expect, test } from 'vitest';
import { anOrder } from '../account/testing/an-order.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { hasTimedOut } from './timeouts.ts';

test.each([
  ['entry', 1099, false],
  ['entry', 1100, true],
  ['exit', 1199, false],
  ['exit', 1200, true],
] as const)('an %s has waited long enough at %d: %s', (purpose, time, expected) => {
  const settings = requireSettings({
    stakeAmount: 100,
    maxOpenTrades: 1,
    stoploss: -0.1,
    unfilledTimeout: { entryMs: 100, exitMs: 200 },
  });
  expect(hasTimedOut(anOrder({ purpose, createdTime: 1000 }), time, settings)).toBe(expected);
});

test('without a limit an order waits for ever', () => {
  const settings = requireSettings({
    stakeAmount: 100,
    maxOpenTrades: 1,
    stoploss: -0.1,
    unfilledTimeout: { entryMs: null, exitMs: null },
  });
  expect(hasTimedOut(anOrder({ createdTime: 0 }), 1e15, settings)).toBe(false);
});
