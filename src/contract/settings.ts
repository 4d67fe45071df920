import { z } from 'zod';
import { shortText } from './fields.ts';
import { defineRoute } from './route.ts';

/** Limits and defaults of the bot form, as the server has them. */
export const serverConfig = z.object({
  max_open_trades: z.object({ min: z.number(), max: z.number(), default: z.number() }),
  leverage: z.object({ min: z.number(), max: z.number(), default: z.number() }),
  stake_amount_default: z.number(),
  preferred_stake_currency: z.string(),
  live_trading_enabled: z.boolean(),
});

/** The limits that hold when the server's cannot be read. */
export const builtInServerConfig: z.infer<typeof serverConfig> = {
  max_open_trades: { min: 1, max: 50, default: 3 },
  leverage: { min: 1, max: 125, default: 1 },
  stake_amount_default: 100,
  preferred_stake_currency: 'USDT',
  live_trading_enabled: true,
};

/** Calls about server settings. */
export const settingsRoutes = {
  getSetting: defineRoute({
    id: 'API-22',
    method: 'GET',
    path: '/settings/{key}',
    summary: 'One server setting: server_config, paper or pnl_ranges.',
    access: { who: 'all' },
    params: z.object({ key: shortText(500) }),
    reply: z.object({ key: z.string(), value: z.union([serverConfig, z.object({ fee_rate: z.number() }), z.array(z.string())]) }),
    errors: { 404: ['Setting not found'] },
  }),
} as const;
