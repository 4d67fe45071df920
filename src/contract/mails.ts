import { z } from 'zod';
import { joinTexts, needsAdmin, texts } from './errors.ts';
import { id, mailsGoTo, moment, oneOf } from './fields.ts';
import { defineRoute } from './route.ts';

/** Where a mail is on its way: waiting for a try, sent, or given up after the last try. */
export const mailStates = ['waiting', 'sent', 'failed'] as const;

/** Why a mail that was sent cannot be tried again. */
export const mailIsSent = 'This mail was sent already';

/** A mail of the outbox; never its text. */
export const outboxMail = z.object({
  id: z.string(),
  recipient: z.string(),
  subject: z.string(),
  state: z.enum(mailStates),
  created_at: moment,
  sent_at: moment.nullable(),
  next_try_at: moment.nullable(), // while it waits
  tries: z.number().int(),
  last_error: z.string().nullable(), // of the newest try, when that failed
});

const admin = { who: ['admin'], denied: texts.adminRequired } as const;
const count = z.number().int();

/** Calls about the mails that the server sends, for admins. */
export const mailRoutes = {
  listMails: defineRoute({
    id: 'ADD-mails',
    method: 'GET',
    path: '/mails',
    summary: 'Mails of the outbox, the newest first, fifty at a time. Codes are sent at once and are not among them.',
    access: admin,
    query: z.object({
      state: oneOf(mailStates, texts.invalidRequest).optional(),
      before: id.optional(), // only mails older than this one
    }),
    reply: z.object({
      goes_to: mailsGoTo,
      counts: z.object({ waiting: count, sent: count, failed: count }), // of all that are kept
      mails: z.array(outboxMail),
      next: z.string().nullable(),
    }),
    errors: needsAdmin,
  }),
  retryMail: defineRoute({
    id: 'ADD-retry-mail',
    method: 'POST',
    path: '/mails/{id}/retry',
    summary: 'Retries a mail that waits or has failed.',
    access: admin,
    params: z.object({ id }),
    reply: z.object({ status: z.string() }),
    errors: joinTexts(needsAdmin, { 404: ['Mail not found'], 409: [mailIsSent] }),
  }),
  sendTestMail: defineRoute({
    id: 'ADD-test-mail',
    method: 'POST',
    path: '/mails/test',
    summary: 'Sends a mail to the caller at once and says whether it was handed on, five times an hour.',
    access: admin,
    reply: z.object({ recipient: z.string(), error: z.string().nullable() }), // null: it was handed on
    errors: needsAdmin,
  }),
} as const;
