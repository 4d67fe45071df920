import { z } from 'zod';
import { texts } from './errors.ts';
import { day, finite, oneOf, tradeModes } from './fields.ts';
import { defineRoute } from './route.ts';

/** One trader in one mode. */
export const investorRow = z.object({
  trader_id: z.string(),
  trader_name: z.string(), // e-mail; shortened for callers who are neither that person, admin nor operator
  mode: z.enum(tradeModes),
  total_pnl: finite,
  roi_percent: finite,
  max_drawdown: finite,
  num_trades: z.number().int(),
  win_rate: finite,
  sharpe_ratio: finite.nullable(),
  avg_latency: finite.nullable(),
  ml_label_count: z.number().int(),
  leaves_out: z.boolean().optional(), // trades in other currencies than dollars, whose profits are not added
});

const blankIsAbsent = (value: unknown): unknown => (value === '' ? undefined : value);

/** The call of the investor table. */
export const investorRoutes = {
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
