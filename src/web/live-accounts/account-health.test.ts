import { expect, test } from 'vitest';
import { aLiveAccount } from '../testing/samples/live-accounts.ts';
import { accountHealth } from './account-health.ts';

const now = Date.parse('2026-11-22T10:00:00.000Z');

test.each([
  [-900, 'bad'],
  [-250, 'good'],
  [250, 'good'],
  [900, 'bad'],
  [null, 'plain'],
] as const)('ADD-live-accounts a clock that is %s ms off is %s, whichever way', (offset, tone) => {
  const line = accountHealth(aLiveAccount({ clock_offset_ms: offset }), now).find(({ name }) => name === 'Clock against the exchange');
  expect(line?.tone).toBe(tone);
});
