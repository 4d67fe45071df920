import { z } from 'zod';
import { texts } from './errors.ts';
import { finite, id, moment, oneOf } from './fields.ts';
import { whyNoStop } from './why-no-stop.ts';
import { defineRoute } from './route.ts';

/** The refusal of a difference that nobody knows. */
export const differenceNotFound = 'Difference not found';

/** The refusal of a decision about amounts that have changed meanwhile. */
export const differenceChanged = 'The amounts have changed meanwhile. Look at the new ones and decide again.';

/** The refusal of a decision about a difference that has ended. */
export const differenceEnded = 'This difference has ended already';

/** Why what the account holds cannot be adopted. */
export const adoptNeedsLess = 'Only a trade of which the account holds less can be corrected.';

/** Why what is missing cannot be ignored: the trade could never be closed. */
export const ignoreNeedsMore = 'The account holds less than the trade, so its exit would be refused: adopt what is left, or close it.';

/** Why what another bot's trade lacks cannot be ignored on the page of a bot that has none. */
export const ignoreLacksOther =
  'The account holds less than the trade of another bot with this API key. Within minutes this is a difference of that bot: decide there.';

/** Why a trade cannot be closed to end a difference. */
export const closeNeedsTrade = 'No trade of this bot covers it: close it at the exchange, or ignore it.';

/** Why a bot does not take over what its orders have left: nothing runs that could. */
export const adoptNeedsBot = 'The bot is stopped and takes nothing over: activate it first, or ignore what is there.';

/** What a person may do about a difference. */
export const differenceChoices = ['adopt', 'ignore', 'close'] as const;

/** How a difference has ended: by itself, by a person's decision, or because its bot left the account. */
const outcomes = ['gone', 'ignored', 'adopted', 'closed', 'left'] as const;

/** Where the account of a bot does not hold what its trades say. Amounts in base currency; negative is short. */
const difference = z.object({
  id: z.string(),
  bot_id: z.string(),
  nickname: z.string(),
  exchange_id: z.string(),
  owner: z.string().nullable(), // email; null: the caller's own
  symbol: z.string(),
  expected: finite, // what the trades of all bots with this key come to
  actual: finite, // what the account holds, without what is ignored
  found_at: moment,
});

/** Calls about accounts that do not hold what the trades of their bots say. */
export const differenceRoutes = {
  listDifferences: defineRoute({
    id: 'ADD-differences',
    method: 'GET',
    path: '/differences',
    summary:
      "Where accounts do not hold what the trades of the caller's bots say; for admins those of all bots. With the last 20 that have ended.",
    access: { who: 'all' },
    reply: z.object({
      open: z.array(
        difference.extend({
          trade: z.object({ id: z.string(), direction: z.enum(['long', 'short']), amount: finite }).nullable(), // the bot's open trade in the symbol
          exits: z.string(), // what the bot does with the trade until a person has decided
          choices: z.array(
            z.object({
              how: z.enum(differenceChoices),
              may: z.boolean(),
              text: z.string(), // what it would do, or why it cannot be done
            }),
          ),
        }),
      ), // newest first
      unprotected: z.array(
        z.object({
          trade_id: z.string(),
          bot_id: z.string(),
          nickname: z.string(),
          exchange_id: z.string(),
          symbol: z.string(),
          direction: z.enum(['long', 'short']),
          amount: finite,
          since: moment,
          close_asked_at: moment.nullable(), // a person wants it closed
          ...whyNoStop,
        }),
      ), // open trades without a stop that the exchange has confirmed; newest first
      ended: z.array(
        difference.extend({
          ended_at: moment,
          outcome: z.enum(outcomes),
          is_done: z.boolean(), // false: its bot has not carried out yet what was decided
        }),
      ), // newest first
    }),
    errors: {},
  }),
  resolveDifference: defineRoute({
    id: 'ADD-resolve-difference',
    method: 'POST',
    path: '/differences/{id}/resolve',
    summary: 'Decides what becomes of a difference, by its amounts as the caller has seen them. Asked twice is once.',
    access: { who: 'all', bot: 'own', stepUp: true },
    params: z.object({ id }),
    body: z.strictObject({
      how: oneOf(differenceChoices, texts.invalidRequest),
      expected: z.number({ error: texts.invalidRequest }),
      actual: z.number({ error: texts.invalidRequest }),
    }),
    reply: z.object({ outcome: z.enum(outcomes).nullable() }), // null: its trade is being closed, and it ends when the account agrees
    errors: {
      400: [adoptNeedsLess, ignoreNeedsMore, ignoreLacksOther, closeNeedsTrade, adoptNeedsBot],
      403: [texts.noAccessToBot, texts.notVerified],
      404: [differenceNotFound],
      409: [differenceChanged, differenceEnded],
    },
  }),
} as const;
