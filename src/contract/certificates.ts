import { partNames } from '#engine/report/certificate/split-difference.ts';
import { z } from 'zod';
import { joinTexts, needsBot, texts } from './errors.ts';
import { day, finite, id, moment, tradeModes } from './fields.ts';
import { defineRoute } from './route.ts';

/** The refusal of a replay of a day that has not ended. */
export const dayNotOver = 'The day is not over yet';

/** The refusal of a replay of a day on which the bot neither decided nor held anything. */
export const didNotRun = 'The bot did not run on this day';

/** The refusal of a replay that somebody has asked for already. */
export const beingReplayed = 'The day is being replayed already';

/** The refusal of a file of a certificate that was not made. */
export const noCertificate = 'There is no certificate of this day';

/** So many certificates the line over time has at most; the newest. */
export const certificatesListed = 120;

/** So many bots the overview has at most; first those that need a look. */
export const certifiedBotsListed = 200;

/** So many candles and decisions that differ are listed one by one. */
export const differingListed = 50;

/** An exact decimal as text, e.g. '-0.25': a number of JSON would lose its last digits. */
const exact = z.string();

const figures = {
  day: z.string(), // YYYY-MM-DD, UTC
  state: z.enum(['waiting', 'replaying', 'done', 'failed']),
  why: z.string().nullable(), // of one that failed, in a sentence
  // What follows is of the newest replay that ended well, null before.
  mode: z.enum(tradeModes).nullable(),
  currency: z.string().nullable(),
  promised: exact.nullable(), // what the backtest makes of the day
  made: exact.nullable(), // what the account made of it
  share: finite.nullable(), // of the promise that reached the account, as a fraction; null where nothing was promised
  differing: z.number().int().nullable(), // decisions that differ on the same candles
  replayed_at: moment.nullable(),
};

const certificateFigures = z.object(figures);

/** What a difference comes of, in `currency`; they add up to it. A part of nothing is absent. */
const parts = z.partialRecord(z.enum(partNames), exact);

const certifiedTrade = z.object({
  symbol: z.string(),
  direction: z.enum(['long', 'short']),
  entry_at: moment,
  promised: exact.nullable(), // null: the backtest made no such trade
  made: exact.nullable(), // likewise of the account
  difference: exact,
  parts,
  why: z.string().nullable(), // of a trade that only one side has, or of an exit that was not the bot's, in words
  carried: z.boolean(), // held when the day began
  open: z.boolean(), // held when it ended
});

/** What a certificate says besides its figures. */
const certificate = z.object({
  parts,
  trades: z.array(certifiedTrade), // by the time of their entries
  trades_same: z.number().int(), // that both sides have made
  candles: z.object({
    replayed: z.number().int(),
    seen: z.number().int(), // that are kept as the bot saw them
    same: z.number().int(), // of these
    differing: z.number().int(), // of the warm-up too
    listed: z.array(z.object({ symbol: z.string(), open_time: moment, fields: z.array(z.string()) })),
  }),
  decisions: z.object({
    recorded: z.number().int(),
    same: z.number().int(),
    failed: z.number().int(), // the strategy gave no answer
    of_data: z.number().int(), // other because the candles were corrected
    differing: z.array(z.object({ symbol: z.string(), candle_time: moment })), // on the same candles: an alarm
  }),
  versions: z.array(z.object({ from: moment, bot: z.number().int(), strategy: z.number().int() })), // of the settings, in their sequence
  fingerprint: z.string(), // of the trades of the backtest: the same for the same replay
  took_ms: z.number().int(),
  notes: z.array(z.string()), // what there is to say of the replay besides: sentences about a strategy in Python
});

/** See `certificate`. */
export type CertificateReply = z.infer<typeof certificate>;

const ofDay = { access: { who: 'all', bot: 'own' }, params: z.object({ id, day }) } as const;

/** Calls about how much of what the backtest makes of a bot's day reached its account. */
export const certificateRoutes = {
  newestCertificates: defineRoute({
    id: 'ADD-newest-certificates',
    method: 'GET',
    path: '/certificates',
    summary: 'The newest certificate of each bot: of the caller, for admins of all; first those in which decisions differ or that failed.',
    access: { who: 'all' },
    reply: z.object({ certificates: z.array(certificateFigures.extend({ bot_id: z.string(), nickname: z.string() })) }),
    errors: {},
  }),
  botCertificates: defineRoute({
    id: 'ADD-certificates',
    method: 'GET',
    path: '/bots/{id}/certificates',
    summary: 'The certificates of a bot, the newest day first: what the backtest promised and what the account made.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    reply: z.object({ certificates: z.array(certificateFigures) }),
    errors: needsBot,
  }),
  botCertificate: defineRoute({
    id: 'ADD-certificate',
    method: 'GET',
    path: '/bots/{id}/certificates/{day}',
    summary: 'The certificate of a bot and a UTC day: the difference between backtest and account in parts that add up to it.',
    ...ofDay,
    reply: z.object({
      ...figures,
      state: z.enum(['none', 'waiting', 'replaying', 'done', 'failed']), // none: `why` says why there is no certificate
      why: z.string().nullable(),
      can_replay: z.boolean(),
      certificate: certificate.nullable(),
    }),
    errors: joinTexts(needsBot, { 400: ['Invalid date'] }),
  }),
  replayDay: defineRoute({
    id: 'ADD-replay-day',
    method: 'POST',
    path: '/bots/{id}/certificates/{day}/replay',
    summary:
      'Has a day of a bot replayed, once more where it was; the certificate follows within seconds, of a strategy in Python within minutes.',
    ...ofDay,
    reply: z.object({ state: z.enum(['waiting']) }),
    errors: joinTexts(needsBot, { 400: ['Invalid date', dayNotOver, didNotRun], 403: [texts.notVerified], 409: [beingReplayed] }),
  }),
  certificatePdf: defineRoute({
    id: 'ADD-certificate-pdf',
    method: 'GET',
    path: '/bots/{id}/certificates/{day}/pdf',
    summary: 'The certificate of a bot and a UTC day as a PDF file.',
    ...ofDay,
    reply: z.unknown(),
    replyType: 'application/pdf',
    errors: joinTexts(needsBot, { 400: ['Invalid date'], 404: [noCertificate] }),
  }),
} as const;
