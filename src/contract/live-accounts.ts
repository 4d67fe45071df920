import { marketTypes } from '#engine/market/instrument.ts';
import { z } from 'zod';
import { finite, moment } from './fields.ts';
import { defineRoute } from './route.ts';

/** An account that live bots trade with, and how it stands. */
const liveAccount = z.object({
  account_id: z.string(), // of its key; spot and futures of one key are accounts of their own
  owner: z.string().nullable(), // email; null: the caller's own
  exchange_id: z.string(),
  market_type: z.enum(marketTypes),
  key_label: z.string().nullable(),
  key_hint: z.string(), // its last four characters
  key_check: z.enum(['ok', 'refused', 'unreachable']).nullable(), // what the exchange said of the key last
  has_runner: z.boolean(), // a runner has a bot of it now
  compared_at: moment.nullable(), // when it was last compared with the trades of its bots
  clock_offset_ms: finite.nullable(), // how far the clock of its runner is behind the exchange's; null: not measured yet
  budget_used: finite.nullable(), // the share of the exchange's requests of a minute that its runner has used
  bots: z.array(z.object({ id: z.string(), nickname: z.string() })),
  unknown_orders: z.number().int(), // their state is unknown
  oldest_unknown_at: moment.nullable(),
  differences: z.number().int(),
  unprotected: z.number().int(), // open trades without a confirmed stop
  longest_stop_gap_ms: finite.nullable(), // of the last 24 hours: without a confirmed stop while one took the place of another
  left_over: z.array(z.object({ symbol: z.string(), amount: finite, worth: finite })), // too little to sell, of the trades of 90 days; worth in quote currency
});

/** Calls about the accounts that live bots trade with. */
export const liveAccountRoutes = {
  listLiveAccounts: defineRoute({
    id: 'ADD-live-accounts',
    method: 'GET',
    path: '/live-accounts',
    summary: "How the accounts of the caller's live bots stand; for admins those of all.",
    access: { who: 'all' },
    reply: z.object({ time: moment, accounts: z.array(liveAccount) }),
    errors: {},
  }),
} as const;
