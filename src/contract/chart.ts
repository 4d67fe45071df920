import { z } from 'zod';
import { asksExchange, joinTexts, needsBot } from './errors.ts';
import { botAndSymbol, finite, momentMs } from './fields.ts';
import { defineRoute } from './route.ts';

/** Texts of every call about one symbol of one bot. */
export const needsBotAndSymbol = joinTexts(needsBot, {
  400: ['bot_id is required', 'symbol is required'],
  404: ['Trading pair not found'],
});

/** The candles of a bot's symbol in its own timeframe, oldest first; the last one may still be open. */
export const chartCandles = z.object({
  candles: z.array(z.object({ timestamp: momentMs, open: finite, high: finite, low: finite, close: finite, volume: finite })),
  timeframe: z.string(),
});

/** What is drawn over the candles: entries, stops that closed a trade, and the average anchored VWAP. */
export const chartOverlays = z.object({
  trades: z.array(z.object({ timestamp: momentMs, direction: z.enum(['long', 'short']) })),
  stops: z.array(z.object({ timestamp: momentMs })),
  avwap: z.array(z.object({ timestamp: momentMs, value: finite })),
});

/** Calls of the trade chart. */
export const chartRoutes = {
  chartCandles: defineRoute({
    id: 'API-16',
    method: 'GET',
    path: '/chart/candles',
    summary: "The last 300 candles of a bot's symbol.",
    access: { who: 'all', bot: 'visible' },
    query: botAndSymbol,
    reply: chartCandles,
    errors: joinTexts(needsBotAndSymbol, asksExchange),
  }),
  chartOverlays: defineRoute({
    id: 'API-17',
    method: 'GET',
    path: '/chart/overlays',
    summary: 'Entries, stops and the anchored VWAP over the same candles.',
    access: { who: 'all', bot: 'visible' },
    query: botAndSymbol,
    reply: chartOverlays,
    errors: joinTexts(needsBotAndSymbol, asksExchange),
  }),
} as const;
