import { z } from 'zod';
import { asksExchange, joinTexts, needsBot, texts } from './errors.ts';
import { botAndSymbol, finite, momentMs, pricedAt, tradeStatuses } from './fields.ts';
import { defineRoute } from './route.ts';
import { strategyTimeframes } from './strategy-timeframes.ts';

/** Texts of every call about one symbol of one bot. */
export const needsBotAndSymbol = joinTexts(needsBot, {
  400: ['bot_id is required', 'symbol is required'],
  404: ['Trading pair not found'],
});

const candle = z.object({ timestamp: momentMs, open: finite, high: finite, low: finite, close: finite, volume: finite });
const linePoint = z.object({ timestamp: momentMs, value: finite });

/**
 * The candles of a bot's symbol in its own timeframe, oldest first; the last one may still be open.
 *
 * Only where they were asked for, or have changed since the answer that `after` names, there is more and less: see
 * `candlesQuery`.
 */
export const chartCandles = z.object({
  candles: z.array(candle),
  timeframe: z.string(),
  is_partial: z.boolean().optional(), // only what has changed since the cursor that was given
  cursor: z.string().optional(), // to be given as `after`; absent when it is the one that was given
  price_tick: finite.nullable().optional(), // the market's smallest step of a price; left out of partial answers
  ...pricedAt,
  stop_price: finite.nullable().optional(), // of the open trade, now; absent without one
  avwap: z.array(linePoint).optional(), // of the candles in a partial answer
  overlays_version: z.string().optional(), // another one means: load the overlays again
  trades_version: z.string().optional(), // another one means: load figures and log again
});

/** A trade on the chart. An arrow at its entry, its exit once it has one; prices in quote currency. */
export const chartTrade = z.object({
  timestamp: momentMs,
  direction: z.enum(['long', 'short']),
  trade_id: z.string().optional(),
  status: z.enum(tradeStatuses).optional(),
  entry_price: finite.nullable().optional(),
  entry_tag: z.string().nullable().optional(),
  exit_timestamp: momentMs.nullable().optional(),
  exit_price: finite.nullable().optional(),
  exit_reason: z.string().nullable().optional(),
  pnl: finite.nullable().optional(), // after fees and funding; null while open
  pnl_ratio: finite.nullable().optional(), // of the stake
  stop_price: finite.nullable().optional(),
  target_price: finite.nullable().optional(), // where an open trade takes its profit now; null when it has no target
});

/** What is drawn over the candles: trades, stops that closed a trade, and the average anchored VWAP. */
export const chartOverlays = z.object({
  trades: z.array(chartTrade),
  stops: z.array(z.object({ timestamp: momentMs })),
  avwap: z.array(linePoint),
  avwap_anchors: z.array(momentMs).optional(), // the line begins at the first and is another one from the second on
  version: z.string().optional(),
  indicators: z.array(z.object({ name: z.string(), points: z.array(linePoint) })).optional(), // of the strategy; see `overlaysQuery`
});

const timeframe = z.enum(strategyTimeframes, { error: texts.invalidRequest }).optional();
const momentInQuery = z.coerce.number<number>().int().min(0).max(8_640_000_000_000_000).optional();

/**
 * What a chart may ask for besides bot and symbol. `timeframe`: another one than the bot's own. `after`: a cursor; the answer
 * has only the candles from that one on, and all of them when the cursor is not known. `before`: the 300 closed candles
 * before that time, in ms.
 */
export const candlesQuery = botAndSymbol.extend({
  timeframe,
  after: z.string().max(60, { abort: true }).optional(),
  before: momentInQuery,
});

/**
 * What an overlay may be asked for besides bot and symbol. `from`: also trades since that time, in ms. `indicators`: the values
 * of the strategy's indicators too, not their names alone; in the bot's own timeframe only.
 */
export const overlaysQuery = botAndSymbol.extend({ timeframe, from: momentInQuery, indicators: z.enum(['on']).optional() });

/** Calls of the trade chart. */
export const chartRoutes = {
  chartCandles: defineRoute({
    id: 'API-16',
    method: 'GET',
    path: '/chart/candles',
    summary: "The last 300 candles of a bot's symbol, or what has changed in them.",
    access: { who: 'all', bot: 'visible' },
    query: candlesQuery,
    reply: chartCandles,
    errors: joinTexts(needsBotAndSymbol, asksExchange),
  }),
  chartOverlays: defineRoute({
    id: 'API-17',
    method: 'GET',
    path: '/chart/overlays',
    summary: 'Trades, stops, the anchored VWAP and the indicators over the same candles.',
    access: { who: 'all', bot: 'visible' },
    query: overlaysQuery,
    reply: chartOverlays,
    errors: joinTexts(needsBotAndSymbol, asksExchange),
  }),
} as const;
