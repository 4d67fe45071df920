import { expect, test } from 'vitest';
import { accountHealth } from './account-health.ts';
import type { LiveAccount } from './use-live-accounts.ts';

const now = Date.parse('2026-11-22T10:00:00.000Z');
const account: LiveAccount = {
  account_id: '00000000-0000-4000-8000-0000000000a1',
  owner: null,
  exchange_id: 'sandbox',
  market_type: 'spot',
  key_label: 'main',
  key_hint: '9f3c',
  key_check: 'ok',
  has_runner: true,
  compared_at: '2026-11-22T09:59:20.000Z',
  clock_offset_ms: 0,
  budget_used: 0.07,
  bots: [],
  unknown_orders: 0,
  oldest_unknown_at: null,
  differences: 0,
  unprotected: 0,
  longest_stop_gap_ms: null,
  left_over: [],
};

test.each([
  [-900, 'bad'],
  [-250, 'good'],
  [250, 'good'],
  [900, 'bad'],
  [null, 'plain'],
] as const)('ADD-live-accounts a clock that is %s ms off is %s, whichever way', (offset, tone) => {
  const line = accountHealth({ ...account, clock_offset_ms: offset }, now).find(({ name }) => name === 'Clock against the exchange');
  expect(line?.tone).toBe(tone);
});
