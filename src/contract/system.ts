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
  exchanges: z.array(z.object({ id: z.string(), status: working })).optional(),
  active_bots: z.number().int().optional(),
  live_trading_enabled: z.boolean().optional(),
});

/** What a running bot is doing now. */
export const liveBot = z.object({
  bot_id: z.string(),
  nickname: z.string(),
  status: z.enum(botStatuses),
  mode: z.enum(botModes),
  running: z.boolean(),
  open_trades: z.number().int(),
  unrealized_pnl: finite,
  last_tick_at: moment.nullable(),
  last_error: z.string().nullable(),
});

/** Calls about the state of the platform. */
export const systemRoutes = {
  systemStatus: defineRoute({
    id: 'API-14',
    method: 'GET',
    path: '/system/status',
    summary: 'State of the platform; admins and operators see each part.',
    access: { who: 'anyone' },
    reply: systemStatus,
    errors: {},
  }),
  liveStatus: defineRoute({
    id: 'API-15',
    method: 'GET',
    path: '/status/live',
    summary: 'Live state of the bots the caller may see.',
    access: { who: 'all', bot: 'visible' },
    reply: z.object({ time: moment, bots: z.array(liveBot) }),
    errors: {},
  }),
} as const;
