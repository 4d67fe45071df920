import { z } from 'zod';
import type { RulesDocument } from '#engine/rules/document.ts';
import { joinTexts, texts } from './errors.ts';
import { botModes, botStatuses, id, moment } from './fields.ts';
import { defineRoute } from './route.ts';
import { readRules } from './rules.ts';
import { trailingOffsetTooLow, trailingPositiveMissing } from './strategies.ts';
import { versionNumber } from './versions.ts';

/** The refusal of a call that only traders and admins may make. */
export const tradersOnly = 'Only traders and admins can make rules';

/** The refusal of a change to the rules of somebody else. */
export const notYourRules = 'These rules belong to somebody else. Make a copy to change them.';

/** The refusal of a document with faults; the page shows each where it is. */
export const faultyRules = 'The rules have faults';

/** The most bytes of a new document as JSON. One with all the conditions that there may be has less than half of them. */
export const mostBytesOfRules = 65_536;

/** The refusal of a document that is larger: everybody who may see it loads it with their list. */
export const rulesTooLarge = 'The rules are too large: 64 kB at most. Remove what you do not need, or make two strategies of them.';

/** The refusal of more strategies of rules than a person may have. */
export const tooManyRules = 'You have 200 strategies of rules. Remove some that you do not need.';

/** The refusal to remove what bots use. */
export const rulesInUse = 'Bots use these rules. Give them another strategy first.';

/**
 * A document as the engine has it, whose lists nobody changes. The documentation of the API names it only: written out, with all that may
 * lie in each other, its form would have millions of lines.
 */
const documentOfRules = z
  .custom<RulesDocument>((given) => readRules(given) !== null)
  .describe('A document of rules, version 1. `flotilla rules template NAME` writes one.');

/** A strategy of rules in its newest version, as far as the caller may see it. */
export const ruleStrategy = z.object({
  id: z.string(),
  name: z.string(), // the title of the newest version
  owner: z.object({ id: z.string(), email: z.string() }).nullable(), // null: the account is gone
  is_own: z.boolean(),
  is_shared: z.boolean(),
  version: z.number().int(),
  made_at: moment, // when that was saved
  document: documentOfRules.nullable(), // null: another version of the program has written it, and this one cannot read it
  bots: z.array(
    z.object({
      id: z.string(),
      nickname: z.string(),
      user_id: z.string(),
      mode: z.enum(botModes),
      status: z.enum(botStatuses),
      exchange_id: z.string(),
      version: z.number().int().nullable(), // that it runs
    }),
  ), // that use it, of those the caller may see
});

/** One version of a strategy of rules. */
export const ruleVersion = z.object({
  version: z.number().int(),
  made_at: moment,
  made_by: z.string().nullable(), // e-mail; null: the account is gone, or is not the caller's to see
  document: documentOfRules.nullable(), // see `ruleStrategy`
});

const traders = { who: ['admin', 'trader'], denied: tradersOnly } as const;
const saving = { 400: [rulesTooLarge, faultyRules, 'Invalid timeframe', trailingOffsetTooLow, trailingPositiveMissing] } as const;
const found = { 404: ['Strategy not found'] } as const;
const document = z.strictObject({ document: documentOfRules }, { error: texts.invalidRequest });

/** How many bytes a text has in UTF-8. */
function bytesOf(text: string): number {
  return encodeURIComponent(text).replaceAll(/%[0-9A-F]{2}/gu, '.').length;
}

/** Whether a document is as small as a new one must be. Those of earlier versions of the program may be larger, and are kept as they are. */
export function areSmallEnough(document: RulesDocument): boolean {
  return bytesOf(JSON.stringify(document)) <= mostBytesOfRules;
}

/** Calls about strategies of rules: those of the caller and those that are shared; for admins all. */
export const ruleStrategyRoutes = {
  listRules: defineRoute({
    id: 'ADD-list-rules',
    method: 'GET',
    path: '/rules',
    summary:
      "The strategies of rules that the caller may see: own and shared ones, and those that a visible bot uses; for admins everybody's.",
    access: { who: 'all', bot: 'visible' },
    reply: z.object({ rules: z.array(ruleStrategy) }), // own ones first, then by name
    errors: {},
  }),
  makeRules: defineRoute({
    id: 'ADD-make-rules',
    method: 'POST',
    path: '/rules',
    summary: 'Makes a strategy of rules, which nobody but its maker and admins can see.',
    access: traders,
    body: document,
    status: 201,
    reply: ruleStrategy,
    errors: joinTexts(saving, { 409: [tooManyRules] }),
  }),
  saveRules: defineRoute({
    id: 'ADD-save-rules',
    method: 'POST',
    path: '/rules/{id}',
    summary: 'Saves a new version of a strategy of rules. Bots run the version that they name until somebody has them take this one.',
    access: traders,
    params: z.object({ id }),
    body: document.extend({ based_on: z.int({ error: texts.invalidRequest }).min(1).max(1_000_000_000) }), // the version that was changed
    reply: ruleStrategy,
    errors: joinTexts(saving, found, { 403: [notYourRules], 409: [texts.changedMeanwhile] }),
  }),
  shareRules: defineRoute({
    id: 'ADD-share-rules',
    method: 'POST',
    path: '/rules/{id}/share',
    summary: 'Lets everybody see and use a strategy of rules, or its maker and admins alone. Bots that use it already continue.',
    access: traders,
    params: z.object({ id }),
    body: z.strictObject({ is_shared: z.boolean({ error: texts.invalidRequest }) }, { error: texts.invalidRequest }),
    reply: ruleStrategy,
    errors: joinTexts(found, { 403: [notYourRules] }),
  }),
  removeRules: defineRoute({
    id: 'ADD-remove-rules',
    method: 'POST',
    path: '/rules/{id}/remove',
    summary: 'Takes a strategy of rules that no bot uses out of all lists. Its backtests and old trades keep its name.',
    access: traders,
    params: z.object({ id }),
    body: z.strictObject({}, { error: texts.invalidRequest }),
    reply: z.object({ id: z.string() }),
    errors: joinTexts(found, { 403: [notYourRules], 409: [rulesInUse] }),
  }),
  listRuleVersions: defineRoute({
    id: 'ADD-rule-versions',
    method: 'GET',
    path: '/rules/{id}/versions',
    summary: 'The newest 100 versions of a strategy of rules, the newest first.',
    access: { who: 'all' },
    params: z.object({ id }),
    reply: z.object({ versions: z.array(ruleVersion) }),
    errors: found,
  }),
  ruleVersion: defineRoute({
    id: 'ADD-rule-version',
    method: 'GET',
    path: '/rules/{id}/versions/{version}',
    summary: 'One version of a strategy of rules.',
    access: { who: 'all' },
    params: z.object({ id, version: versionNumber }),
    reply: ruleVersion,
    errors: { 404: ['Strategy not found', 'Version not found'] },
  }),
} as const;
