import { z } from 'zod';
import { joinTexts, needsBot, texts } from './errors.ts';
import { finite, id, moment, oneOf, requiredText } from './fields.ts';
import { defineRoute } from './route.ts';

/** The refusal of a range that ends before it starts. */
export const rangeUpsideDown = 'The start of the range must be before its end';

/** The refusal of a range that is too long. */
export const rangeTooLong = 'A range may be at most 31 days long';

/** What a bot can do with a closed candle. */
export const decisionActions = ['enter', 'exit', 'hold', 'none'] as const;

/** How many decisions an answer has at most. */
export const decisionsPerPage = 100;

/** How many marks a chart gets at most; the newest. */
export const decisionMarksMax = 1000;

/** From how many closed candles how many trades came. `signals` is `entered` and all of `refused` together. */
const funnel = z.object({
  candles: z.number().int(),
  signals: z.number().int(), // to enter
  refused: z.array(z.object({ gate: z.string(), count: z.number().int() })), // the most frequent gate first
  entered: z.number().int(),
  closed: z.number().int(), // trades closed in the range, in the bot's current mode
  won: z.number().int(), // of those, with a profit
});

/** See `funnel`. */
export type DecisionFunnel = z.infer<typeof funnel>;

/** The candle without a signal that was nearest to one, where the strategy can say how near: 'RSI 31 of 30'. */
const nearest = z.object({ candle_time: moment, symbol: z.string(), name: z.string(), value: finite, threshold: finite });

/** See `nearest`. */
export type NearestCandle = z.infer<typeof nearest>;

/** What was seen with a decision; what was not known is absent. */
export const seen = z.object({
  values: z.record(z.string(), finite).optional(), // of the strategy's indicators, by name
  near: z.object({ direction: z.enum(['long', 'short']), name: z.string(), value: finite, threshold: finite }).optional(),
  price: finite.optional(), // the market's, where no price of the bot's own was looked at
  price_age_ms: finite.optional(), // since the prices last moved
  numbers: z.record(z.string(), finite).optional(), // what stood against the entry: open, most, until (ms), stake, available, limit
  // That refused the entry when it was written, by the name in the gate: whose it is, what was used with the entry, and its value.
  limit: z.object({ level: z.enum(['bot', 'user', 'server']), use: finite, value: finite }).optional(),
  failure: z.string().optional(), // of the strategy, which gave no answer about the candle: a sentence
});

/** See `seen`. */
export type DecisionSeen = z.infer<typeof seen>;

/** The decision that an order of a trade came of. */
export const decidedOn = z.object({
  candle_time: moment, // its opening
  tag: z.string().nullable(),
  confidence: finite.nullable(),
  price: finite.nullable(), // at which it was decided
  seen: seen.optional(),
});

/** See `decidedOn`. */
export type DecidedOn = z.infer<typeof decidedOn>;

/** What became of the candles of a bot over a time. */
export const candleCounts = z.object({
  candles: z.number().int(), // that have closed
  signals: z.number().int(), // to enter
  entered: z.number().int(),
  nearest: nearest.nullable(),
});

/** See `candleCounts`. */
export type CandleCounts = z.infer<typeof candleCounts>;

/** The refusal of a replay of what is not a refused entry. */
export const notReplayable = 'Only entries that a check has refused can be replayed';

/** The refusal of a replay that a newer one of the same person has overtaken. */
export const replayOvertaken = 'A newer replay has replaced this one';

/** How many refused entries are replayed at most; the newest. */
export const replayedMax = 200;

/** Whether what a check refused is an entry that could have been a trade of its own. */
export function isReplayable(gate: string): boolean {
  return !['no-signal', 'strategy-failed', 'has-open-trade', 'exit-not-profitable', 'account-differs'].includes(gate);
}

const gateName = z.string().regex(/^[a-z-]{1,40}$/u, { error: texts.invalidRequest });

/** What refused entries would have made, each as a single trade; money in quote currency, after fees and funding. */
const refusedReplay = z.object({
  from: moment, // opening of the candles that were asked about
  to: moment,
  until: moment, // end of the candles they are replayed on
  refused: z.number().int(), // all of this time
  left_out: z.number().int(), // of those the oldest, beyond `replayedMax`
  // The newest first.
  entries: z.array(
    z.object({
      candle_time: moment, // its opening
      symbol: z.string(),
      direction: z.enum(['long', 'short']),
      outcome: z.enum(['closed', 'open', 'not-made']),
      why: z.string().nullable(), // it was not made
      profit: finite.nullable(), // of one that is open: at the opening price of the newest candle
      closed_at: moment.nullable(),
      exit_reason: z.string().nullable(),
    }),
  ),
  // Of all that were made; those that are open are part of it.
  sums: z.array(
    z.object({
      currency: z.string(),
      profit: finite,
      won: z.number().int(),
      lost: z.number().int(),
      open: z.number().int(),
      open_profit: finite,
    }),
  ),
});

const inQuery = z.iso.datetime({ precision: 3, error: texts.invalidRequest });

/** Calls about why bots did what they did. */
export const decisionRoutes = {
  botDecisions: defineRoute({
    id: 'ADD-bot-decisions',
    method: 'GET',
    path: '/bots/{id}/decisions',
    summary: 'Why a bot did or did not trade: its decisions, the newest first, a hundred at a time, and what became of its signals.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    query: z.object({
      symbol: requiredText(texts.invalidRequest, 100).optional(),
      gate: gateName.optional(),
      action: oneOf(decisionActions, texts.invalidRequest).optional(),
      signals: z.enum(['only'], { error: texts.invalidRequest }).optional(), // only candles with a signal to enter
      from: inQuery.optional(), // opening time of candles; a day before `to` when absent
      to: inQuery.optional(), // not part of the range; now when absent
      before: z
        .string()
        .regex(/^\d{1,15}_.{1,100}$/u, { error: texts.invalidRequest })
        .optional(), // `next` of the page before
    }),
    reply: z.object({
      from: moment,
      to: moment,
      decisions: z.array(
        z.object({
          candle_time: moment, // its opening
          symbol: z.string(),
          action: z.string(),
          gate: z.string().nullable(), // the check that said no
          direction: z.enum(['long', 'short']).nullable(), // that the strategy wanted to enter
          tag: z.string().nullable(),
          confidence: finite.nullable(),
          price: finite.nullable(), // at which it would have entered or left
          seen: seen.optional(),
        }),
      ),
      next: z.string().nullable(), // to be given as `before`; null on the last page
      // Of the symbol, whatever gate or action is asked for; null on all pages but the first.
      funnels: z.object({ range: funnel, hour: funnel, day: funnel }).nullable(), // hour and day: candles closed since then
      nearest: z.object({ hour: nearest.nullable(), day: nearest.nullable() }).nullable(), // of the same candles as those funnels
    }),
    errors: joinTexts(needsBot, { 400: [rangeUpsideDown, rangeTooLong] }),
  }),
  replayRefused: defineRoute({
    id: 'ADD-replay-refused',
    method: 'POST',
    path: '/bots/{id}/replay-refused',
    summary: 'What the entries that a check of a bot has refused would have made, each as a single trade on the stored candles.',
    access: { who: 'all', bot: 'own' },
    changesNothing: true,
    params: z.object({ id }),
    body: z.strictObject({
      gate: gateName,
      symbol: requiredText(texts.invalidRequest, 100).optional(),
      from: inQuery.optional(), // opening time of candles; a day before `to` when absent
      to: inQuery.optional(), // not part of the range; now when absent
    }),
    reply: z.object({
      state: z.enum(['done', 'downloading', 'unavailable']),
      why: z.string().nullable(), // why there is no replay, or not yet
      replay: refusedReplay.nullable(),
    }),
    errors: joinTexts(needsBot, { 400: [rangeUpsideDown, rangeTooLong, notReplayable], 409: [replayOvertaken] }),
  }),
  botDecisionMarks: defineRoute({
    id: 'ADD-bot-decision-marks',
    method: 'GET',
    path: '/bots/{id}/decision-marks',
    summary: 'What a bot did with its signals in one pair, for the marks under a chart: entered, left, or refused by which check.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    query: z.object({
      symbol: requiredText(texts.invalidRequest, 100),
      from: inQuery.optional(), // opening time of candles; a day ago when absent, and never more than 31 days ago
    }),
    reply: z.object({
      // The oldest first. A signal that came while a trade of the pair was open is none: the chart shows the trade.
      marks: z.array(
        z.object({
          candle_time: moment, // its opening
          action: z.enum(['enter', 'exit', 'none']),
          gate: z.string().nullable(), // the check that said no
          direction: z.enum(['long', 'short']).nullable(),
        }),
      ),
    }),
    errors: needsBot,
  }),
} as const;
