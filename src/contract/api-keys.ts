import { z } from 'zod';
import { noLiveAfterReset } from './bots.ts';
import { asksExchange, joinTexts, texts } from './errors.ts';
import { botModes, botStatuses, id, isOneLine, moment, requiredText, shortText } from './fields.ts';
import { defineRoute } from './route.ts';

/** The refusal of a key that is stored already, of this account or another. */
export const keyIsStored = 'This API key is stored already. Choose it for the bot instead of entering it again.';

/** The refusal of a key that can take money out. */
export const keyMayWithdraw = 'This API key may withdraw money. Use one without the right to withdraw.';

/** The refusal of a new key on the day after a reset of the password. */
export const noKeyAfterReset = 'For 24 hours after a password reset no API key can be added.';

/** Why a key cannot be deleted. */
export const keyIsTrading = 'A live bot trades with this key. Switch it to paper first.';

/** Why the key of a live bot that has just been archived cannot be deleted yet. */
export const keyIsKept =
  'A bot that was archived within the last day may still receive fills and funding with this key. Delete the key later.';

/** A key of the caller's as it may be shown: never the secret, and of the key itself only the end. */
export const ownApiKey = z.object({
  id: z.string(),
  exchange: z.string(),
  exchange_name: z.string(),
  label: z.string().nullable(),
  key_hint: z.string(), // the last 4 characters
  has_passphrase: z.boolean(),
  created_at: moment,
  last_used: moment.nullable(),
  checked_at: moment.nullable(),
  check: z.enum(['ok', 'refused', 'unreachable']).nullable(), // what the exchange said last
  is_checking: z.boolean(), // it is being asked again
  can_trade: z.boolean().nullable(), // null: the exchange does not say
  can_withdraw: z.boolean().nullable(),
  is_ip_bound: z.boolean().nullable(),
  bots: z.array(z.object({ id: z.string(), nickname: z.string(), mode: z.enum(botModes), status: z.enum(botStatuses) })),
});

const ownKey = { 404: ['API key not found'] } as const;

/** Calls about the keys of exchanges. */
export const apiKeyRoutes = {
  listApiKeys: defineRoute({
    id: 'ADD-api-keys',
    method: 'GET',
    path: '/api-keys',
    summary: "The caller's API keys, the newest first.",
    access: { who: 'all' },
    reply: z.array(ownApiKey),
    errors: {},
  }),
  newSandboxKey: defineRoute({
    id: 'ADD-sandbox-key',
    method: 'POST',
    path: '/api-keys/sandbox',
    summary: 'A new key of the market simulator, to be added like any other; nothing is stored.',
    access: { who: 'all' },
    reply: z.object({ key: z.string(), secret: z.string() }),
    errors: asksExchange,
  }),
  testApiKey: defineRoute({
    id: 'ADD-test-api-key',
    method: 'POST',
    path: '/api-keys/{id}/test',
    summary: 'Checks a key of the caller at its exchange; the list has the result a few seconds later.',
    access: { who: 'all' },
    params: z.object({ id }),
    reply: z.object({ status: z.string() }),
    errors: ownKey,
  }),
  deleteApiKey: defineRoute({
    id: 'ADD-delete-api-key',
    method: 'POST',
    path: '/api-keys/{id}/delete',
    summary: 'Deletes a key of the caller that no live bot trades with.',
    access: { who: 'all' },
    params: z.object({ id }),
    reply: z.object({ status: z.string() }),
    errors: { ...ownKey, 409: [keyIsTrading, keyIsKept] },
  }),
  addApiKey: defineRoute({
    id: 'API-47',
    method: 'POST',
    path: '/api-keys',
    summary: 'Stores the key of an exchange after checking it there.',
    access: { who: 'all', stepUp: true },
    body: z.strictObject({
      exchange_id: requiredText('Exchange is required'),
      label: shortText(120).refine(isOneLine, texts.invalidRequest).optional(),
      key: requiredText(texts.keyRequired, 500),
      secret: requiredText(texts.keyRequired, 5000),
      passphrase: shortText(500).optional(),
      bot_id: id.optional(),
      user_email: shortText(254).optional(),
    }),
    status: 201,
    reply: z.object({
      id: z.string(),
      exchange: z.string(),
      label: z.string().nullable(),
      last_used: moment.nullable(),
      bot_version: z.number().int().optional(), // of the settings of the bot that has it now
    }),
    errors: joinTexts(asksExchange, {
      400: ['Exchange is required', texts.keyRequired, 'Invalid API key or secret', keyMayWithdraw],
      403: [
        'Only admins and traders can add API keys',
        'You can only add API keys to your own account',
        texts.noAccessToBot,
        texts.notVerified,
        noKeyAfterReset,
        // for a live bot, which trades with another account from now on
        texts.liveDisabled,
        texts.undurableStore,
        noLiveAfterReset,
      ],
      404: ['Exchange not found', 'User not found', 'Bot not found'],
      409: ['Bot has open trades', texts.changedMeanwhile, texts.botArchived, keyIsStored],
    }),
  }),
} as const;
