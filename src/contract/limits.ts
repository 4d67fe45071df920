import { limitNames } from '#engine/risk/limit.ts';
import { z } from 'zod';
import { joinTexts, needsAdmin, needsBot, texts } from './errors.ts';
import { finite, id, moment, oneOf, shortText } from './fields.ts';
import { defineRoute } from './route.ts';
import { tradingLevels } from './trading-states.ts';

/** Why an owner cannot raise a limit. */
export const limitSetByAdmin = 'An administrator has set this limit. Only an administrator can raise it.';

/** What a limit may be set to. Amounts are in stake currency, ratios are fractions. */
export const limitRanges: Readonly<
  Record<(typeof limitNames)[number], { least: number; most: number; isWhole: boolean; unit: 'amount' | 'count' | 'ratio' | 'times' }>
> = {
  'order-value': { least: 1e-8, most: 1e15, isWhole: false, unit: 'amount' },
  'position-value': { least: 1e-8, most: 1e15, isWhole: false, unit: 'amount' },
  'open-orders': { least: 1, most: 100_000, isWhole: true, unit: 'count' },
  'orders-per-minute': { least: 1, most: 100_000, isWhole: true, unit: 'count' },
  'price-collar': { least: 0.0001, most: 1, isWhole: false, unit: 'ratio' },
  leverage: { least: 1, most: 125, isWhole: false, unit: 'times' },
  'daily-loss': { least: 1e-8, most: 1e15, isWhole: false, unit: 'amount' },
  drawdown: { least: 0.001, most: 1, isWhole: false, unit: 'ratio' },
};

const outOfRange = 'The value of a limit is out of range';
const level = oneOf(tradingLevels, texts.invalidRequest);
const currency = shortText(20);
const asked = { level, id: id.optional() };
const namesBot = (given: { level: string; id?: string | undefined }): boolean => given.level !== 'bot' || given.id !== undefined;

const change = z
  .strictObject({ name: oneOf(limitNames, texts.invalidRequest), currency: currency.nullable(), value: finite.nullable() })
  .refine(
    ({ name, value }) => {
      const { least, most, isWhole } = limitRanges[name];
      return value === null || (value >= least && value <= most && (!isWhole || Number.isInteger(value)));
    },
    { error: outOfRange },
  );

/** A limit in force, with what is used of it. */
const limit = z.object({
  name: z.enum(limitNames),
  currency: z.string().nullable(), // of an amount
  value: finite,
  default: finite, // what it is when its owner has not set it
  is_default: z.boolean(),
  use: finite.nullable(), // the highest now; null: it is checked with each entry, and nothing is kept of it
  has_no_rate: z.boolean(), // an administrator has imposed it in other currencies alone, which cannot be compared with this one: nothing is entered
  stricter: z.object({ level: z.enum(tradingLevels), value: finite, has_no_rate: z.boolean() }).nullable(), // of the owner or the server: it holds for this bot too
  set_by: z.string().nullable(), // email, for admins and whoever set it
  set_at: moment.nullable(),
  ceiling: finite.nullable(), // what an administrator has imposed; the owner's value lies at or below it
  may_raise: z.boolean(), // the caller may, with the password: up to the ceiling, administrators beyond it
});

/** The limits of a bot, a user or the server. */
const limits = z.object({
  level: z.enum(tradingLevels),
  id: z.string().nullable(),
  name: z.string().nullable(), // the bot's nickname, the user's email
  mode: z.enum(['paper', 'live', 'testnet']).nullable(), // of a bot: of its orders now
  limits: z.array(limit),
});

const refusals = joinTexts(needsBot, needsAdmin, { 404: ['User not found'] });

/** Calls about limits. */
export const limitRoutes = {
  getLimits: defineRoute({
    id: 'ADD-limits',
    method: 'GET',
    path: '/limits',
    summary: 'The limits of a bot, a user or the server, with the highest use of each now. Without an id, of the level user: the caller.',
    access: { who: 'all' },
    query: z.object(asked).refine(namesBot, { error: texts.invalidRequest }),
    reply: limits,
    errors: refusals,
  }),
  changeLimits: defineRoute({
    id: 'ADD-change-limits',
    method: 'POST',
    path: '/limits',
    summary: 'Sets limits, all or none; null restores the default. After the answer no entry exceeds them. Raising one needs the password.',
    access: { who: 'all' },
    body: z.strictObject({ ...asked, changes: z.array(change).min(1).max(100) }).refine(namesBot, { error: texts.invalidRequest }),
    reply: limits,
    errors: joinTexts(refusals, {
      400: [outOfRange],
      403: [texts.notVerified, texts.passwordNeeded, texts.noRiskAfterReset, limitSetByAdmin],
      409: [texts.botArchived],
    }),
  }),
} as const;
