import { z } from 'zod';
import { needsAdmin, texts } from './errors.ts';
import { finite, id, importSources, moment, oneOf, shortText, tradeModes, tradeStatuses } from './fields.ts';
import { defineRoute } from './route.ts';

/** A trade as the review shows it; `comment` is its note. */
export const reviewedTrade = z.object({
  trade_id: z.string(),
  bot_id: z.string(),
  timestamp: moment,
  symbol: z.string(),
  direction: z.enum(['long', 'short']),
  entry_price: finite.nullable(),
  exit_price: finite.nullable(),
  outcome: z.enum(['win', 'loss', 'neutral']),
  pnl: finite.nullable(),
  status: z.enum(tradeStatuses),
  mode: z.enum(tradeModes),
  confidence: finite.nullable(),
  comment: z.string().nullable(),
  imported_from: z.enum(importSources).nullable().optional(), // the program that made it; null: a bot of ours
});

/** Calls about trades of all bots. */
export const tradeRoutes = {
  listTrades: defineRoute({
    id: 'API-48',
    method: 'GET',
    path: '/trades',
    summary: 'The newest 1000 trades of a mode, newest first.',
    access: { who: ['admin'], denied: texts.adminRequired },
    query: z.object({ mode: oneOf(tradeModes, 'Mode must be paper, live or testnet').optional() }),
    reply: z.array(reviewedTrade),
    errors: { ...needsAdmin, 400: ['Mode must be paper, live or testnet'] },
  }),
  addTradeNote: defineRoute({
    id: 'API-49',
    method: 'POST',
    path: '/trades/{id}/add-note',
    summary: 'Sets the note of a trade.',
    access: { who: ['admin'], denied: 'Only admins can save trade notes' },
    params: z.object({ id }),
    body: z.strictObject({ note: shortText(2000, 'Note must be at most 2000 characters') }),
    reply: z.object({ trade_id: z.string(), note: z.string() }),
    errors: { 400: ['Note must be at most 2000 characters'], 404: ['Trade not found'] },
  }),
} as const;
