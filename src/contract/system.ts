import { candleCounts } from './decisions.ts';
import { z } from 'zod';
import { botModes, botStatuses, finite, moment } from './fields.ts';
import { defineRoute } from './route.ts';

const working = z.enum(['ok', 'error']);

/** State of the platform. The fields after `time` are for admins and operators. */
export const systemStatus = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  time: moment,
  database: working.optional(),
  engine: working.optional(),
  mail: working.optional(),
  disk: working.optional(), // 'error': so little room is left that writes will soon fail
  last_backup_at: moment.nullable().optional(), // the newest backup that was restored as a test and gave everything back; null before the first
  last_backup_test_at: moment.nullable().optional(), // when a backup was last made and restored as a test, or tried; null before the first
  backup_test: working.nullable().optional(), // how that went
  exchanges: z
    .array(
      z.object({
        id: z.string(),
        status: working,
        clock_offset_ms: finite.nullable(), // how far this machine's clock is behind the exchange's; null while unknown
      }),
    )
    .optional(),
  active_bots: z.number().int().optional(),
  oldest_price_at: moment.nullable().optional(), // the last price of the bot that has waited longest for one; null before any had one
  accounts: z
    .object({
      live: z.number().int(), // accounts that live bots which are not stopped trade with
      unchecked: z.number().int(), // of those never compared with the trades of their bots
      oldest_check_at: moment.nullable(), // of those compared, the comparison that is the longest ago
      refused_keys: z.number().int(), // keys of theirs that the exchange has refused
    })
    .nullable() // while the database does not answer
    .optional(),
  live_trading_enabled: z.boolean().optional(),
});

/** The newest decision of a bot, in codes: what it did with a closed candle, and which check said no. */
const lastDecision = z.object({
  time: moment,
  symbol: z.string(),
  action: z.string(), // 'enter', 'exit', 'hold', 'none'
  gate: z.string().nullable(), // e.g. 'slots-full'; null when nothing was refused
  direction: z.enum(['long', 'short']).nullable(), // that the strategy wanted to enter
});

/** Why a bot cannot be switched to live now. */
const liveObstacle = z.enum(['no-api-key', 'live-trading-disabled']);

/** What a bot is doing now. Money in stake currency. */
const liveBot = z.object({
  bot_id: z.string(),
  nickname: z.string(),
  status: z.enum(botStatuses),
  mode: z.enum(botModes),
  running: z.boolean(),
  open_trades: z.number().int(),
  unrealized_pnl: finite,
  last_tick_at: moment.nullable(),
  last_error: z.string().nullable(),

  // with `fleet`
  today_pnl: finite.optional(), // of the trades closed since midnight, UTC
  stake_currency: z.string().optional(),
  max_open_trades: z.number().int().optional(),
  exchange_id: z.string().optional(),
  is_own: z.boolean().optional(), // it is the caller's
  last_decision: lastDecision.nullable().optional(),
  live_obstacle: liveObstacle.nullable().optional(),

  // with `hour`
  last_hour: candleCounts.nullable().optional(), // null of a bot that makes no entries
  last_day: candleCounts.nullable().optional(),

  // with `history`
  history: z.array(finite).max(42).optional(), // change of net PnL over 7 days: oldest first, 4 hours apart, the last one now
  fees: z.object({ maker: finite, taker: finite }).nullable().optional(), // of its market, as ratios; null while unknown
});

const yes = z.enum(['true']);

/** Calls about the state of the platform. */
export const systemRoutes = {
  systemLive: defineRoute({
    id: 'ADD-live',
    method: 'GET',
    path: '/system/live',
    summary: 'Whether the web process answers, whatever the database does; for those who restart a process that hangs.',
    access: { who: 'anyone', strangerAfterMs: 0 },
    reply: z.object({ status: z.literal('ok') }),
    errors: {},
  }),
  systemStatus: defineRoute({
    id: 'API-14',
    method: 'GET',
    path: '/system/status',
    summary: 'State of the platform; admins and operators see each part.',
    access: { who: 'anyone', strangerAfterMs: 1_000 },
    reply: systemStatus,
    errors: {},
  }),
  liveStatus: defineRoute({
    id: 'API-15',
    method: 'GET',
    path: '/status/live',
    summary:
      "Live state of the bots the caller may see; `fleet` adds today's PnL and the last decision, `history` the last 7 days, `hour` what became of the last hour and day.",
    access: { who: 'all', bot: 'visible' },
    query: z.object({ fleet: yes.optional(), history: yes.optional(), hour: yes.optional() }),
    reply: z.object({ time: moment, bots: z.array(liveBot) }),
    errors: {},
  }),
} as const;
