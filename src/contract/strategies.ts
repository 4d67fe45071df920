import { z } from 'zod';
import { joinTexts, mayNotRun, needsAdmin, texts } from './errors.ts';
import {
  botModes,
  botStatuses,
  finite,
  id,
  isOneLine,
  moment,
  momentMs,
  oneOf,
  requiredText,
  shortText,
  tradeModes,
  unlessWrongType,
} from './fields.ts';
import { defineRoute } from './route.ts';
import { strategyTimeframes } from './strategy-timeframes.ts';
import { settingsVersion, versionNumber } from './versions.ts';

/** What an order type is set for. */
export const orderActions = ['entry', 'exit', 'stoploss', 'stoploss_on_exchange'] as const;

/** The order types. */
export const orderTypes = ['limit', 'market'] as const;

/** What a time in force is set for. */
export const timeInForceActions = ['entry', 'exit'] as const;

/** The times in force. */
export const timesInForce = ['GTC', 'IOC', 'FOK'] as const;

/** Where what a strategy runs comes from. */
export const strategyKinds = ['built-in', 'rules', 'file'] as const;

/** How the last message or row of a strategy went; without an error it was delivered. */
const deliveryResult = z.object({ at: moment, error: z.string().nullable() });

/** A strategy with its trading settings. Fractions, never per cent; `minimal_roi` maps minutes to a fraction. */
export const strategy = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  strategy_class_name: z.string(),
  supported_exchanges: z.array(z.string()),
  default_timeframe: z.enum(strategyTimeframes),
  stoploss: finite,
  trailing_stop: z.boolean(),
  trailing_stop_positive: finite.nullable(),
  trailing_stop_positive_offset: finite.nullable(),
  trailing_only_offset_is_reached: z.boolean(),
  max_consecutive_losses: z.number().int(),
  risk_reward_ratio: finite.nullable(),
  minimal_roi: z.record(z.string(), finite),
  order_types: z.record(z.string(), z.enum(orderTypes)),
  order_time_in_force: z.record(z.string(), z.enum(timesInForce)),
  encrypted_webhook: z.string().nullable(), // in clear to admins, null to others
  encrypted_sheets_key: z.string().nullable(),
  version: z.number().int(), // of its settings
  webhook_result: deliveryResult.nullable(), // of the last message, to admins; null: none was sent
  sheet_result: deliveryResult.nullable(), // of the last row, likewise
  sheet_account: z.string().nullable(), // to admins: whom a spreadsheet is shared with; null: the server has no access, and writes no rows
  kind: z.enum(strategyKinds), // where what it runs comes from
  code_version: z.number().int().nullable(), // the newest of what it runs; null for one that is part of the program
});

/** The refusal of trailing stops that contradict each other. */
export const trailingOffsetTooLow = 'Trailing stop offset must be above the positive trailing stop';

/** The refusal of a timeframe at which bots that follow the strategy could not trade. */
const timeframeNotThere = 'Bots of this strategy trade at an exchange without this timeframe: {exchange}';

/** The refusal of a trailing stop that would never begin. */
export const trailingPositiveMissing = 'Trailing only above the offset needs a positive trailing stop';

const roi = z
  .record(shortText(7, 'Invalid ROI entry'), z.number({ error: unlessWrongType('number', 'Invalid ROI entry') }), {
    error: unlessWrongType('table', 'ROI must have 1 to 3 entries'),
  })
  .refine((table) => Object.keys(table).length >= 1 && Object.keys(table).length <= 3, 'ROI must have 1 to 3 entries')
  .refine((table) => Object.entries(table).every(([minutes, ratio]) => /^\d{1,7}$/u.test(minutes) && ratio >= -1), 'Invalid ROI entry')
  .refine((table) => !risesWithTime(table), 'ROI must not rise with time');

/** A distance of the trailing stop; zero means none. */
const trailing = z
  .number({ error: unlessWrongType('number', 'Trailing stop must be a positive fraction') })
  .gte(0, 'Trailing stop must be a positive fraction')
  .lt(1, 'Trailing stop must be a positive fraction');

/** Whether a trade that is held longer would have to win more: nobody means that, who has mixed up the rows. */
function risesWithTime(table: Readonly<Record<string, number>>): boolean {
  const ratios = Object.entries(table)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, ratio]) => ratio);
  return ratios.some((ratio, i) => ratio > (ratios[i - 1] ?? Infinity));
}

/** A word for some of the given names. A name or a word that does not exist gives `message`, a wrong type the general text. */
function wordsFor<const Names extends readonly [string, ...string[]], const Words extends readonly [string, ...string[]]>(
  names: Names,
  words: Words,
  message: string,
) {
  return z.partialRecord(z.enum(names), oneOf(words, message), { error: unlessWrongType('table', message) });
}

const webhook = shortText(2000, 'Invalid webhook URL').refine((text) => text === '' || isWebhook(text), 'Invalid webhook URL');

/** Whether the text is an address below https of a host with a dot in its name, without user, password and blanks. */
function isWebhook(text: string): boolean {
  if (!text.startsWith('https://') || text.includes('@') || /\s/u.test(text)) return false;
  const [host = ''] = text.slice('https://'.length).split(/[/?#]/u, 1);
  return host.indexOf('.') > 0 && !host.endsWith('.');
}

/** The trading settings of a strategy, each with its check. Zero in an optional one means none. */
export const tradingFields = {
  timeframe: oneOf(strategyTimeframes, 'Invalid timeframe'),
  stoploss: z
    .number({ error: unlessWrongType('number', 'Stop loss must be a negative fraction') })
    .lt(0, 'Stop loss must be a negative fraction')
    .gte(-1, 'Stop loss must be a negative fraction'),
  trailing_stop: z.boolean(),
  trailing_stop_positive: trailing,
  trailing_stop_positive_offset: trailing,
  trailing_only_offset_is_reached: z.boolean(),
  max_consecutive_losses: z
    .int({ error: unlessWrongType('number', 'Max consecutive losses must be between 1 and 10') })
    .min(1, 'Max consecutive losses must be between 1 and 10')
    .max(10, 'Max consecutive losses must be between 1 and 10'),
  risk_reward_ratio: z
    .number({ error: unlessWrongType('number', 'Risk reward ratio must be at least 0.1') })
    .refine((ratio) => ratio === 0 || ratio >= 0.1, 'Risk reward ratio must be at least 0.1'),
  minimal_roi: roi,
};

/** Fields of a strategy an admin may change; at least one. Zero or '' in an optional one means none. */
export const strategyChanges = z
  .strictObject(
    {
      name: requiredText('Name is required', 120).refine(isOneLine, texts.invalidRequest).optional(),
      description: shortText(2000).optional(),
      supported_exchanges: z.array(shortText(200)).max(100).optional(),
      default_timeframe: tradingFields.timeframe.optional(),
      stoploss: tradingFields.stoploss.optional(),
      trailing_stop: tradingFields.trailing_stop.optional(),
      trailing_stop_positive: tradingFields.trailing_stop_positive.optional(),
      trailing_stop_positive_offset: tradingFields.trailing_stop_positive_offset.optional(),
      trailing_only_offset_is_reached: tradingFields.trailing_only_offset_is_reached.optional(),
      max_consecutive_losses: tradingFields.max_consecutive_losses.optional(),
      risk_reward_ratio: tradingFields.risk_reward_ratio.optional(),
      minimal_roi: tradingFields.minimal_roi.optional(),
      order_types: wordsFor(orderActions, orderTypes, 'Invalid order type').optional(),
      order_time_in_force: wordsFor(timeInForceActions, timesInForce, 'Invalid time in force').optional(),
      encrypted_webhook: webhook.optional(),
      encrypted_sheets_key: shortText(500).optional(),
    },
    { error: (issue) => (issue.code === 'unrecognized_keys' ? `Unknown field: ${issue.keys[0]}` : texts.invalidRequest) },
  )
  .refine((changes) => Object.keys(changes).length > 0, 'No fields to update');

/** How closed trades of a strategy went. Money in dollars; trades in other currencies are counted only. */
const tradeFigures = z.object({
  total_pnl: finite,
  sharpe_ratio: finite.nullable(),
  win_rate: finite,
  total_trades: z.number().int(),
  winning_trades: z.number().int(),
  losing_trades: z.number().int(),
  max_drawdown: finite,
  daily_pnl: z.array(z.object({ date: z.string(), pnl: finite })),
  leaves_out: z.boolean().optional(), // trades in other currencies
});

/** How the closed trades of a strategy went: in the most real mode that has any, and in the others apart, real money first. */
export const strategyPerformance = tradeFigures.extend({
  mode: z.enum(tradeModes).optional(), // absent without any trade
  other_modes: z.array(tradeFigures.extend({ mode: z.enum(tradeModes) })).optional(),
});

/** What a strategy says of itself, and how its last backtest went. */
export const strategyDetails = z.object({
  kind: z.string(), // 'trend'
  can_short: z.boolean(),
  startup_candles: z.number().int(), // needed before its first signal, at the timeframe it suggests, for its series too
  series: z.array(
    z.object({
      symbol: z.string().nullable(), // 'BTC/USDT', or '{base}/BTC' by the pair that is traded; null: the same pair
      timeframe: z.string().nullable(), // '1h'; null: its own
      startup_candles: z.number().int(), // of these
    }),
  ), // what it reads beside its own candles
  loses_when: z.string(), // which market makes it lose, and why
  parameters: z.array(
    z.object({
      name: z.string(), // 'fastPeriod'
      meaning: z.string(),
      default: finite, // what every bot and every backtest uses
      min: finite,
      max: finite,
      step: finite,
      unit: z.string(), // 'candles'; empty for a plain number
    }),
  ),
  last_backtest: z
    .object({
      id: z.string(),
      finished_at: moment,
      exchange: z.string(), // its name
      symbol: z.string(),
      trading_mode: z.string(),
      timeframe: z.string(),
      days: z.number().int(),
      net_pnl: finite,
      profit_ratio: finite, // of the starting balance
      total_trades: z.number().int(),
      win_rate: finite,
      equity: z.array(z.object({ time: momentMs, value: finite })),
    })
    .nullable(), // the newest finished one that the caller may see
});

/** What changes the trades of live bots takes the password. */
/** Why an administrator cannot have trades announced elsewhere. */
export const noIntegrationAfterReset = 'For 24 hours after a password reset no webhook and no sheets key can be set.';

const mayNeedPassword = joinTexts(needsAdmin, mayNotRun, { 403: [texts.notVerified, texts.passwordNeeded, texts.noRiskAfterReset] });

/** Calls about strategies. */
export const strategyRoutes = {
  listStrategies: defineRoute({
    id: 'API-27',
    method: 'GET',
    path: '/strategies',
    summary: 'All strategies.',
    access: { who: 'all' },
    reply: z.object({ strategies: z.array(strategy) }),
    errors: {},
  }),
  updateStrategy: defineRoute({
    id: 'API-39',
    method: 'PATCH',
    path: '/strategies/{id}',
    summary: 'Changes a strategy for all its bots.',
    access: { who: ['admin'], denied: texts.adminRequired },
    params: z.object({ id }),
    body: strategyChanges,
    reply: strategy,
    errors: {
      ...joinTexts(mayNeedPassword, { 403: [noIntegrationAfterReset] }),
      400: [
        ...mayNotRun[400],
        'No fields to update',
        'Unknown field: {name}',
        'Name is required',
        'Exchange not found: {id}',
        'Invalid timeframe',
        timeframeNotThere,
        'Stop loss must be a negative fraction',
        'Trailing stop must be a positive fraction',
        'Max consecutive losses must be between 1 and 10',
        'Risk reward ratio must be at least 0.1',
        'ROI must have 1 to 3 entries',
        'Invalid ROI entry',
        'ROI must not rise with time',
        'Invalid order type',
        'Invalid time in force',
        'Invalid webhook URL',
        trailingOffsetTooLow,
        trailingPositiveMissing,
      ],
      404: ['Strategy not found'],
      409: [texts.changedMeanwhile],
    },
  }),
  testWebhook: defineRoute({
    id: 'ADD-test-webhook',
    method: 'POST',
    path: '/strategies/{id}/test-webhook',
    summary: 'Sends a test message to the chat of a strategy and says how it went.',
    access: { who: ['admin'], denied: texts.adminRequired },
    params: z.object({ id }),
    reply: z.object({ error: z.string().nullable() }), // null: it was delivered
    errors: { ...needsAdmin, 400: ['No webhook is set'], 404: ['Strategy not found'] },
  }),
  testSheet: defineRoute({
    id: 'ADD-test-sheet',
    method: 'POST',
    path: '/strategies/{id}/test-sheet',
    summary: 'Appends a test row to the spreadsheet of a strategy and says how it went.',
    access: { who: ['admin'], denied: texts.adminRequired },
    params: z.object({ id }),
    reply: z.object({ error: z.string().nullable() }), // null: it was written
    errors: { ...needsAdmin, 400: ['No sheets key is set', 'This server has no access to spreadsheets'], 404: ['Strategy not found'] },
  }),
  listStrategyVersions: defineRoute({
    id: 'ADD-strategy-versions',
    method: 'GET',
    path: '/strategies/{id}/versions',
    summary: "The newest 200 versions of a strategy's settings, the newest first: who changed what, and what trades came to under each.",
    access: { who: ['admin'], denied: texts.adminRequired },
    params: z.object({ id }),
    reply: z.array(settingsVersion),
    errors: { ...needsAdmin, 404: ['Strategy not found'] },
  }),
  restoreStrategyVersion: defineRoute({
    id: 'ADD-restore-strategy-version',
    method: 'POST',
    path: '/strategies/{id}/versions/{version}/restore',
    summary: 'Restores the settings of an earlier version of a strategy, as a new version; its integrations stay.',
    access: { who: ['admin'], denied: texts.adminRequired },
    params: z.object({ id, version: versionNumber }),
    reply: strategy,
    errors: {
      ...mayNeedPassword,
      400: [...mayNotRun[400], timeframeNotThere, trailingOffsetTooLow, trailingPositiveMissing],
      404: ['Strategy not found', 'Version not found'],
      409: [texts.changedMeanwhile],
    },
  }),
  strategyPerformance: defineRoute({
    id: 'API-40',
    method: 'GET',
    path: '/strategies/{id}/performance',
    summary: 'How the trades of a strategy went.',
    access: { who: 'all' },
    params: z.object({ id }),
    reply: strategyPerformance,
    errors: { 404: ['Strategy not found'] },
  }),
  strategyDetails: defineRoute({
    id: 'ADD-strategy-details',
    method: 'GET',
    path: '/strategies/{id}/details',
    summary: 'What a strategy says of itself: its parameters and when it loses; and the newest backtest of it that the caller may see.',
    access: { who: 'all' },
    params: z.object({ id }),
    reply: strategyDetails,
    errors: { 404: ['Strategy not found'] },
  }),
  strategyBots: defineRoute({
    id: 'API-41',
    method: 'GET',
    path: '/strategies/{id}/bots',
    summary: 'Bots that use a strategy.',
    access: { who: 'all', bot: 'visible' },
    params: z.object({ id }),
    reply: z.object({
      bots: z.array(
        z.object({
          id: z.string(),
          nickname: z.string(),
          status: z.enum(botStatuses),
          mode: z.enum(botModes),
          exchange_id: z.string(),
          trading_pairs: z.array(z.string()),
        }),
      ),
    }),
    errors: { 404: ['Strategy not found'] },
  }),
} as const;
