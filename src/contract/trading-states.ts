import { z } from 'zod';
import { joinTexts, needsAdmin, needsBot, texts } from './errors.ts';
import { id, moment, oneOf, tradeModes } from './fields.ts';
import { defineRoute } from './route.ts';

/** What a kill switch leaves of trading: everything; no new entries; nothing but stops. */
export const tradingStates = ['active', 'reducing', 'halted'] as const;

/** Whose trading a kill switch is about: everybody's, a user's, or one bot's. */
export const tradingLevels = ['server', 'user', 'bot'] as const;

/** Why an owner cannot re-arm. */
export const stoppedByAdmin = 'An administrator has stopped this. Only an administrator can re-arm it.';

/** Why a switch is not lifted: it says something else than what was seen. */
export const switchSetAgain = 'The switch was set again meanwhile. Look at what it says now.';

const state = z.enum(tradingStates);
const level = oneOf(tradingLevels, texts.invalidRequest);

/** Which switch; without an id, of the level user: the caller's own. */
const target = z.strictObject({ level, id: id.optional() }).refine((asked) => asked.level !== 'bot' || asked.id !== undefined, {
  error: texts.invalidRequest,
});

/** What has to be typed before everything is closed. */
export const closeAllWords = 'CLOSE ALL';

/** How far closing everything has come, of the trades that the caller may see. */
const closingAll = z.object({
  asked_at: moment,
  closed: z.number().int(), // trades since then
  open: z.number().int(),
  waiting: z.array(
    z.object({
      trade_id: z.string(),
      nickname: z.string(), // of its bot
      symbol: z.string(),
      direction: z.enum(['long', 'short']),
      mode: z.enum(tradeModes),
      why: z.string(), // why it is not closed yet, a sentence
    }),
  ), // of the open ones the first 20
});

/** A switch as it was last set. */
export const tradingSwitch = z.object({
  level: z.enum(tradingLevels),
  id: z.string().nullable(), // of the user or bot
  name: z.string().nullable(), // the user's email, the bot's nickname
  state,
  set_by: z.string().nullable(), // email; null: an administrator, or an account that is gone
  set_at: moment, // as which it is seen: when it was set, or a further reason came behind it
  since: moment, // when it was set
  reason: z.enum(['person', 'daily-loss', 'drawdown', 'difference']), // what set it: a person, a loss that has reached its limit, or an account that differs from the trades
  behind: z.array(z.string()), // for whoever may re-arm it: the limits that were reached and the differences that are open, a sentence each
  may_re_arm: z.boolean(), // the caller may
  closing_all: closingAll.nullable(), // a person has asked for all its open trades to be closed
});

/** What is left open when trading was stopped. */
const left = z.object({ state, bots: z.number().int(), open_trades: z.number().int() });

const refusals = joinTexts(needsBot, needsAdmin, { 404: ['User not found'] });

/** Calls about the kill switch. */
export const tradingStateRoutes = {
  getTradingState: defineRoute({
    id: 'ADD-trading-state',
    method: 'GET',
    path: '/trading-state',
    summary: "The kill switch: whether the caller's bots trade, and every switch that was set; for admins those of all users.",
    access: { who: 'all' },
    reply: z.object({
      own: state, // of the caller's bots, by the server's switch and the caller's
      server: state,
      own_bots: z.number().int(),
      own_open_trades: z.number().int(),
      all_bots: z.number().int().nullable(), // for admins
      all_open_trades: z.number().int().nullable(),
      switches: z.array(tradingSwitch), // the server's first, then users', then bots'
    }),
    errors: {},
  }),
  stopTrading: defineRoute({
    id: 'ADD-stop-trading',
    method: 'POST',
    path: '/trading-state/stop',
    summary: 'Stops entries, or all but stops, of a bot, a user or the server. After the answer no entry is made. A stricter stop stays.',
    access: { who: 'all' },
    body: target.safeExtend({ state: oneOf(['reducing', 'halted'], texts.invalidRequest) }),
    reply: left,
    errors: refusals,
  }),
  closeAll: defineRoute({
    id: 'ADD-close-all',
    method: 'POST',
    path: '/trading-state/close-all',
    summary: 'Halts a bot, a user or the server, and asks for all their open trades to be closed at market. Their runners do it at once.',
    access: { who: 'all', stepUp: true },
    body: target.safeExtend({ confirm: z.literal(closeAllWords, { error: texts.invalidRequest }) }),
    reply: left,
    errors: refusals,
  }),
  reArmTrading: defineRoute({
    id: 'ADD-re-arm-trading',
    method: 'POST',
    path: '/trading-state/re-arm',
    summary:
      'Lets a bot, a user or the server trade again, or with state reducing only leave trades again. With set_at, only what was set then.',
    access: { who: 'all', stepUp: true },
    body: target.safeExtend({
      state: oneOf(['active', 'reducing'], texts.invalidRequest),
      set_at: z.iso.datetime({ precision: 3 }).optional(), // of the switch as it was seen; absent: whatever it says now is lifted
    }),
    reply: left,
    errors: joinTexts(refusals, { 403: [stoppedByAdmin, texts.notVerified], 409: [switchSetAgain] }),
  }),
} as const;
