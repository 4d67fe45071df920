import { z } from 'zod';
import type { ErrorTexts } from './errors.ts';
import { mayNotRun, texts } from './errors.ts';
import { finite, id, leverageModes, moment, momentMs, oneOf, requiredText, shortText, stakeAmount, unlessWrongType } from './fields.ts';
import { defineRoute } from './route.ts';
import { orderTypes, timesInForce } from './strategies.ts';
import { strategyTimeframes } from './strategy-timeframes.ts';

/** The timeframes the form of a backtest offers; one with the settings of a bot may be at any that a bot trades. */
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
  days: z.literal([...backtestDays], { error: unlessWrongType('number', 'Invalid data period') }),
  stake_amount: stakeAmount,
  max_open_trades: z
    .int({ error: unlessWrongType('number', 'Max open trades must be between 1 and 50') })
    .min(1, 'Max open trades must be between 1 and 50')
    .max(50, 'Max open trades must be between 1 and 50'),
};

/** So many days candles, trades and curves of a run are kept, and longer while it is among the newest 50 of its owner. */
export const detailsKeptDays = 90;

/** The refusal of what needs the details of a run that were removed. */
export const detailsWereRemoved = 'The candles and trades of this backtest were removed because it is old. Run it again first';

/** What a backtest came to. */
export const backtestReply = z.object({
  id: z.string(),
  metrics: z.object({ total_trades: z.number().int(), win_rate: finite, net_pnl: finite }),
  equity: z.array(z.object({ time: momentMs, value: finite })),
});

/** What a run looks like in full: asked for by its id, because it is long. */
export const backtestDetails = z.object({
  from: momentMs,
  to: momentMs,
  candle_timeframe: z.string(), // of `candles`; longer than the run's when it had too many to draw
  candles: z.array(z.object({ timestamp: momentMs, open: finite, high: finite, low: finite, close: finite, volume: finite })), // at most 3,000
  drawdown: z.array(z.object({ time: momentMs, value: finite })), // fall of the equity from its highest so far, in stake currency; 0 or negative
  trades: z.array(
    z.object({
      timestamp: momentMs, // of the entry
      exit_timestamp: momentMs,
      direction: z.enum(['long', 'short']),
      entry_price: finite,
      exit_price: finite,
      amount: finite,
      stake: finite,
      leverage: finite,
      pnl: finite,
      pnl_ratio: finite, // fraction of the stake
      entry_tag: z.string().nullable(),
      exit_reason: z.string(),
    }),
  ), // in closing order, at most 5,000
  metric_sets: z.array(
    z.object({
      name: z.string(), // 'per trade, freqtrade' or 'daily equity'
      metrics: z.array(
        z.object({
          name: z.string(), // 'Sharpe'
          value: finite.nullable(), // null: not available
          unit: z.enum(['money', 'ratio', 'number', 'count', 'minutes', 'days']), // a ratio is a fraction, shown as per cent
          meaning: z.string(), // how it is worked out, a sentence
        }),
      ),
    }),
  ),
  exit_reasons: z.array(z.object({ reason: z.string(), trades: z.number().int(), wins: z.number().int(), pnl: finite })),
  rejected_signals: z.number().int(), // entries for which no slot was free, as freqtrade counts them
  entries: z
    .object({
      signals: z.number().int(), // candles with a signal to enter: those that entered and all refused ones together
      entered: z.number().int(),
      unfilled: z.number().int(), // entry orders that never filled
      refused: z.array(z.object({ gate: z.string(), name: z.string(), count: z.number().int(), reason: z.string() })),
      no_trades: z.string().nullable(), // why there is not one trade
      stopped: z.string().nullable(), // when and why no more entries were made
    })
    .nullable()
    .default(null), // of runs before they were counted
  hold: z.array(z.object({ time: momentMs, value: finite })).default([]), // the start balance held in the symbol
  fee_ratio: finite.nullable().default(null), // of the value of each fill
  market_change: finite, // fraction
  mode: z.enum(['parity', 'realistic']),
  notes: z.array(z.string()).default([]), // what there is to say of the strategy, in sentences
});

/** The bot whose settings a backtest ran with, as they were then: its own, else those of its strategy. */
export const botOfBacktest = z.object({
  id: z.string(),
  nickname: z.string(),
  leverage: finite,
  leverage_mode: z.enum(leverageModes),
  stoploss: finite,
  minimal_roi: z.record(z.string(), finite),
  trailing_stop: z.boolean(),
  trailing_stop_positive: finite.nullable(),
  trailing_stop_positive_offset: finite,
  trailing_only_offset_is_reached: z.boolean(),
  max_consecutive_losses: z.number().int(),
  risk_reward_ratio: finite.nullable(),
  order_types: z.record(z.string(), z.enum(orderTypes)),
  order_time_in_force: z.record(z.string(), z.enum(timesInForce)),
  parameters: z.record(z.string(), finite),
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
  timeframe: z.enum(strategyTimeframes),
  days: z.number().int(),
  stake_amount: finite,
  max_open_trades: z.number().int(),
  bot: botOfBacktest.nullable(), // null: it ran with the settings of its strategy
  created_at: moment,
  finished_at: moment.nullable(),
  error: z.string().nullable(),
  is_own: z.boolean(), // the caller's own; for admins everybody's
  metrics: backtestReply.shape.metrics.nullable(),
  equity: backtestReply.shape.equity.nullable(),
  details_removed_at: moment.nullable(), // when equity and details of an old run were removed; its figures stay
  progress: finite, // 0 to 1, of the phase that `status` names
  step: z.string(), // what is being done: 'Downloading candles 2025-03 (120 of 365 days)'; empty when nothing is
  seconds_left: finite.nullable(), // of the phase, estimated; null while it cannot be known
  is_cancelled: z.boolean(), // a failed run that was cancelled
  details: backtestDetails.nullable().optional(), // only when asked for by id; null where it has none, or none any more
});

/** The refusal of a run with the settings of a bot that trades something else. */
export const otherThanBot = 'The bot trades another strategy, exchange or market';

/** The refusal of a download where the disk is nearly full. */
export const noRoomForCandles = 'There is not enough free disk space on the server for these candles. Ask its administrator.';

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
    ...mayNotRun[400],
  ],
  403: [texts.notVerified],
  404: ['Strategy not found', 'Exchange not found', 'Trading pair not found'],
  409: ['A backtest is already running', 'The backtest was cancelled'],
  502: ['Failed to download historical data', noRoomForCandles],
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
    body: z.strictObject({
      strategy_id: requiredText('Strategy is required').pipe(id),
      strategy_name: shortText(200).optional(),
      bot_id: id.optional(), // of the caller, admins any: the run takes the settings of this bot, its own and else its strategy's
      ...settings,
      timeframe: oneOf(strategyTimeframes, 'Invalid timeframe'), // without a bot one of those on offer
    }),
    reply: backtestReply,
    errors: {
      ...runTexts,
      403: [texts.noAccessToBot, texts.notVerified],
      404: [texts.botNotFound, 'Strategy not found', 'Exchange not found', 'Trading pair not found'],
      409: [otherThanBot, 'A backtest is already running', 'The backtest was cancelled'],
    },
  }),
  cancelBacktest: defineRoute({
    id: 'ADD-cancel-backtest',
    method: 'POST',
    path: '/backtest/{id}/cancel',
    summary: 'Cancels a backtest of the caller that has not ended; admins cancel any.',
    access: { who: 'all' },
    params: z.object({ id }),
    reply: z.object({ id: z.string() }),
    errors: { 404: ['Backtest not found'], 409: ['The backtest has already ended'] },
  }),
  backtestResults: defineRoute({
    id: 'API-44',
    method: 'GET',
    path: '/backtest/results',
    summary: "The newest 50 backtests of the caller; admins see everybody's. With an id: that one, in full.",
    access: { who: 'all' },
    query: z.object({ id: id.optional() }),
    reply: z.object({ results: z.array(backtestRun) }),
    errors: {},
  }),
} as const;
