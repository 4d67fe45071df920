import { z } from 'zod';
import { joinTexts, needsAdmin, needsBot, texts } from './errors.ts';
import { id, moment, oneOf, requiredText } from './fields.ts';
import { defineRoute } from './route.ts';
import { tradingLevels } from './trading-states.ts';

/** The refusal of a lock that is in force. */
export const pairLockedAlready = 'This pair is locked already';

/** The refusal of a lock that nobody knows, or that has ended. */
export const pairLockNotFound = 'Pair lock not found';

/** The refusal of an end that has passed. */
export const lockEndsBefore = 'The lock must end in the future';

/** Why an owner cannot take a lock back. */
export const lockedByAdmin = 'An administrator has locked this pair. Only an administrator can unlock it.';

const pairForm = 'Enter a pair like DOGE/USDT, or a coin like DOGE';

/** A pair, or all pairs of a coin, that bots do not enter. */
export const pairLock = z.object({
  lock_id: z.string(),
  level: z.enum(tradingLevels),
  pair: z.string(), // 'DOGE/USDT', or a coin: 'DOGE'
  direction: z.enum(['long', 'short']).nullable(), // null: both
  reason: z.string(),
  ends_at: moment.nullable(), // null: until somebody takes it back
  set_by: z.string().nullable(), // a name; null: the person's account is gone
  set_at: moment,
  may_end: z.boolean(), // the caller may take it back
});

/** Calls about pairs that people have locked. */
export const pairLockRoutes = {
  listPairLocks: defineRoute({
    id: 'ADD-pair-locks',
    method: 'GET',
    path: '/bots/{id}/pair-locks',
    summary: 'The pairs a bot does not enter, because a person has locked them for it, for all bots of its owner or for the server.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    reply: z.object({ locks: z.array(pairLock) }),
    errors: needsBot,
  }),
  addPairLock: defineRoute({
    id: 'ADD-add-pair-lock',
    method: 'POST',
    path: '/bots/{id}/pair-locks',
    summary:
      'Locks a pair, or all pairs of a coin, for a bot, for all bots of its owner, or (administrators) for the server. After the answer no bot enters it; what is open keeps its stops and exits.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    body: z.strictObject({
      level: oneOf(tradingLevels, texts.invalidRequest),
      pair: requiredText(pairForm).regex(/^[A-Z0-9]{1,20}(\/[A-Z0-9]{1,20}(:[A-Z0-9]{1,20})?)?$/u, { error: pairForm }),
      direction: oneOf(['long', 'short'], 'Invalid direction').nullable(),
      reason: requiredText('Reason is required').max(200, { error: 'Reason is too long' }),
      ends_at: z.iso.datetime({ precision: 3, error: texts.invalidRequest }).nullable(),
    }),
    reply: pairLock,
    errors: joinTexts(needsBot, needsAdmin, {
      400: [pairForm, 'Invalid direction', 'Reason is required', 'Reason is too long', lockEndsBefore],
      409: [pairLockedAlready, texts.botArchived],
    }),
  }),
  endPairLock: defineRoute({
    id: 'ADD-end-pair-lock',
    method: 'POST',
    path: '/pair-locks/{id}/end',
    summary: 'Takes a lock of a pair back. The password is asked for, because bots may enter it then.',
    access: { who: 'all' },
    params: z.object({ id }),
    reply: z.object({ status: z.string() }),
    errors: {
      403: [texts.noAccessToBot, texts.adminRequired, texts.notVerified, texts.passwordNeeded, lockedByAdmin],
      404: [pairLockNotFound],
    },
  }),
} as const;
