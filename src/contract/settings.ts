import { z } from 'zod';
import { joinTexts, mayGoLive, needsAdmin, texts } from './errors.ts';
import { bot } from './bots.ts';
import { botModes, botStatuses, id, moment, oneOf, roles, shortText } from './fields.ts';
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

/** An account with its bots and keys, as the user management lists it. */
export const managedUser = z.object({
  id: z.string(),
  userId: z.string(),
  display_name: z.string(),
  email: z.string(),
  role: z.enum(roles),
  verified: z.boolean(),
  email_verified: z.boolean(),
  has_2fa: z.boolean(),
  created_at: moment,
  bots: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      strategy_name: z.string(),
      exchange: z.string(),
      mode: z.enum(botModes),
      trading_pairs: z.array(z.string()),
      status: z.enum(botStatuses),
    }),
  ),
  api_keys: z.array(z.object({ id: z.string(), exchange: z.string(), last_used: moment.nullable() })),
});

const admin = { who: ['admin'], denied: texts.adminRequired } as const;
const flag = z.boolean({ error: 'verified and email_verified must be true or false' });

/** Calls about server settings and user management. */
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
  listUsers: defineRoute({
    id: 'API-23',
    method: 'GET',
    path: '/settings/users',
    summary: 'All accounts.',
    access: admin,
    reply: z.array(managedUser),
    errors: needsAdmin,
  }),
  verifyUser: defineRoute({
    id: 'API-24',
    method: 'POST',
    path: '/settings/users/{id}/verify',
    summary: 'Marks an account verified.',
    access: admin,
    params: z.object({ id }),
    body: z.strictObject({ verified: flag, email_verified: flag }),
    reply: managedUser,
    errors: joinTexts(needsAdmin, {
      400: ['verified and email_verified must be true or false'],
      403: ['Cannot change the verification of an admin user.'],
      404: ['User not found'],
    }),
  }),
  changeRole: defineRoute({
    id: 'API-25',
    method: 'POST',
    path: '/settings/users/{id}/role',
    summary: 'Changes the role of an account.',
    access: admin,
    params: z.object({ id }),
    body: z.strictObject({ role: oneOf(roles, 'Role must be investor, trader, operator or admin') }),
    reply: managedUser,
    errors: joinTexts(needsAdmin, {
      400: ['Role must be investor, trader, operator or admin'],
      403: ['Cannot change the role of an admin user.'],
      404: ['User not found'],
    }),
  }),
  setBotStatus: defineRoute({
    id: 'API-26',
    method: 'POST',
    path: '/settings/bots/{id}/status',
    summary: "Sets the status of anybody's bot.",
    access: admin,
    params: z.object({ id }),
    body: z.strictObject({ status: oneOf(botStatuses, 'Status must be active, paused or stopped') }),
    reply: bot,
    errors: joinTexts(needsAdmin, mayGoLive, { 400: ['Status must be active, paused or stopped'], 404: ['Bot not found'] }),
  }),
} as const;
