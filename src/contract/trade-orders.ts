import { orderStates } from '#engine/account/order-life.ts';
import { z } from 'zod';
import { decidedOn } from './decisions.ts';
import { texts } from './errors.ts';
import { finite, id, importSources, moment, tradeModes, tradeStatuses } from './fields.ts';
import { manualAction, tradeNotFound, tradeNotOpen } from './manual-action.ts';
import { defineRoute } from './route.ts';
import { whyNoStop } from './why-no-stop.ts';

/** The refusal to try a stop where none waits to be tried. */
export const noStopToTry = 'No stop of this trade waits to be tried again';

/** A state that an order came to, and what is known of it. */
const orderEvent = z.object({ at: moment, state: z.enum(orderStates), detail: z.string().nullable() });

/** One execution of an order. Price in quote currency, amount in base currency. */
const orderFill = z.object({
  fill_id: z.string(), // the exchange's
  at: moment,
  price: finite,
  amount: finite,
  fee: finite, // in `fee_currency`; negative was received
  fee_currency: z.string(),
  fee_value: finite.nullable(), // in quote currency; null while the price of its currency is not known
  is_maker: z.boolean(),
});

/** An order of a trade: what was decided, and what became of it. Amounts in base currency, prices in quote currency. */
export const tradeOrder = z.object({
  order_id: z.string(), // ours; the exchange knows it too
  exchange_order_id: z.string().nullable(),
  purpose: z.enum(['entry', 'exit', 'adjust', 'stop']),
  side: z.enum(['buy', 'sell']),
  type: z.enum(['limit', 'market', 'stop']),
  time_in_force: z.string(),
  price: finite.nullable(), // of a limit order; of the others what was decided at
  stop_price: finite.nullable(),
  requested: finite,
  filled: finite,
  average_price: finite.nullable(),
  reason: z.string().nullable(),
  signal_candle: moment.nullable(), // the closed candle that was decided on
  state: z.enum(orderStates),
  attempts: z.number().int(), // how often it was sent
  refusal: z.string().nullable(),
  planned_at: moment,
  sent_at: moment.nullable(), // the newest attempt
  acknowledged_at: moment.nullable(),
  expires_at: moment.nullable(), // the exchange does not take the newest attempt after this time
  closed_at: moment.nullable(),
  alike_before: z.number().int(), // so many stops right before it, which have failed as it and the one before them have, are left out
  stop_gap_ms: finite.nullable(), // of a stop that took another's place: how long none was confirmed before it
  events: z.array(orderEvent), // oldest first; none of a simulated order
  fills: z.array(orderFill), // oldest first
});

/** Calls about the orders of one trade, its end and its stop. */
export const tradeOrderRoutes = {
  tradeOrders: defineRoute({
    id: 'ADD-trade-orders',
    method: 'GET',
    path: '/trades/{id}/orders',
    summary: 'A trade with every order it made, what became of each, and when; of stops that fail in a row the first and the last.',
    access: { who: 'all', bot: 'visible' },
    params: z.object({ id }),
    query: z.object({ all: z.enum(['true']).optional() }), // also the stops that are left out between alike ones
    reply: z.object({
      time: moment, // the server's
      trade_id: z.string(),
      bot_id: z.string(),
      nickname: z.string(),
      exchange_id: z.string(),
      symbol: z.string(),
      direction: z.enum(['long', 'short']),
      mode: z.enum(tradeModes),
      status: z.enum(tradeStatuses),
      opened_at: moment,
      closed_at: moment.nullable(),
      amount: finite, // base currency
      leverage: finite,
      stake: finite, // stake currency
      entry_price: finite.nullable(),
      exit_price: finite.nullable(),
      stop_price: finite.nullable(),
      stop_by_hand: z.boolean(), // a person has put it there, and nothing else moves it
      stop_moves: z.array(z.object({ at: moment, price: finite })), // where it was set after the first, oldest first; the newest hundred
      by_hand: z.array(manualAction), // what people have asked for, newest first
      price_tick: finite.nullable(), // the market's smallest step of a price
      entry_tag: z.string().nullable(),
      exit_reason: z.string().nullable(),
      pnl: finite.nullable(), // after fees and funding, in stake currency; null while open
      pnl_ratio: finite.nullable(), // of the stake
      fees: finite, // stake currency
      funding: finite, // received; negative was paid
      close_asked_at: moment.nullable(), // a person wants it closed
      no_stop: z.object({ since: moment, ...whyNoStop }).nullable(), // it is live and has had no confirmed stop since then, for more than ten seconds
      left_over: finite, // base currency that its fills have left on a live account and that is too little to sell; 0 on paper
      may_close: z.boolean(), // the caller may close it
      // What was seen when it was decided to enter and to leave; null where no decision is kept, or it is not the caller's to see.
      entered_on: decidedOn.nullable(),
      left_on: decidedOn.nullable(),
      imported_from: z.enum(importSources).nullable().optional(), // the program that made it, and has its orders; null: the bot
      orders: z.array(tradeOrder), // oldest first
    }),
    errors: { 403: [texts.noAccessToBot], 404: [tradeNotFound] },
  }),
  closeTrade: defineRoute({
    id: 'ADD-close-trade',
    method: 'POST',
    path: '/trades/{id}/close',
    summary: 'Asks for an open trade to be closed at market; its bot does it within a second or two. Asked twice is once.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    reply: z.object({ trade_id: z.string(), close_asked_at: moment }),
    // The password is asked about for live trades only.
    errors: { 403: [texts.noAccessToBot, texts.passwordNeeded], 404: [tradeNotFound], 409: [tradeNotOpen] },
  }),
  tryStop: defineRoute({
    id: 'ADD-try-stop',
    method: 'POST',
    path: '/trades/{id}/try-stop',
    summary:
      'Asks for the stop of an open live trade to be tried now, and not after the pause that follows stops which have failed; its bot does it with the next price. Asked twice is once.',
    access: { who: 'all', bot: 'own' },
    params: z.object({ id }),
    reply: z.object({
      trade_id: z.string(),
      next_stop: z.enum(['asked', 'on-its-way']), // on its way: one was sent, and its outcome is not known yet
      stop_asked_at: moment.nullable(), // null: it is on its way
    }),
    errors: { 403: [texts.noAccessToBot], 404: [tradeNotFound], 409: [tradeNotOpen, noStopToTry] },
  }),
} as const;
