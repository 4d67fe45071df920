import { z } from 'zod';
import { needsAdmin, texts } from './errors.ts';
import { day, finite, oneOf, tradeModes } from './fields.ts';
import { defineRoute } from './route.ts';

const trader = z.object({ id: z.string(), email: z.string() });

/** All money under management. Maps are by strategy name. */
export const fundOverview = z.object({
  total_aum: finite,
  strategy_allocation: z.record(z.string(), finite),
  leverage: z.record(z.string(), finite),
  margin_mode: z.record(z.string(), z.string()),
  bot_status: z.record(z.string(), z.string()),
  roi_percent: finite,
  win_rate: finite,
  sharpe_ratio: finite.nullable(),
  top_traders: z.array(trader),
  bottom_traders: z.array(trader),
  pnl_history: z.array(z.object({ date: z.string(), pnl: finite })),
  paper_trades: z.object({
    trade_count: z.number().int(),
    cumulative_pnl: finite,
    win_rate: finite,
    avg_pnl_per_trade: finite,
    wins: z.number().int(),
    losses: z.number().int(),
    strategy_breakdown: z.record(
      z.string(),
      z.object({ trade_count: z.number().int(), total_pnl: finite, wins: z.number().int(), losses: z.number().int(), win_rate: finite }),
    ),
  }),
});

/** One trader in one mode. */
export const investorRow = z.object({
  trader_id: z.string(),
  mode: z.enum(tradeModes),
  total_pnl: finite,
  roi_percent: finite,
  max_drawdown: finite,
  num_trades: z.number().int(),
  win_rate: finite,
  sharpe_ratio: finite.nullable(),
  avg_latency: finite.nullable(),
  ml_label_count: z.number().int(),
});

const blankIsAbsent = (value: unknown): unknown => (value === '' ? undefined : value);

/** Calls of the admin overview. */
export const fundRoutes = {
  fundOverview: defineRoute({
    id: 'API-45',
    method: 'GET',
    path: '/fund-overview',
    summary: 'All money under management.',
    access: { who: ['admin'], denied: texts.adminRequired },
    reply: fundOverview,
    errors: needsAdmin,
  }),
  investorSummary: defineRoute({
    id: 'API-46',
    method: 'GET',
    path: '/investor/summary',
    summary: 'How each trader did; traders see themselves.',
    access: { who: 'all' },
    query: z
      .object({
        start: z.preprocess(blankIsAbsent, day.optional()),
        end: z.preprocess(blankIsAbsent, day.optional()),
        trader_id: z.preprocess(blankIsAbsent, z.uuid({ error: 'Invalid trader ID format' }).optional()),
        mode: z.preprocess(blankIsAbsent, oneOf(tradeModes, 'Mode must be paper, live or testnet').optional()),
      })
      .refine(
        (query) => query.start === undefined || query.end === undefined || query.start <= query.end,
        'Start date must be before end date',
      ),
    reply: z.array(investorRow),
    errors: {
      400: ['Start date must be before end date', 'Invalid date', 'Invalid trader ID format', 'Mode must be paper, live or testnet'],
      403: [texts.adminRequired],
    },
  }),
} as const;
