import type { Bot } from '#contract/bots.ts';
import type { StrategyTimeframe } from '#contract/strategy-timeframes.ts';
import { to8Decimals } from '#engine/market/rounding.ts';
import { effectiveParameters } from '#engine/strategy/effective-parameters.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { effectiveValues } from '#storage/bots/effective-values.ts';
import { knownStrategy } from '#strategies/known-strategy.ts';
import type { Caller } from '../calls/caller.ts';
import { mayChangeBotOf, seesAllBots } from '../calls/caller.ts';
import { ownSettingsReply } from './own-settings.ts';
import { shownEmail } from '../calls/shown-email.ts';

/** A bot as the contract has it, for this caller. Money leaves as numbers, percent fields as per cent. */
export function toBotReply(bot: BotView, caller: Caller): Bot {
  const starting = Number(bot.startingBalance);
  const own = Number(bot.realizedPnl ?? 0);
  const imported = Number(bot.importedPnl ?? 0);
  const realized = imported === 0 ? own : to8Decimals(own + imported);
  const effective = effectiveValues(bot);
  const seesConfig = mayChangeBotOf(caller, bot.userId);
  return {
    id: bot.id,
    nickname: bot.nickname,
    user_id: bot.userId,
    email: shownEmail(caller, { id: bot.userId, email: bot.email }),
    exchange_id: bot.exchangeId,
    strategy_id: bot.strategyId,
    strategy_name: seesStrategy(bot, caller) ? nameOfStrategy(bot, caller) : privateRules,
    trading_pairs: bot.symbols,
    stake_currency: bot.stakeCurrency,
    stake_amount: Number(bot.stakeAmount),
    mode: bot.mode,
    status: bot.status,
    current_balance: starting + own,
    total_pnl: realized,
    total_pnl_pct: starting === 0 ? 0 : (realized / starting) * 100,
    max_open_trades: bot.maxOpenTrades,
    leverage: Number(bot.leverage),
    leverage_mode: bot.leverageMode,
    margin_mode: bot.marketType,
    current_consecutive_losses: bot.consecutiveLosses,
    total_trades: bot.trades ?? 0,
    winning_trades: bot.wins ?? 0,
    losing_trades: bot.losses ?? 0,
    max_drawdown: Number(bot.maxDrawdown ?? 0),
    max_drawdown_pct: Number(bot.maxDrawdownRatio ?? 0) * 100,
    starting_balance: starting,
    last_trade_at: bot.lastTradeAt?.toISOString() ?? null,
    last_updated: bot.updatedAt.toISOString(),
    timeframe: effective.timeframe as StrategyTimeframe,
    stoploss: effective.stoploss,
    minimal_roi: effective.minimalRoi,
    trailing_stop: effective.trailingStop,
    max_consecutive_losses: effective.maxConsecutiveLosses,
    own_settings: seesConfig ? ownSettingsReply(bot.ownSettings) : {},
    own_settings_ignored: seesConfig ? effectiveParametersOf(bot).ignored : [],
    version: bot.version,
    tags: bot.tags,
    code_version: bot.codeNumber,
    newest_code_version: mayUseStrategy(bot, caller) ? bot.newestCodeNumber : bot.codeNumber,
    archived_at: bot.archivedAt?.toISOString() ?? null,
    imported_trades: bot.importedTrades ?? 0,
    imported_pnl: imported,
  };
}

/** What rules are called to those who share a list of bots with their maker, and nothing else. */
const privateRules = 'Private rules';

/** Whether the caller sees the bot itself, not its row of the shared list alone, or may use what it runs. */
function seesStrategy(bot: BotView, caller: Caller): boolean {
  return seesAllBots(caller) || bot.userId === caller.id || mayUseStrategy(bot, caller);
}

/** What a caller who sees the bot itself knows its strategy by: rules that the caller may not use, as the version that it runs is called. */
function nameOfStrategy(bot: BotView, caller: Caller): string {
  const title = mayUseStrategy(bot, caller) ? null : bot.codeDescription?.['title'];
  return typeof title === 'string' ? title.trim() : bot.strategyName;
}

/** Whether the caller may use what a bot runs. Whoever may not is shown no newer version. */
function mayUseStrategy({ strategyKind, strategyIsShared, strategyOwnerId }: BotView, caller: Caller): boolean {
  return strategyKind !== 'rules' || caller.role === 'admin' || strategyIsShared || strategyOwnerId === caller.id;
}

/** The timeframe a bot really trades: its own, else its strategy's. */
export function effectiveTimeframe(bot: BotView): StrategyTimeframe {
  return effectiveValues(bot).timeframe as StrategyTimeframe;
}

/** The parameters a bot's strategy is computed with for it; a strategy that this version does not have has none. */
export function effectiveParametersOf({ strategyClass, codeDescription, ownSettings }: BotView): ReturnType<typeof effectiveParameters> {
  return effectiveParameters(knownStrategy(strategyClass, codeDescription) ?? { parameters: {} }, ownSettings.parameters);
}
