import { z } from 'zod';
import { needsAdmin, texts } from './errors.ts';
import { finite } from './fields.ts';
import { defineRoute } from './route.ts';

const trader = z.object({ id: z.string(), email: z.string() });

/** What the closed trades of one mode come to. */
const tradeResults = z.object({
  trade_count: z.number().int(),
  cumulative_pnl: finite,
  win_rate: finite,
  avg_pnl_per_trade: finite, // of those that were added
  wins: z.number().int(),
  losses: z.number().int(),
  leaves_out: z.boolean().optional(), // trades in other currencies than dollars, whose profits are not added
  strategy_breakdown: z.record(
    z.string(),
    z.object({ trade_count: z.number().int(), total_pnl: finite, wins: z.number().int(), losses: z.number().int(), win_rate: finite }),
  ),
});

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
  leaves_out: z.boolean().optional(), // live trades or capital in other currencies than dollars
  paper_trades: tradeResults,
  testnet_trades: tradeResults, // of test networks; never part of the live figures
});

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
} as const;
