import { z } from 'zod';
import { botTags, mostTags, tagTexts } from './bot-tags.ts';
import { texts } from './errors.ts';
import { botModes, botStatuses, id, oneOf, unlessWrongType } from './fields.ts';
import { defineRoute } from './route.ts';

/** What can be done to several bots at once. */
export const bulkActions = ['activate', 'pause', 'stop', 'tag', 'untag'] as const;

/** See `bulkActions`. */
export type BulkAction = (typeof bulkActions)[number];

/** How many bots a press may name. */
export const mostBulkBots = 500;

/** The refusals of a press that names several bots. */
export const bulkTexts = {
  bots: `Name 1 to ${mostBulkBots} bots`,
  action: 'Action must be activate, pause, stop, tag or untag',
  tags: 'Name at least one tag',
  others: 'The selection has a bot of somebody else. Nothing was done.',
} as const;

/** What became of one bot: done, as wanted already, or refused with a sentence. */
export const bulkOutcomes = ['done', 'unchanged', 'failed'] as const;

/** Calls about several bots at once. */
export const bulkRoutes = {
  changeBots: defineRoute({
    id: 'ADD-bots-bulk',
    method: 'POST',
    path: '/bots/bulk',
    summary: 'Activates, pauses, stops, tags or untags several bots, each as the call for one does; the answer says what became of each.',
    access: { who: 'all' },
    body: z.strictObject({
      bot_ids: z
        .array(id, { error: unlessWrongType('list', bulkTexts.bots) })
        .min(1, { error: bulkTexts.bots, abort: true })
        .max(mostBulkBots, { error: bulkTexts.bots, abort: true }),
      action: oneOf(bulkActions, bulkTexts.action),
      tags: botTags.optional(), // for `tag` and `untag`
      // What the caller has seen of each: a bot with another mode or version fails; with another status it is not made to do more than it does.
      modes: z.record(id, oneOf(botModes, 'Mode must be paper or live')).optional(),
      versions: z.record(id, z.number().int().min(1)).optional(),
      statuses: z.record(id, oneOf(botStatuses, 'Status must be active, paused or stopped')).optional(),
    }),
    reply: z.object({
      results: z.array(
        z.object({
          bot_id: z.string(),
          nickname: z.string().nullable(), // null: there is no such bot
          outcome: z.enum(bulkOutcomes),
          reason: z.string().nullable(), // why it failed, or nothing had to be done
        }),
      ),
    }),
    errors: {
      400: [
        bulkTexts.bots,
        bulkTexts.action,
        'Mode must be paper or live',
        'Status must be active, paused or stopped',
        bulkTexts.tags,
        tagTexts.form,
        tagTexts.tooMany,
      ],
      403: [bulkTexts.others, texts.notVerified, texts.passwordNeeded],
    },
  }),
} as const;

/** Why a bot does not get more tags. */
export const fullOfTags = `It would have more than ${mostTags} tags`;
