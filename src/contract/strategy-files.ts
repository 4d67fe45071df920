import { z } from 'zod';
import { asksExchange, joinTexts, mayNotRun, needsBot, texts } from './errors.ts';
import { bot, otherMode, seenMode } from './bots.ts';
import { botModes, botStatuses, finite, id, moment } from './fields.ts';
import { defineRoute } from './route.ts';
import { strategyDetails } from './strategies.ts';
import { strategyTimeframes } from './strategy-timeframes.ts';
import { versionNumber } from './versions.ts';

/** The refusal to take a version that is not the newest. */
export const notTheNewest = 'There is a newer version meanwhile. Reload to see it.';

/** The refusal to take the version that a bot runs. */
export const runsItAlready = 'The bot runs this version already';

/** The refusal to take a version of what has none. */
export const hasNoVersions = 'The strategy of this bot is part of Flotilla and has no versions of its own';

/** The refusal to take a version of rules that their maker does not share any more. */
export const notSharedAnyMore = 'These rules are not shared any more. The bot continues with the version it runs.';

/** A strategy of a file: its newest version, and the bots that run it, as far as the caller may see them. */
const strategyOfFile = z.object({
  id: z.string(),
  name: z.string(),
  version: z.number().int(), // the newest that passed its checks
  made_at: moment, // when that was first seen
  notes: z.array(z.string()), // what there is to know of it before it runs, in sentences
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
  ),
});

/** A file of the strategies' folder, as it was when it was last looked at. */
export const strategyFile = z.object({
  path: z.string().nullable(), // below the folder; null to everybody but admins
  state: z.enum(['ready', 'refused', 'gone']),
  faults: z.array(z.string()), // why it was refused, in sentences; to admins
  checked_at: moment,
  compute_ms: finite.nullable(), // for 1,000 candles
  memory_mb: finite.nullable(),
  strategies: z.array(strategyOfFile),
});

/** What a version of a strategy says of itself; the texts of a file only to admins. */
export const strategyCode = z.object({
  version: z.number().int(),
  made_at: moment,
  file: z.string().nullable(),
  files: z.record(z.string(), z.string()).nullable(), // the text of the file and of all it imports, by path
  title: z.string(),
  description: z.string(),
  timeframe: z.enum(strategyTimeframes).nullable(),
  stoploss: finite,
  minimal_roi: z.record(z.string(), finite),
  trailing_stop: z.boolean(),
  callbacks: z.array(z.string()),
  ...strategyDetails.pick({ can_short: true, startup_candles: true, series: true, loses_when: true, parameters: true }).shape,
});

/** Calls about strategies of files and the versions of their code. */
export const strategyFileRoutes = {
  listStrategyFiles: defineRoute({
    id: 'ADD-strategy-files',
    method: 'GET',
    path: '/strategy-files',
    summary: "The files of the strategies' folder, their strategies, and which bots run which version. Paths and faults only to admins.",
    access: { who: 'all', bot: 'visible' },
    reply: z.object({
      folder: z.string().nullable(), // to admins, where this server keeps it
      files: z.array(strategyFile),
    }),
    errors: {},
  }),
  strategyCode: defineRoute({
    id: 'ADD-strategy-code',
    method: 'GET',
    path: '/strategies/{id}/code/{version}',
    summary: 'One version of what a strategy of a file or of rules runs: what it says of itself; the texts of a file only to admins.',
    access: { who: 'all' },
    params: z.object({ id, version: versionNumber }),
    reply: strategyCode,
    errors: { 404: ['Version not found'] },
  }),
  takeVersion: defineRoute({
    id: 'ADD-take-version',
    method: 'POST',
    path: '/bots/{id}/take-version',
    summary: 'Has a bot run the newest version of its strategy from the next candle on; its open trades stay.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    query: z.object({ mode: seenMode }), // the one that the person has seen
    body: z.strictObject({ version: z.int({ error: texts.invalidRequest }).min(1).max(1_000_000_000) }, { error: texts.invalidRequest }), // the one that the person has seen
    reply: bot,
    errors: joinTexts(needsBot, asksExchange, mayNotRun, {
      400: ['Mode must be paper or live'],
      403: [texts.notVerified, texts.passwordNeeded, texts.noRiskAfterReset, notSharedAnyMore],
      409: [notTheNewest, runsItAlready, hasNoVersions, texts.botArchived, texts.changedMeanwhile, otherMode],
    }),
  }),
} as const;
