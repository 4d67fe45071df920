import { z } from 'zod';
import { joinTexts, needsAdmin, texts } from './errors.ts';
import { botModes, botStatuses, id, moment, oneOf, roles } from './fields.ts';
import { defineRoute } from './route.ts';

/** Why somebody is not made an admin. */
export const notVerifiedForAdmin = 'Verify this account first: an admin cannot be verified any more.';

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
      exchange_id: z.string(),
      mode: z.enum(botModes),
      trading_pairs: z.array(z.string()),
      status: z.enum(botStatuses),
    }),
  ),
  api_keys: z.array(
    z.object({
      id: z.string(),
      exchange: z.string(),
      exchange_id: z.string(),
      label: z.string().nullable(),
      key_hint: z.string(), // the last 4 characters
      last_used: moment.nullable(),
    }),
  ),
});

const admin = { who: ['admin'], denied: texts.adminRequired } as const;
const flag = z.boolean({ error: 'verified and email_verified must be true or false' });

/** Calls about accounts, for admins. */
export const userRoutes = {
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
    access: { ...admin, stepUp: true },
    params: z.object({ id }),
    body: z.strictObject({ role: oneOf(roles, 'Role must be investor, trader, operator or admin') }),
    reply: managedUser,
    errors: joinTexts(needsAdmin, {
      400: ['Role must be investor, trader, operator or admin'],
      403: ['Cannot change the role of an admin user.', texts.noChangesAfterReset],
      404: ['User not found'],
      409: [notVerifiedForAdmin],
    }),
  }),
  endUserSessions: defineRoute({
    id: 'ADD-end-user-sessions',
    method: 'POST',
    path: '/settings/users/{id}/end-sessions',
    summary: "Ends every session of an account; of the caller's own all but this one.",
    access: { ...admin, stepUp: true },
    params: z.object({ id }),
    reply: z.object({ status: z.string() }),
    errors: joinTexts(needsAdmin, { 404: ['User not found'] }),
  }),
} as const;
