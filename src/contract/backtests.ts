import { z } from 'zod';
import type { ErrorTexts } from './errors.ts';
import { finite, id, moment, momentMs, oneOf, requiredText } from './fields.ts';
import { defineRoute } from './route.ts';

/** The timeframes a backtest offers. */
export const backtestTimeframes = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;

/** The periods a backtest offers, in days. */
export const backtestDays = [7, 30, 60, 90, 180, 365] as const;

/** The kinds of trading a backtest offers. */
export const tradingModes = ['spot', 'futures'] as const;

const settings = {
  exchange: requiredText('Exchange is required'),
  symbol: requiredText('Symbol is required'),
  trading_mode: oneOf(tradingModes, 'Trading mode must be spot or futures'),
  timeframe: oneOf(backtestTimeframes, 'Invalid timeframe'),
  days: z.literal([...backtestDays], { error: 'Invalid data period' }),
  stake_amount: z.number({ error: 'Stake amount must be positive' }).gt(0, 'Stake amount must be positive'),
  max_open_trades: z
    .int({ error: 'Max open trades must be between 1 and 50' })
    .min(1, 'Max open trades must be between 1 and 50')
    .max(50, 'Max open trades must be between 1 and 50'),
};

/** What a backtest came to. */
export const backtestReply = z.object({
  id: z.string(),
  metrics: z.object({ total_trades: z.number().int(), win_rate: finite, net_pnl: finite }),
  equity: z.array(z.object({ time: momentMs, value: finite })),
});

/** One row of the list of backtests. */
export const backtestRun = z.object({
  id: z.string(),
  status: z.enum(['downloading', 'running', 'done', 'failed']),
  strategy_id: z.string(),
  strategy_name: z.string(),
  exchange: z.string(),
  symbol: z.string(),
  trading_mode: z.enum(tradingModes),
  timeframe: z.enum(backtestTimeframes),
  days: z.number().int(),
  stake_amount: finite,
  max_open_trades: z.number().int(),
  created_at: moment,
  finished_at: moment.nullable(),
  error: z.string().nullable(),
  metrics: backtestReply.shape.metrics.nullable(),
  equity: backtestReply.shape.equity.nullable(),
});

const runTexts: ErrorTexts = {
  400: [
    'Strategy is required',
    'Exchange is required',
    'Symbol is required',
    'Trading mode must be spot or futures',
    'Invalid timeframe',
    'Invalid data period',
    'Stake amount must be positive',
    'Max open trades must be between 1 and 50',
  ],
  404: ['Strategy not found', 'Exchange not found', 'Trading pair not found'],
  409: ['A backtest is already running'],
  502: ['Failed to download historical data'],
};

/** Calls about backtests. */
export const backtestRoutes = {
  backtestStrategy: defineRoute({
    id: 'API-42',
    method: 'POST',
    path: '/strategies/{id}/backtest',
    summary: 'Runs a backtest of one strategy.',
    access: { who: 'all' },
    params: z.object({ id }),
    body: z.strictObject(settings),
    reply: backtestReply,
    errors: runTexts,
  }),
  runBacktest: defineRoute({
    id: 'API-43',
    method: 'POST',
    path: '/backtest/run',
    summary: 'Runs a backtest; the answer comes with its result.',
    access: { who: 'all' },
    body: z.strictObject({ strategy_id: requiredText('Strategy is required').pipe(id), strategy_name: z.string().optional(), ...settings }),
    reply: backtestReply,
    errors: runTexts,
  }),
  backtestResults: defineRoute({
    id: 'API-44',
    method: 'GET',
    path: '/backtest/results',
    summary: "The newest 50 backtests of the caller; admins see everybody's.",
    access: { who: 'all' },
    reply: z.object({ results: z.array(backtestRun) }),
    errors: {},
  }),
} as const;
