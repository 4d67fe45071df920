import type { LiveAccount } from '../../live-accounts/use-live-accounts.ts';

/** An account of live bots with which all is well, compared at 09:59:20 on 2026-11-22. */
export const aLiveAccount = (given: Partial<LiveAccount> = {}): LiveAccount => ({
  account_id: '00000000-0000-4000-8000-0000000000a1',
  owner: null,
  exchange_id: 'sandbox',
  market_type: 'spot',
  key_label: 'main',
  key_hint: '9f3c',
  key_check: 'ok',
  has_runner: true,
  compared_at: '2026-11-22T09:59:20.000Z',
  clock_offset_ms: -12,
  budget_used: 0.07,
  bots: [],
  unknown_orders: 0,
  oldest_unknown_at: null,
  differences: 0,
  unprotected: 0,
  longest_stop_gap_ms: 412,
  left_over: [],
  ...given,
});
