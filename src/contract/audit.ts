import { z } from 'zod';
import { needsAdmin, texts } from './errors.ts';
import { moment, oneOf, shortText } from './fields.ts';
import { defineRoute } from './route.ts';

/** How an action ended. */
export const auditResults = ['ok', 'refused', 'failed'] as const;

/** A record of the audit log. */
export const auditRecord = z.object({
  id: z.string(), // its number
  time: moment,
  actor: z.string().nullable(), // e-mail; null: the server itself, or somebody unknown
  actor_role: z.string().nullable(),
  action: z.string(), // 'sign-in'
  target: z.string().nullable(), // an id or a name
  target_name: z.string().nullable(), // e-mail of an account, nickname of a bot, name of a strategy, name and last characters of an API key
  address: z.string().nullable(),
  request_id: z.string().nullable(),
  result: z.string(),
  detail: z.record(z.string(), z.unknown()),
  fingerprint: z.string(), // the beginning of its hash
});

const admin = { who: ['admin'], denied: texts.adminRequired } as const;
const recordId = z.string().regex(/^\d{1,18}$/u, { error: texts.invalidRequest });

/** Calls about the audit log, for admins. */
export const auditRoutes = {
  listAudit: defineRoute({
    id: 'ADD-audit',
    method: 'GET',
    path: '/audit',
    summary: 'Records of the audit log, the newest first, a hundred at a time.',
    access: admin,
    query: z.object({
      search: shortText(200).optional(),
      action: shortText(60).optional(),
      result: oneOf(auditResults, texts.invalidRequest).optional(),
      since: z.iso.datetime({ precision: 3, error: texts.invalidRequest }).optional(),
      before: recordId.optional(), // only records with a lower number
    }),
    reply: z.object({ total: z.number().int(), records: z.array(auditRecord), next: z.string().nullable() }),
    errors: needsAdmin,
  }),
  checkAudit: defineRoute({
    id: 'ADD-check-audit',
    method: 'GET',
    path: '/audit/check',
    summary: 'Whether every record is as it was written and follows the one before.',
    access: admin,
    reply: z.object({
      checked_at: moment,
      records: z.number().int(), // before the first that is not
      broken: z.object({ id: z.string(), time: moment }).nullable(),
    }),
    errors: needsAdmin,
  }),
} as const;
