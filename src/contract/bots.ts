import { marketTypes } from '#engine/market/instrument.ts';
import { z } from 'zod';
import { asksExchange, joinTexts, mayGoLive, mayNotRun, needsAdmin, needsBot, texts } from './errors.ts';
import {
  botModes,
  botStatuses,
  finite,
  id,
  importSources,
  isOneLine,
  leverageModes,
  moment,
  momentMs,
  oneOf,
  requiredText,
  shortText,
  stakeAmount,
  tradeStatuses,
  unlessWrongType,
} from './fields.ts';
import { botTags, tagTexts } from './bot-tags.ts';
import { defineRoute } from './route.ts';
import { settingsVersion, versionNumber } from './versions.ts';
import { ownSettings, ownSettingsChanges, ownSettingsTexts, unknownField, unofferedTimeframe } from './own-settings.ts';
import { strategyTimeframes } from './strategy-timeframes.ts';

/** The refusal of live mode on the day after a reset of the password. */
export const noLiveAfterReset = 'For 24 hours after a password reset no bot can be switched to live.';

/** The refusal to archive a bot that still runs. */
export const notStopped = 'Stop the bot before you archive it';

/** The refusal to delete a bot with a history. */
export const tradedAlready = 'It has traded: archive it instead';

/** The refusal to bring back a bot that nothing could run. */
export const rulesRemoved = 'The rules of this bot have been removed, so it stays archived';

/** The refusal of a bot that would take too many places of the runners. */
export const tooManyBots =
  'One person can have {count} bots here at most. Archive or delete some first; an archived one counts for a day more.';

/** The refusal of pairs that would be too many for one person. */
export const tooManyPairs =
  'The bots of one person can trade {count} pairs here at most. Remove some first; those of an archived bot count for a day more.';

/** The refusal of another stake currency for a bot whose profits and losses at an exchange are amounts in the one it has. */
export const keepsCurrency = 'This bot has traded at an exchange, so it keeps its stake currency. Create another bot for another currency.';

/** The refusal of another stake currency for a bot with limits that are amounts. */
export const limitsInCurrency = (currency: string): string =>
  `The limits of this bot are amounts in ${currency}. Remove them before you change its stake currency.`;

/** The same where an administrator has set one. */
export const ceilingsInCurrency = (currency: string): string =>
  `An administrator has limited this bot to amounts in ${currency}. An administrator must remove these limits before its stake currency can change.`;

/** A bot as the list shows it. Money in stake currency; `_pct` fields are per cent. */
export const bot = z.object({
  id: z.string(),
  nickname: z.string(),
  user_id: z.string(),
  email: z.string(), // shortened for callers who are neither owner, admin nor operator
  exchange_id: z.string(),
  strategy_id: z.string(),
  strategy_name: z.string(),
  trading_pairs: z.array(z.string()),
  stake_currency: z.string(),
  stake_amount: finite,
  mode: z.enum(botModes),
  status: z.enum(botStatuses),
  current_balance: finite,
  total_pnl: finite,
  total_pnl_pct: finite,
  max_open_trades: z.number().int(),
  leverage: finite,
  leverage_mode: z.enum(leverageModes),
  margin_mode: z.enum(marketTypes),
  current_consecutive_losses: z.number().int(),
  total_trades: z.number().int(),
  winning_trades: z.number().int(),
  losing_trades: z.number().int(),
  max_drawdown: finite,
  max_drawdown_pct: finite,
  starting_balance: finite,
  last_trade_at: moment.nullable(),
  last_updated: moment,
  timeframe: z.enum(strategyTimeframes),
  stoploss: finite,
  minimal_roi: z.record(z.string(), finite),
  trailing_stop: z.boolean(),
  max_consecutive_losses: z.number().int(),
  own_settings: ownSettings, // in place of its strategy's; empty for callers who are neither owner nor admin, as is the next
  own_settings_ignored: z.array(z.string()), // own parameters that its strategy no longer has, or no longer allows
  version: z.number().int(), // of its settings
  tags: z.array(z.string()),
  code_version: z.number().int().nullable(), // of what its strategy runs; null for one that is part of the program
  newest_code_version: z.number().int().nullable(), // of its strategy; the bot takes it only when its owner wants it
  archived_at: moment.nullable(), // null: it is not archived
  imported_trades: z.number().int(), // of its trades, made by another program: they count in its figures, and not in its balance
  imported_pnl: finite, // of its PnL
});

/** See `bot`. */
export type Bot = z.infer<typeof bot>;

/** A bot with its masked key and the values it really trades with. */
export const botConfig = bot.extend({
  api_key: z.object({ label: z.string().nullable(), key: z.string(), secret: z.string(), passphrase: z.string().nullable() }).nullable(),
  effective_timeframe: z.enum(strategyTimeframes),
  effective_stoploss: finite,
  effective_minimal_roi: z.record(z.string(), finite),
});

const marketType = oneOf(marketTypes, 'Market type is required');
const maxOpenTrades = z
  .int({ error: unlessWrongType('number', 'Max open trades must be between 1 and 50') })
  .min(1, { error: 'Max open trades must be between 1 and 50', abort: true })
  .max(50, { error: 'Max open trades must be between 1 and 50', abort: true });
const leverage = z
  .number({ error: unlessWrongType('number', 'Leverage must be between 1.0 and 125.0') })
  .min(1, { error: 'Leverage must be between 1.0 and 125.0', abort: true })
  .max(125, { error: 'Leverage must be between 1.0 and 125.0', abort: true });
const tradingPairs = z
  .array(shortText(100), { error: unlessWrongType('list', 'At least one trading pair is required') })
  .min(1, { error: 'At least one trading pair is required', abort: true })
  .max(500, texts.invalidRequest);
const nickname = shortText(60, 'Nickname must be at most 60 characters').refine(isOneLine, texts.invalidRequest);

/** The refusal of a change of a bot that is not in the mode the caller has seen. */
export const otherMode = 'The mode of this bot has changed meanwhile. Look at it again';

/** The refusal to activate a bot, or to pause a stopped one, whose status is not the one the caller has seen. */
export const otherStatus = 'The status of this bot has changed meanwhile. Look at it again';

/** The mode that the caller has seen: with another one nothing is done. */
export const seenMode = oneOf(botModes, 'Mode must be paper or live').optional();

/** The status that the caller has seen: a bot with another one is not made to do more than it does. Stopping, and pausing an active bot, are always done. */
const seenStatus = oneOf(botStatuses, 'Status must be active, paused or stopped').optional();

/** Fields of a new bot, in the order in which they are checked. */
export const newBot = z.strictObject({
  strategy_id: requiredText('Strategy is required').pipe(z.uuid({ error: 'Strategy is required' })),
  exchange_id: requiredText('Exchange is required'),
  margin_mode: marketType,
  stake_currency: requiredText('Stake currency is required'),
  stake_amount: stakeAmount,
  max_open_trades: maxOpenTrades,
  leverage,
  trading_pairs: tradingPairs,
  user_email: requiredText('User email is required'),
  mode: oneOf(botModes, 'Mode must be paper or live'),
  leverage_mode: oneOf(leverageModes, 'Leverage mode must be isolated or cross'),
  nickname: nickname.optional(),
  api_key_id: id.optional(), // of its owner, for the exchange
  own_settings: ownSettingsChanges.optional(),
});

/** What of a bot's trading may change. */
const tradingChanges = {
  exchange_id: requiredText('Exchange is required').optional(),
  margin_mode: marketType.optional(),
  stake_currency: requiredText('Stake currency is required').optional(),
  stake_amount: stakeAmount.optional(),
  max_open_trades: maxOpenTrades.optional(),
  leverage: leverage.optional(),
  trading_pairs: tradingPairs.optional(),
  leverage_mode: oneOf(leverageModes, 'Leverage mode must be isolated or cross').optional(),
  own_settings: ownSettingsChanges.optional(),
};

/** Fields of a bot that may change; at least one. */
export const botChanges = z
  .strictObject({ ...tradingChanges, nickname: nickname.optional(), api_key_id: id.optional() }, unknownField)
  .refine((changes) => Object.keys(changes).length > 0, 'No fields to update');

/** A trade of a bot. Prices in quote, volume in base, pnl in stake currency after fees; null while unknown. */
export const botTrade = z.object({
  trade_id: z.string(),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  entry_price: finite.nullable(),
  exit_price: finite.nullable(),
  volume: finite,
  pnl: finite.nullable(),
  entry_time: moment,
  exit_time: moment.nullable(),
  status: z.enum(tradeStatuses),
  note: z.string().nullable(),
  pnl_ratio: finite.nullable().optional(), // of the stake
  exit_reason: z.string().nullable().optional(), // the engine's name, or that of the strategy's signal
  price_tick: finite.nullable().optional(), // the market's smallest step of a price when it was entered
  imported_from: z.enum(importSources).nullable().optional(), // the program that made it; null: the bot
});

/** The balance of a bot at a moment. */
export const pnlSnapshot = z.object({
  timestamp: moment,
  net_pnl: finite,
  net_pnl_pct: finite,
  unrealized_pnl: finite,
  realized_pnl: finite,
  total_fees: finite,
  win_rate: finite,
  current_balance: finite,
});

const tradingTexts = [
  'Exchange is required',
  'Market type is required',
  'Stake currency is required',
  'Stake amount must be positive',
  'Max open trades must be between 1 and 50',
  'Leverage must be between 1.0 and 125.0',
  'At least one trading pair is required',
  'Leverage mode must be isolated or cross',
  'Strategy does not support this exchange',
  'Stake currency is not offered by this exchange',
  'Trading pair not offered by this exchange: {pair}',
  ...ownSettingsTexts,
] as const;
const sharedTexts = [...tradingTexts, 'Nickname must be at most 60 characters'] as const;

/** What settings would have done over the last 30 days. Money in stake currency, ratios as fractions. */
export const hindsightReply = z.object({
  state: z.enum(['done', 'downloading', 'unavailable']),
  why: z.string().nullable(), // why there are no figures, or not yet
  figures: z
    .object({
      from: momentMs,
      to: momentMs,
      exchange_id: z.string(),
      stake_currency: z.string(),
      timeframe: z.enum(strategyTimeframes),
      starting_balance: finite,
      profit: finite,
      profit_ratio: finite, // of the starting balance
      trades: z.number().int(),
      win_rate: finite,
      drawdown_ratio: finite, // the largest fall of the balance from its highest so far
      fee_ratio: finite, // of the value of each fill
      no_trades: z.string().nullable(), // why there is not one
      stopped: z.string().nullable(), // when and why entries ended for good
      paused_at: momentMs.nullable(), // when the bot would have paused itself after losses in a row; the figures continue
      equity: z.array(z.object({ time: momentMs, value: finite })), // at the start and after each day
    })
    .nullable(),
});

/** The refusal of a question that a newer one of the same person has overtaken. */
export const hindsightOvertaken = 'A newer request has replaced this one';

const own = { who: 'all', bot: 'own' } as const;

/** Why a bot keeps the stake currency it has. */
const otherCurrency = [keepsCurrency, limitsInCurrency('{currency}'), ceilingsInCurrency('{currency}')];

/** Why a bot is not changed, or a live one: it would trade elsewhere, or risk more. */
const ofLiveBot = [
  texts.notVerified,
  texts.liveDisabled,
  texts.undurableStore,
  texts.passwordNeeded,
  noLiveAfterReset,
  texts.noRiskAfterReset,
];

const mayCreate = { who: ['admin', 'trader'], denied: 'Only admins and traders can create bots' } as const;

/** Calls about bots. */
export const botRoutes = {
  listBots: defineRoute({
    id: 'API-31',
    method: 'GET',
    path: '/bots',
    summary: 'All bots.',
    access: { who: 'all' },
    reply: z.array(bot),
    errors: {},
  }),
  getBot: defineRoute({
    id: 'API-32',
    method: 'GET',
    path: '/bots/{id}',
    summary: 'One bot with its configuration.',
    access: own,
    params: z.object({ id }),
    reply: botConfig,
    errors: needsBot,
  }),
  createBot: defineRoute({
    id: 'API-33',
    method: 'POST',
    path: '/bots/create',
    summary: 'Makes a bot; it starts paused.',
    access: mayCreate,
    body: newBot,
    status: 201,
    reply: bot,
    errors: joinTexts(asksExchange, mayNotRun, {
      400: ['Strategy is required', ...sharedTexts, texts.keyRequired, 'User email is required', 'Mode must be paper or live'],
      403: ['You can only create bots for your own account', texts.notVerified, texts.passwordNeeded, noLiveAfterReset],
      404: ['User not found', 'Strategy not found', 'Exchange not found', 'API key not found'],
      409: [tooManyBots, tooManyPairs],
    }),
  }),
  updateBot: defineRoute({
    id: 'API-34',
    method: 'PATCH',
    path: '/bots/{id}',
    summary: 'Changes a bot.',
    access: own,
    params: z.object({ id }),
    query: z.object({ mode: seenMode }),
    body: botChanges,
    reply: bot,
    errors: joinTexts(needsBot, asksExchange, mayNotRun, {
      400: [...sharedTexts, 'No fields to update', texts.keyRequired, 'Mode must be paper or live'],
      403: ofLiveBot,
      404: ['Exchange not found', 'API key not found'],
      409: ['Bot has open trades', ...otherCurrency, texts.changedMeanwhile, otherMode, texts.botArchived, tooManyPairs],
    }),
  }),
  newBotHindsight: defineRoute({
    id: 'ADD-new-bot-hindsight',
    method: 'POST',
    path: '/bots/hindsight',
    summary: 'What a bot with these settings would have done over the last 30 days.',
    access: mayCreate,
    changesNothing: true,
    body: newBot.omit({ user_email: true, mode: true, nickname: true, api_key_id: true }),
    reply: hindsightReply,
    errors: joinTexts(asksExchange, mayNotRun, {
      400: ['Strategy is required', ...tradingTexts],
      404: ['Strategy not found', 'Exchange not found'],
      409: [hindsightOvertaken],
    }),
  }),
  botHindsight: defineRoute({
    id: 'ADD-bot-hindsight',
    method: 'POST',
    path: '/bots/{id}/hindsight',
    summary: 'What a bot would have done over the last 30 days with these changes.',
    access: own,
    changesNothing: true,
    params: z.object({ id }),
    body: z.strictObject(tradingChanges, unknownField),
    reply: hindsightReply,
    errors: joinTexts(needsBot, asksExchange, mayNotRun, {
      400: tradingTexts,
      404: ['Exchange not found'],
      409: [hindsightOvertaken],
    }),
  }),
  listBotVersions: defineRoute({
    id: 'ADD-bot-versions',
    method: 'GET',
    path: '/bots/{id}/versions',
    summary: "The newest 200 versions of a bot's settings, the newest first: who changed what, and what trades came to under each.",
    access: own,
    params: z.object({ id }),
    reply: z.array(settingsVersion),
    errors: needsBot,
  }),
  restoreBotVersion: defineRoute({
    id: 'ADD-restore-bot-version',
    method: 'POST',
    path: '/bots/{id}/versions/{version}/restore',
    summary: 'Restores the settings of an earlier version of a bot, as a new version; where they are those in use nothing changes.',
    access: own,
    params: z.object({ id, version: versionNumber }),
    query: z.object({ mode: seenMode }),
    reply: bot,
    errors: joinTexts(needsBot, asksExchange, mayNotRun, {
      400: [...sharedTexts, texts.keyRequired, 'Mode must be paper or live'],
      403: ofLiveBot,
      404: ['Exchange not found', 'Version not found'],
      409: ['Bot has open trades', ...otherCurrency, texts.changedMeanwhile, otherMode, texts.botArchived, tooManyPairs],
    }),
  }),
  toggleBot: defineRoute({
    id: 'API-35',
    method: 'POST',
    path: '/bots/{id}/toggle',
    summary: 'Sets the status of a bot.',
    access: own,
    params: z.object({ id }),
    query: z.object({
      status: oneOf(botStatuses, 'Status must be active, paused or stopped'),
      mode: seenMode,
      was: seenStatus,
    }),
    reply: bot,
    errors: joinTexts(needsBot, mayGoLive, {
      400: ['Status must be active, paused or stopped', 'Mode must be paper or live', unofferedTimeframe],
      403: [texts.passwordNeeded],
      409: [texts.botArchived, texts.changedMeanwhile, otherMode, otherStatus],
    }),
  }),
  changeBotMode: defineRoute({
    id: 'API-36',
    method: 'POST',
    path: '/bots/{id}/mode',
    summary: 'Sets the mode of a bot; a change to live leaves it paused.',
    access: own,
    params: z.object({ id }),
    query: z.object({ mode: oneOf(botModes, 'Mode must be paper or live') }),
    reply: bot,
    // The password and the time since its reset are asked about on the way to live only.
    errors: joinTexts(needsBot, mayGoLive, {
      400: ['Mode must be paper or live'],
      403: [texts.passwordNeeded, noLiveAfterReset],
      409: ['Bot has open trades', texts.changedMeanwhile, texts.botArchived],
    }),
  }),
  botTrades: defineRoute({
    id: 'API-37',
    method: 'GET',
    path: '/bots/{id}/trades',
    summary: 'The newest 1000 trades of a bot, newest first.',
    access: own,
    params: z.object({ id }),
    reply: z.array(botTrade),
    errors: needsBot,
  }),
  botPnl: defineRoute({
    id: 'API-38',
    method: 'GET',
    path: '/bots/{id}/pnl',
    summary: 'The newest 1000 balance snapshots of a bot, newest first.',
    access: own,
    params: z.object({ id }),
    reply: z.array(pnlSnapshot),
    errors: needsBot,
  }),
  setBotStatus: defineRoute({
    id: 'API-26',
    method: 'POST',
    path: '/settings/bots/{id}/status',
    summary: 'Sets the status of any bot.',
    access: { who: ['admin'], denied: texts.adminRequired },
    params: z.object({ id }),
    body: z.strictObject({
      status: oneOf(botStatuses, 'Status must be active, paused or stopped'),
      mode: seenMode,
      was: seenStatus,
    }),
    reply: bot,
    errors: joinTexts(needsAdmin, mayGoLive, {
      400: ['Status must be active, paused or stopped', 'Mode must be paper or live', unofferedTimeframe],
      403: [texts.passwordNeeded],
      404: ['Bot not found'],
      409: [texts.botArchived, texts.changedMeanwhile, otherMode, otherStatus],
    }),
  }),
  listArchivedBots: defineRoute({
    id: 'ADD-archived-bots',
    method: 'GET',
    path: '/archived-bots',
    summary: 'The bots that are archived: nothing runs or lists them, and their figures stay in fund, reports and profits.',
    access: { who: 'all' },
    reply: z.array(bot),
    errors: {},
  }),
  archiveBot: defineRoute({
    id: 'ADD-archive-bot',
    method: 'POST',
    path: '/bots/{id}/archive',
    summary: 'Archives a stopped bot without open trades.',
    access: own,
    params: z.object({ id }),
    reply: bot,
    errors: joinTexts(needsBot, { 409: [notStopped, 'Bot has open trades'] }),
  }),
  bringBackBot: defineRoute({
    id: 'ADD-bring-back-bot',
    method: 'POST',
    path: '/bots/{id}/bring-back',
    summary: 'Brings an archived bot back; it is stopped.',
    access: own,
    params: z.object({ id }),
    reply: bot,
    errors: joinTexts(needsBot, { 403: [texts.notVerified], 409: [rulesRemoved, tooManyBots, tooManyPairs] }),
  }),
  setBotTags: defineRoute({
    id: 'ADD-bot-tags',
    method: 'POST',
    path: '/bots/{id}/tags',
    summary: 'Gives a bot these tags in place of those it has: words to find it by.',
    access: own,
    params: z.object({ id }),
    body: z.strictObject({ tags: botTags }),
    reply: bot,
    errors: joinTexts(needsBot, { 400: [tagTexts.form, tagTexts.tooMany], 409: [texts.botArchived] }),
  }),
  deleteBot: defineRoute({
    id: 'ADD-delete-bot',
    method: 'POST',
    path: '/bots/{id}/delete',
    summary: 'Deletes a bot that has never traded.',
    access: own,
    params: z.object({ id }),
    reply: z.object({ status: z.string() }),
    errors: joinTexts(needsBot, { 409: [tradedAlready] }),
  }),
} as const;
