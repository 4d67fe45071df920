import { z } from 'zod';
import { asksExchange, joinTexts, texts } from './errors.ts';
import { id, moment, requiredText, shortText } from './fields.ts';
import { defineRoute } from './route.ts';

/** Calls about the keys of exchanges. */
export const apiKeyRoutes = {
  addApiKey: defineRoute({
    id: 'API-47',
    method: 'POST',
    path: '/api-keys',
    summary: 'Stores the key of an exchange after checking it there.',
    access: { who: 'all' },
    body: z.strictObject({
      exchange_id: requiredText('Exchange is required'),
      label: shortText(120).optional(),
      key: requiredText(texts.keyRequired, 500),
      secret: requiredText(texts.keyRequired, 5000),
      passphrase: shortText(500).optional(),
      bot_id: id.optional(),
      user_email: shortText(254).optional(),
    }),
    status: 201,
    reply: z.object({ id: z.string(), exchange: z.string(), label: z.string().nullable(), last_used: moment.nullable() }),
    errors: joinTexts(asksExchange, {
      400: ['Exchange is required', texts.keyRequired, 'Invalid API key or secret'],
      403: ['Only admins and traders can add API keys', 'You can only add API keys to your own account', texts.noAccessToBot],
      404: ['Exchange not found', 'User not found', 'Bot not found'],
    }),
  }),
} as const;
