import { z } from 'zod';
import { backtestDetails, backtestReply, botOfBacktest, tradingModes } from './backtests.ts';
import { joinTexts, mayNotRun, texts } from './errors.ts';
import { day, finite, id, moment, momentMs, oneOf, requiredText, shortText, unlessWrongType } from './fields.ts';
import { defineRoute } from './route.ts';
import { strategyTimeframes } from './strategy-timeframes.ts';

/** The most pairs of a run. */
export const mostPairs = 60;

/** The longest range of a run, in days: what is downloaded must be downloaded in a bearable time. */
export const mostPortfolioDays = 1_100;

/** The refusals of what a person can get wrong. */
export const portfolioTexts = {
  pairs: `Choose 1 to ${mostPairs} pairs, each once`,
  quotes: 'Choose pairs of one quote currency: what they earn is added up',
  range: 'The range must end after it begins, and not in the future',
  tooLong: `The range must have at most ${mostPortfolioDays} days`,
  tooMuch: 'These are more than 8 million candles: choose fewer pairs, a shorter range or a longer timeframe',
  timeframe: 'Invalid timeframe',
  detail: 'The detail timeframe must be shorter than the timeframe and divide it',
  slots: 'Max open trades must be between 1 and 100',
  balance: 'Starting balance must be positive',
  stake: 'Stake amount must be positive',
  stakeAboveBalance: 'Stake amount must not be above the starting balance',
  fee: 'Fee must be between 0 and 5 %',
  slippage: 'Slippage must be between 0 and 5 %',
  leverage: 'Leverage must be between 1 and 125',
  protections: 'Invalid protection',
} as const;

const cost = (message: string) =>
  z
    .number({ error: unlessWrongType('number', message) })
    .gte(0, message)
    .lte(0.05, message);

const minutes = z
  .int({ error: unlessWrongType('number', portfolioTexts.protections) })
  .min(1, portfolioTexts.protections)
  .max(43_200, portfolioTexts.protections);
const tradeLimit = z
  .int({ error: unlessWrongType('number', portfolioTexts.protections) })
  .min(1, portfolioTexts.protections)
  .max(100, portfolioTexts.protections);

/** The protections of a run, in freqtrade's meaning; minutes. */
const protection = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cooldown'), stopMinutes: minutes }),
  z.strictObject({ kind: z.literal('stoploss-guard'), lookbackMinutes: minutes, stopMinutes: minutes, tradeLimit }),
  z.strictObject({
    kind: z.literal('low-profit'),
    lookbackMinutes: minutes,
    stopMinutes: minutes,
    tradeLimit,
    requiredProfit: z.number().gte(-1).lte(1),
  }),
  z.strictObject({
    kind: z.literal('max-drawdown'),
    lookbackMinutes: minutes,
    stopMinutes: minutes,
    tradeLimit,
    maxAllowedDrawdown: z.number().gt(0).lte(1),
  }),
]);

const money = (message: string) =>
  z
    .number({ error: unlessWrongType('number', message) })
    .gte(1e-8, { error: message, abort: true })
    .lte(1e15, { error: texts.invalidRequest, abort: true });

/** What a backtest over several pairs is asked for. Ratios are fractions; days are UTC and both included. */
export const portfolioPlan = z.strictObject({
  exchange: requiredText('Exchange is required', 100),
  trading_mode: oneOf(tradingModes, 'Trading mode must be spot or futures'),
  pairs: z
    .array(shortText(60), { error: unlessWrongType('list', portfolioTexts.pairs) })
    .min(1, portfolioTexts.pairs)
    .max(mostPairs, portfolioTexts.pairs)
    .refine((pairs) => new Set(pairs).size === pairs.length, portfolioTexts.pairs),
  from: day,
  to: day,
  timeframe: oneOf(strategyTimeframes, portfolioTexts.timeframe),
  detail_timeframe: oneOf(strategyTimeframes, portfolioTexts.timeframe).nullable(), // replays the inside of each candle
  max_open_trades: z
    .int({ error: unlessWrongType('number', portfolioTexts.slots) })
    .min(1, portfolioTexts.slots)
    .max(100, portfolioTexts.slots),
  starting_balance: money(portfolioTexts.balance),
  stake_amount: money(portfolioTexts.stake).nullable(), // null: unlimited, the balance over the slots
  leverage: z
    .number({ error: unlessWrongType('number', portfolioTexts.leverage) })
    .gte(1, portfolioTexts.leverage)
    .lte(125, portfolioTexts.leverage),
  fee_ratio: cost(portfolioTexts.fee).nullable(), // of the value of each fill; null: what the market takes
  slippage_ratio: cost(portfolioTexts.slippage), // of the value of each fill, counted like a fee
  protections: z.array(protection).max(4, portfolioTexts.protections),
});

const group = z.object({
  key: z.string(),
  trades: z.number().int(),
  wins: z.number().int(),
  pnl: finite,
  profit_factor: finite.nullable(),
  best: finite,
  worst: finite,
  minutes: finite,
});

const timed = z.object({ time: momentMs, value: finite });

/** What a run over several pairs came to: see `PortfolioDetails` of the engine. */
export const portfolioDetails = z.object({
  version: z.literal(1),
  from: momentMs,
  to: momentMs,
  currency: z.string(),
  candles: z.number().int(),
  without_candles: z.array(z.string()),
  notes: z.array(z.string()).default([]), // what there is to say of the strategy, in sentences
  starting_balance: finite,
  final_balance: finite,
  net_pnl: finite,
  net_ratio: finite,
  hold_pnl: finite,
  fees: finite,
  slippage: finite,
  funding: finite.nullable(),
  max_drawdown: finite,
  max_drawdown_ratio: finite,
  sharpe: finite.nullable(),
  sortino: finite.nullable(),
  days: z.array(z.object({ day, pnl: finite, trades: z.number().int() })),
  months: z.array(z.object({ month: z.string(), pnl: finite, ratio: finite, trades: z.number().int(), wins: z.number().int() })),
  total: group,
  pairs: z.array(group),
  directions: z.array(group),
  entry_tags: z.array(group),
  exit_reasons: z.array(group),
  weekdays: z.array(group),
  hours: z.array(group),
  equity: z.array(timed),
  drawdown: z.array(timed),
  hold: z.array(timed),
  entries: backtestDetails.shape.entries.unwrap().unwrap(),
  refused: z.array(z.object({ time: momentMs, symbol: z.string(), gate: z.string(), name: z.string() })),
  trades: z.array(backtestDetails.shape.trades.element.extend({ symbol: z.string() })),
  fingerprint: z.string(),
});

/** A run over several pairs, as it is listed. */
export const portfolioRun = z.object({
  id: z.string(),
  status: z.enum(['downloading', 'running', 'done', 'failed']),
  strategy_id: z.string(),
  strategy_name: z.string(),
  code_version: z.number().int().nullable(), // of the strategy; null for one that is part of the program
  exchange_name: z.string(),
  plan: portfolioPlan,
  bot: botOfBacktest.nullable(), // whose settings it ran with; null: those of its strategy
  created_at: moment,
  finished_at: moment.nullable(),
  error: z.string().nullable(),
  is_own: z.boolean(),
  metrics: backtestReply.shape.metrics.nullable(),
  equity: backtestReply.shape.equity.nullable(),
  details_removed_at: moment.nullable(), // as of a backtest over one pair
  progress: finite, // 0 to 1, of the phase that `status` names
  step: z.string(),
  seconds_left: finite.nullable(),
  is_cancelled: z.boolean(),
  tries: z.number().int(), // how many runs of the caller with this strategy overlap its range, this one included
});

/** Calls about backtests over several pairs. They are cancelled like any other. */
export const portfolioRoutes = {
  startPortfolio: defineRoute({
    id: 'ADD-start-portfolio',
    method: 'POST',
    path: '/portfolios',
    summary: 'Starts a backtest over several pairs; it continues whether or not anybody waits for it.',
    access: { who: 'all' },
    body: z.strictObject({
      strategy_id: requiredText('Strategy is required').pipe(id),
      bot_id: id.optional(), // of the caller, admins any: the run takes the settings of this bot, its own and else its strategy's
      plan: portfolioPlan,
    }),
    status: 201,
    reply: z.object({ id: z.string() }),
    errors: {
      400: [
        'Strategy is required',
        'Exchange is required',
        'Trading mode must be spot or futures',
        'Invalid date',
        ...Object.values(portfolioTexts),
        ...mayNotRun[400],
      ],
      403: [texts.noAccessToBot, texts.notVerified],
      404: [texts.botNotFound, 'Strategy not found', 'Exchange not found', 'Trading pair not found'],
      409: ['A backtest is already running', 'The bot trades another strategy, exchange or market'],
      502: [texts.exchangeUnreachable],
    },
  }),
  listPortfolios: defineRoute({
    id: 'ADD-list-portfolios',
    method: 'GET',
    path: '/portfolios',
    summary: "The newest 50 backtests over several pairs of the caller; admins see everybody's.",
    access: { who: 'all' },
    reply: z.object({ runs: z.array(portfolioRun) }),
    errors: {},
  }),
  portfolio: defineRoute({
    id: 'ADD-portfolio',
    method: 'GET',
    path: '/portfolios/{id}',
    summary: 'One backtest over several pairs, in full.',
    access: { who: 'all' },
    params: z.object({ id }),
    reply: z.object({ run: portfolioRun, details: portfolioDetails.nullable() }),
    errors: joinTexts({ 404: ['Backtest not found'] }),
  }),
} as const;
