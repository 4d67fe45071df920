import { z } from 'zod';
import { detailsWereRemoved, noRoomForCandles, tradingModes } from './backtests.ts';
import { joinTexts, texts } from './errors.ts';
import { finite, id, momentMs, oneOf, requiredText, shortText, unlessWrongType } from './fields.ts';
import { defineRoute } from './route.ts';
import { strategyDetails } from './strategies.ts';
import { strategyTimeframes } from './strategy-timeframes.ts';
import { versionNumber } from './versions.ts';

/** How far back a bot is replayed, in days. */
export const whatIfDays = [30, 90, 365] as const;

/** The most candles of a replay in the browser, those of all pairs and of details together. */
export const mostWhatIfCandles = 1_000_000;

/** The most candles before the range that may be asked for. */
export const mostWarmUp = 20_000;

/** The refusal of a question that names neither a run nor a bot, or both. */
export const whatIfOfWhat = 'Name a backtest or a bot';

/** The refusal of a replay of a run that has not ended well. */
export const runHasNoResult = 'The backtest has no result to compare with';

/** The refusal of a question that a newer one of the same person has replaced. */
export const whatIfOvertaken = 'A newer question has replaced this one';

const days = z.coerce
  .number({ error: unlessWrongType('number', 'Invalid data period') })
  .refine((value) => whatIfDays.some((offered) => offered === value), 'Invalid data period');

/** What is replayed: a run, or a bot over its last days. */
const subject = { run: id.optional(), bot: id.optional(), days: days.default(90) };

const plain = z.record(z.string(), z.unknown());

/** What is turned; a name that is missing stays as it really is. Ratios as fractions, money in stake currency. */
export const whatIfChanges = z.strictObject({
  stoploss: z.number().gte(-1).lt(0).optional(),
  trailing_stop: z.number().gte(0).lte(1).optional(), // 0 is none
  trailing_offset: z.number().gte(0).lte(1).optional(),
  roi_at_once: z.number().gte(0).lte(100).optional(),
  stake: z.number().positive().lte(1e12).optional(),
  max_open_trades: z.int().min(1).max(1_000).optional(),
  fee: z.number().gte(0).lte(0.1).optional(),
  parameters: z.record(shortText(100), z.number()).optional(), // those of the strategy that differ
});

/** A replay as it is compared with another: the engine's `WhatIfReport`. */
export const whatIfReport = z.object({
  fingerprint: z.string(),
  startTime: momentMs,
  endTime: momentMs,
  figures: z.object({
    netPnl: finite,
    trades: z.number().int(),
    winRate: finite.nullable(),
    maxDrawdown: finite,
    losingStreak: z.number().int(),
    fees: finite,
    sharpe: finite.nullable(),
  }),
  trades: z.array(
    z.object({
      symbol: z.string(),
      direction: z.enum(['long', 'short']),
      openTime: momentMs,
      closeTime: momentMs,
      entryPrice: finite,
      exitPrice: finite,
      profit: finite,
      exitReason: z.string(),
    }),
  ),
  equity: z.array(z.object({ time: momentMs, value: finite })),
  noTrades: z.string().nullable(),
  stopped: z.string().nullable(),
});

/** Where a strategy comes from: part of the program, a document of rules, a module of a file; null: the server calculates. */
const strategySource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('program'), module: z.string() }), // address of the module of the built-in strategies
  z.object({ kind: z.literal('rules'), document: plain }),
  z.object({ kind: z.literal('file'), module: z.string(), guard: z.string(), export_name: z.string() }), // addresses: of the file, and of what checks its answers
]);

/** All that a replay needs besides candles. */
export const whatIfSetup = z.object({
  title: z.string(), // 'EMA cross, BTC/USDT:USDT, 5m'
  run: z.string().nullable(), // one of the two
  bot: z.object({ id: z.string(), nickname: z.string(), version: z.number().int(), may_configure: z.boolean() }).nullable(),
  is_portfolio: z.boolean(), // of a run over several pairs
  strategy: z.object({
    id: z.string(),
    name: z.string(),
    class_name: z.string(),
    startup_candles: z.number().int(),
    series: strategyDetails.shape.series,
  }),
  declared: strategyDetails.shape.parameters,
  source: strategySource.nullable(),
  source_note: z.string().nullable(), // why the server calculates, a sentence
  why_not: z.string().nullable(), // why it cannot be replayed at all
  exchange_id: z.string(),
  trading_mode: z.enum(tradingModes),
  timeframe: z.enum(strategyTimeframes),
  detail_timeframe: z.enum(strategyTimeframes).nullable(),
  from: momentMs, // first candle of the range
  to: momentMs, // its end
  warm_up: z.number().int(), // candles before it
  pairs: z.array(z.string()), // in the order in which they get free slots
  others: z.array(z.string()), // pairs that are only read
  currency: z.string(), // of the stake
  settings: plain, // the engine's `TradingSettings`
  parameters: z.record(z.string(), finite),
  own_capital: z.boolean(), // the capital is set by itself; else it is the stake times the slots
  fee_note: z.string().nullable(), // what the fee contains besides
  fingerprint: z.object({ value: z.string(), trades: z.number().int().nullable() }).nullable(), // that the server has; of so many trades, null: of all. Null: it has to be asked for
});

/** Calls about replays with other settings. */
export const whatIfRoutes = {
  whatIf: defineRoute({
    id: 'ADD-what-if',
    method: 'GET',
    path: '/what-if',
    summary:
      'What a replay of a backtest, or of a bot over its last days, needs besides candles: settings, parameters, where the strategy is.',
    access: { who: 'all', bot: 'visible' },
    query: z.object(subject),
    reply: whatIfSetup,
    errors: {
      400: [whatIfOfWhat, 'Invalid data period', 'This version of Flotilla cannot run the strategy'],
      403: [texts.noAccessToBot],
      404: [texts.botNotFound, 'Backtest not found'],
      409: [runHasNoResult, detailsWereRemoved],
    },
  }),
  whatIfCandles: defineRoute({
    id: 'ADD-what-if-candles',
    method: 'GET',
    path: '/what-if/candles',
    summary:
      'Closed candles of a market over a range with those before it, its instrument and its funding, as `packHistory` packs them. What is missing is downloaded first, which may take minutes.',
    access: { who: 'all' },
    query: z.object({
      exchange: requiredText('Exchange is required', 100),
      symbol: requiredText('Symbol is required', 100),
      trading_mode: oneOf(tradingModes, 'Trading mode must be spot or futures'),
      timeframe: oneOf(strategyTimeframes, 'Invalid timeframe'),
      from: z.coerce.number().int().min(0).max(1e13),
      to: z.coerce.number().int().min(0).max(1e13),
      warm_up: z.coerce.number().int().min(0).max(mostWarmUp),
    }),
    reply: z.unknown(),
    replyType: 'application/octet-stream',
    errors: {
      400: [
        'Exchange is required',
        'Symbol is required',
        'Trading mode must be spot or futures',
        'Invalid timeframe',
        'Invalid data period',
      ],
      404: ['Exchange not found', 'Trading pair not found'],
      502: ['Failed to download historical data', noRoomForCandles],
    },
  }),
  whatIfAnswer: defineRoute({
    id: 'ADD-what-if-answer',
    method: 'POST',
    path: '/what-if/answer',
    summary:
      'What a backtest, or a bot over its last days, comes to with changes, calculated by the server. Without changes: as it really is.',
    access: { who: 'all', bot: 'visible' },
    changesNothing: true,
    body: z.strictObject({
      run: id.optional(),
      bot: id.optional(),
      days: z.literal([...whatIfDays], { error: unlessWrongType('number', 'Invalid data period') }).optional(),
      to: momentMs.optional(), // of a bot: the end of the range that the page has
      changes: whatIfChanges,
    }),
    reply: z.object({
      state: z.enum(['done', 'downloading', 'unavailable']),
      why: z.string().nullable(), // of what is not done, a sentence
      report: whatIfReport.nullable(),
      took_ms: finite.nullable(), // of the calculation alone
    }),
    errors: joinTexts({
      400: [whatIfOfWhat, 'Invalid data period', 'This version of Flotilla cannot run the strategy'],
      403: [texts.noAccessToBot],
      404: [texts.botNotFound, 'Backtest not found'],
      409: [runHasNoResult, detailsWereRemoved, whatIfOvertaken],
    }),
  }),
  strategyModule: defineRoute({
    id: 'ADD-strategy-module',
    method: 'GET',
    path: '/strategies/{id}/code/{version}/module/{path}',
    summary:
      'A file of a version of a strategy as a module for replays in the browser; its imports lead to modules of this server. Admins only, as its text.',
    access: { who: ['admin'], denied: texts.adminRequired },
    params: z.object({ id, version: versionNumber, path: shortText(400) }),
    reply: z.unknown(),
    replyType: 'text/javascript',
    errors: { 403: [texts.adminRequired], 404: ['Version not found'] },
  }),
} as const;
