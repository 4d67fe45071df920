import { z } from 'zod';
import { lossNames, type LossName } from '#engine/lab/losses.ts';
import { samplerNames } from '#engine/lab/study.ts';
import { spaceNames } from '#engine/lab/dimension.ts';
import { studyStatuses } from '#engine/lab/study-record.ts';
import { botOfBacktest } from './backtests.ts';
import { mayNotRun, texts } from './errors.ts';
import { finite, id, moment, momentMs, oneOf, requiredText, shortText, unlessWrongType } from './fields.ts';
import { portfolioPlan, portfolioTexts } from './portfolios.ts';
import { defineRoute } from './route.ts';

/** The most epochs of a study. */
export const mostEpochs = 20_000;

/** The refusals of what a person can get wrong. */
export const studyTexts = {
  notFound: 'Study not found',
  spaces: 'Choose at least one space to search, each once',
  loss: `There is no such loss; there are ${lossNames.join(', ')}`,
  sampler: `There is no such sampler; there are ${samplerNames.join(', ')}`,
  epochs: `Epochs must be a whole number between 2 and ${mostEpochs}`,
  minTrades: 'Min trades must be a whole number between 0 and 100000',
  seed: 'The seed must be a whole number between 0 and 2147483647',
  earlyStop: `Early stop must be a whole number between 1 and ${mostEpochs}`,
  sealed: 'The sealed part must be between 1 and 90 %',
  space: 'This cannot be searched: {fault}',
  tooMany: 'You have 5 studies under way: wait for one to end, or cancel one',
  ended: 'The study has already ended',
  notEnded: 'The study has not ended: cancel it first',
  nothingSealed: 'Nothing of this study is sealed',
  notDone: 'The seal can be opened when the study has ended by itself',
  opened: 'The seal was opened before: for another epoch it proves nothing any more',
  epochFailed: 'Choose an epoch of this study that has not failed',
} as const;

const count = (least: number, most: number, message: string) =>
  z
    .int({ error: unlessWrongType('number', message) })
    .gte(least, message)
    .lte(most, message);

/** What is searched, and how. Ratios are fractions. */
export const studySearch = z.strictObject({
  spaces: z
    .array(oneOf(spaceNames, studyTexts.spaces), { error: unlessWrongType('list', studyTexts.spaces) })
    .min(1, studyTexts.spaces)
    .max(spaceNames.length, studyTexts.spaces)
    .refine((spaces) => new Set(spaces).size === spaces.length, studyTexts.spaces),
  // Other ranges than the usual ones, by the name of the number.
  ranges: z
    .array(
      z.strictObject({
        name: shortText(80),
        min: z.number({ error: unlessWrongType('number', texts.invalidRequest) }),
        max: z.number({ error: unlessWrongType('number', texts.invalidRequest) }),
        step: z.number({ error: unlessWrongType('number', texts.invalidRequest) }).nullable(), // null: the usual one
      }),
    )
    .max(100, texts.invalidRequest),
  sampler: oneOf(samplerNames, studyTexts.sampler),
  loss: oneOf(lossNames as [LossName, ...LossName[]], studyTexts.loss),
  epochs: count(2, mostEpochs, studyTexts.epochs),
  min_trades: count(0, 100_000, studyTexts.minTrades),
  seed: count(0, 2_147_483_647, studyTexts.seed).nullable(), // null: by chance
  early_stop: count(1, mostEpochs, studyTexts.earlyStop).nullable(), // ends after so many epochs without a better one
  sealed_ratio: z
    .number({ error: unlessWrongType('number', studyTexts.sealed) })
    .gte(0.01, studyTexts.sealed)
    .lte(0.9, studyTexts.sealed)
    .nullable(), // the last part of the time that is kept out
});

const dimension = z.object({
  name: z.string(), // 'fastPeriod', 'stoploss', 'roi_t1'
  space: z.enum(spaceNames),
  min: finite,
  max: finite,
  step: finite,
});

const figures = z.object({
  trades: z.number().int(),
  wins: z.number().int(),
  draws: z.number().int(),
  losses: z.number().int(),
  profit: finite, // stake currency
  profit_ratio: finite, // of the starting balance
  mean_profit_ratio: finite, // of the stakes
  average_duration_ms: finite,
  max_drawdown: finite, // stake currency, of closed trades
  max_drawdown_ratio: finite, // of the balance it fell from
});

/** One epoch: what was chosen, and what came of it or why nothing did. */
export const studyEpoch = z.object({
  epoch: z.number().int(), // from 1 on
  point: z.array(z.number().int()), // for each dimension the number of its value
  loss: finite.nullable(), // null: too few trades, or it failed
  figures: figures.nullable(),
  fault: z.string().nullable(),
});

const walk = z.object({
  steps: z.number().int(),
  chosen_profit: finite,
  next_profit: finite,
  efficiency: finite.nullable(),
  won: z.number().int(),
  // Each choice and what followed it: means for each day, fractions of the starting balance; none of a study of an earlier version.
  windows: z.array(z.object({ chosen: finite, next: finite })),
});
const span = z.object({ from: momentMs, to: momentMs }); // opening times, both included

/** A study, as it is listed. */
export const study = z.object({
  id: z.string(),
  status: z.enum(studyStatuses),
  step: z.string(), // what is being done before there are epochs
  error: z.string().nullable(),
  strategy_id: z.string(),
  strategy_name: z.string(),
  code_version: z.number().int().nullable(), // of the strategy; null for one that is part of the program
  exchange_id: z.string(),
  exchange_name: z.string(),
  plan: portfolioPlan,
  bot: botOfBacktest.nullable(), // whose settings it begins with; null: those of its strategy
  spaces: z.array(z.enum(spaceNames)),
  dimensions: z.array(dimension),
  sampler: z.enum(samplerNames),
  loss: z.string(),
  seed: z.number().int(),
  epochs_wanted: z.number().int(),
  min_trades: z.number().int(),
  early_stop: z.number().int().nullable(),
  sealed_ratio: finite.nullable(),
  epochs: z.number().int(), // so far
  best_epoch: z.number().int().nullable(),
  best_loss: finite.nullable(),
  is_own: z.boolean(),
  email: z.string().nullable(), // of who has begun it, for admins
  created_at: moment,
  started_at: moment.nullable(), // its first epochs
  finished_at: moment.nullable(),
});

/** What is said about a study beside its epochs. */
export const studyDetails = z.object({
  range: span,
  sealed: span.nullable(),
  notes: z.array(z.string()),
  configured: z.object({ trades: z.number().int(), profit: finite, profit_ratio: finite, max_drawdown_ratio: finite }), // with nothing turned
  market_change: finite, // of the pairs held over the same time
  tries: z.number().int(), // on this data so far
  studies: z.number().int(), // that made them
  luck: z.object({ sharpe: finite, luckiest: finite, probability: finite }).nullable(), // for a year; null before there is a best epoch
  judgement: z
    .object({
      overfitting: z.object({ probability: finite, splits: z.number().int() }).nullable(),
      anchored: walk.nullable(),
      rolling: walk.nullable(),
      neighbourhood: z.object({ count: z.number().int(), median_profit_ratio: finite, is_plateau: z.boolean() }).nullable(),
      doubled_fees: figures.nullable(),
      delayed_signals: figures.nullable(),
    })
    .nullable(), // of the best epoch; null until the study has ended by itself
  unsealed: z
    .object({ at: moment, email: z.string().nullable(), epoch: z.number().int(), figures: figures.nullable() }) // null until it was run; with an error of the study the run failed
    .nullable(), // null until it is opened
});

/** The most epochs of one answer: whoever wants more asks again. */
export const epochsAtOnce = 2_000;

const asked = {
  strategy_id: requiredText('Strategy is required').pipe(id),
  bot_id: id.optional(), // of the caller, admins any: the study begins with the settings of this bot
  plan: portfolioPlan,
};

const refused = {
  400: [
    'Strategy is required',
    'Exchange is required',
    'Trading mode must be spot or futures',
    'Invalid date',
    ...Object.values(portfolioTexts),
    studyTexts.spaces,
    studyTexts.loss,
    studyTexts.sampler,
    studyTexts.epochs,
    studyTexts.minTrades,
    studyTexts.seed,
    studyTexts.earlyStop,
    studyTexts.sealed,
    studyTexts.space,
    ...mayNotRun[400],
  ],
  403: [texts.noAccessToBot, texts.notVerified],
  404: [texts.botNotFound, 'Strategy not found', 'Exchange not found', 'Trading pair not found'],
  502: [texts.exchangeUnreachable],
} as const;

const ofStudy = { params: z.object({ id }), access: { who: 'all' } } as const;

/** Calls about studies: many backtests in search of parameters and settings. */
export const studyRoutes = {
  studySpace: defineRoute({
    id: 'ADD-study-space',
    method: 'POST',
    path: '/studies/space',
    changesNothing: true,
    summary: 'What a study would search: each number with its range.',
    access: { who: 'all' },
    body: z.strictObject({
      strategy_id: requiredText('Strategy is required').pipe(id),
      timeframe: portfolioPlan.shape.timeframe,
      is_stake_unlimited: z.boolean(),
      protections: portfolioPlan.shape.protections,
      spaces: studySearch.shape.spaces,
    }),
    reply: z.object({ dimensions: z.array(dimension) }),
    errors: {
      400: ['Strategy is required', portfolioTexts.timeframe, portfolioTexts.protections, studyTexts.spaces, ...mayNotRun[400]],
      404: ['Strategy not found'],
    },
  }),
  startStudy: defineRoute({
    id: 'ADD-start-study',
    method: 'POST',
    path: '/studies',
    summary: 'Begins a study; it continues whether or not anybody follows it, and after restarts.',
    access: { who: 'all' },
    body: z.strictObject({ ...asked, search: studySearch }),
    status: 201,
    reply: z.object({ id: z.string() }),
    errors: { ...refused, 409: [studyTexts.tooMany, 'The bot trades another strategy, exchange or market'] },
  }),
  listStudies: defineRoute({
    id: 'ADD-list-studies',
    method: 'GET',
    path: '/studies',
    summary: "50 studies of the caller, those under way first, then the newest; admins see everybody's.",
    access: { who: 'all' },
    reply: z.object({ studies: z.array(study) }),
    errors: {},
  }),
  study: defineRoute({
    id: 'ADD-study',
    method: 'GET',
    path: '/studies/{id}',
    summary: 'One study with its epochs after one of them, at most 2,000 at a time.',
    ...ofStudy,
    query: z.object({
      after: z
        .string()
        .regex(/^\d{1,9}$/u, texts.invalidRequest)
        .optional(),
    }),
    reply: z.object({ study, details: studyDetails.nullable(), epochs: z.array(studyEpoch) }), // no details until it was prepared
    errors: { 404: [studyTexts.notFound] },
  }),
  cancelStudy: defineRoute({
    id: 'ADD-cancel-study',
    method: 'POST',
    path: '/studies/{id}/cancel',
    summary: 'Ends a study; what was found stays.',
    ...ofStudy,
    reply: z.object({ id: z.string() }),
    errors: { 404: [studyTexts.notFound], 409: [studyTexts.ended] },
  }),
  openSeal: defineRoute({
    id: 'ADD-open-seal',
    method: 'POST',
    path: '/studies/{id}/open-seal',
    summary: 'Runs one epoch on the sealed time of a study: once for the whole study, which is recorded.',
    ...ofStudy,
    body: z.strictObject({ epoch: count(1, 1_000_000, studyTexts.epochFailed) }),
    reply: z.object({ id: z.string() }),
    errors: {
      400: [studyTexts.epochFailed],
      403: [texts.notVerified],
      404: [studyTexts.notFound],
      409: [studyTexts.nothingSealed, studyTexts.notDone, studyTexts.opened],
    },
  }),
  removeStudy: defineRoute({
    id: 'ADD-remove-study',
    method: 'POST',
    path: '/studies/{id}/remove',
    summary: 'Removes a study that has ended; its tries stay counted.',
    ...ofStudy,
    reply: z.object({ id: z.string() }),
    errors: { 404: [studyTexts.notFound], 409: [studyTexts.notEnded] },
  }),
} as const;
