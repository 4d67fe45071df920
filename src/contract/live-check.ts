import { z } from 'zod';
import { joinTexts, needsBot, texts } from './errors.ts';
import { finite, id, moment } from './fields.ts';
import { defineRoute } from './route.ts';
import { tradingStates } from './trading-states.ts';

const drill = z.object({
  run_at: moment,
  is_current: z.boolean(), // false: it was about other settings than the bot has now
  minutes: z.number().int(), // that passed for the bot
  pairs: z.array(z.string()), // that it traded
  kills: z.number().int(), // its process was killed so often
  freezes: z.number().int(), // and frozen so often until another had taken over
  faults: z.number().int(), // requests and reports that failed, were late, lost or repeated
  orders: z.number().int(), // that the exchange has taken
  lost_answers: z.number().int(), // orders of which it was not known for a while whether the exchange had taken them
  stops: z.number().int(), // among the orders
  longest_without_stop_ms: finite, // that something was held without a stop or an exit at the exchange
  trades: z.number().int(), // that were closed
  refusals: z.array(z.object({ gate: z.string(), count: z.number().int() })), // why signals did not become entries
  leftovers: z.array(z.string()), // coins that were too few for an order at the end
  differences: z.array(z.string()), // between the bot's books and the exchange's at the end; empty when all is well
});

/** Calls about what a person should know before a bot trades live. */
export const liveCheckRoutes = {
  liveCheck: defineRoute({
    id: 'ADD-live-check',
    method: 'GET',
    path: '/bots/{id}/live-check',
    summary: 'What is known of a bot before it is switched to live: its key, the store, the kill switch, the clock.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    reply: z.object({
      key: z
        .object({
          label: z.string().nullable(),
          hint: z.string(), // its last four characters
          checked_at: moment.nullable(),
          check: z.enum(['ok', 'refused', 'unreachable']).nullable(), // what the exchange said; null: it was not asked
          can_trade: z.boolean().nullable(), // null: the exchange does not say
          can_withdraw: z.boolean().nullable(),
        })
        .nullable(), // null: the bot has none
      live_enabled: z.boolean(), // on this server
      store_fault: z.string().nullable(), // why real money must not depend on the database
      trading_state: z.enum(tradingStates), // the kill switch as it holds for this bot
      owner_verified: z.boolean(),
      open_trades: z.number().int(), // of the bot, in its current mode
      clock_offset_ms: finite.nullable(), // how far this server's clock is behind the exchange's; null: not measured yet
      password_needed: z.boolean(), // the password must be entered again first
      drill: drill.nullable(), // the newest; null: none was run
    }),
    errors: needsBot,
  }),
  freeBalance: defineRoute({
    id: 'ADD-free-balance',
    method: 'POST',
    path: '/bots/{id}/free-balance',
    summary: "Asks the exchange what the account of a bot's key has free in the stake currency, and answers when that is known.",
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    reply: z.object({
      currency: z.string(),
      free: finite.nullable(), // on perpetuals what is available for new positions; null: not known
      read_at: moment.nullable(), // when the exchange was asked; null: it was not
      why: z.string().nullable(), // why `free` is not known
    }),
    errors: needsBot,
  }),
  runDrill: defineRoute({
    id: 'ADD-run-drill',
    method: 'POST',
    path: '/bots/{id}/drill',
    summary: 'Runs a bot with its settings for an hour at a simulated exchange with faults of all kinds, and keeps the result.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    reply: z.object({ why: z.string().nullable(), drill: drill.nullable() }), // why there is no drill; one of them is null
    errors: joinTexts(needsBot, { 403: [texts.notVerified], 409: [texts.botArchived] }),
  }),
} as const;
