import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { botSettings } from '#engine/settings/bot-settings.ts';
import type { FixedSettings } from '#engine/settings/fixed-settings.ts';
import { effectiveSettings } from '#engine/settings/effective-settings.ts';
import type { StrategyValues } from '#engine/settings/own-settings.ts';
import { effectiveParameters } from '#engine/strategy/effective-parameters.ts';
import type { ParameterValues, Strategy } from '#engine/strategy/strategy.ts';
import type { BotRow } from '#storage/bots/bots.ts';
import type { StrategyTerms } from '#storage/strategies/strategy-values.ts';
import { strategyValues } from '#storage/strategies/strategy-values.ts';

/** The fields of a bot that say how it trades. */
export type BotTerms = Pick<
  BotRow,
  'exchangeId' | 'marketType' | 'leverage' | 'leverageMode' | 'stakeAmount' | 'maxOpenTrades' | 'startingBalance' | 'ownSettings'
>;

/** What a bot trades with, in whatever it runs: its own settings where it has some, else those of its strategy. */
export interface BotValues extends Omit<StrategyValues, 'timeframe'> {
  timeframe: Timeframe;
  parameters: ParameterValues; // what the strategy is computed with
}

/** The timeframe a bot trades: its own, else that of its strategy. */
export function timeframeOf(bot: Pick<BotTerms, 'ownSettings'>, terms: StrategyTerms): Timeframe {
  return valuesOf(bot, terms, { parameters: {} }).timeframe;
}

/** The values of a bot on a strategy whose settings people have set. */
export function valuesOf(
  { ownSettings }: Pick<BotTerms, 'ownSettings'>,
  terms: StrategyTerms,
  strategy: Pick<Strategy, 'parameters'>,
): BotValues {
  const effective = effectiveSettings<StrategyValues>(ownSettings, strategyValues(terms));
  const { values: parameters } = effectiveParameters(strategy, ownSettings.parameters);
  return { ...effective, timeframe: effective.timeframe as Timeframe, parameters };
}

/** The engine's settings of a bot that trades with these values. Fails: as `botSettings` */
export function settingsOf(
  bot: Omit<BotTerms, 'ownSettings'>,
  values: Omit<BotValues, 'parameters'>,
  strategy: Pick<Strategy, 'canShort' | 'callbacks'> & { adjustsPosition?: boolean; fixed?: FixedSettings },
): TradingSettings {
  const { exchangeId, marketType, leverageMode, maxOpenTrades } = bot;
  const amounts = { leverage: Number(bot.leverage), stakeAmount: Number(bot.stakeAmount), startingBalance: Number(bot.startingBalance) };
  return botSettings({ exchangeId, marketType, leverageMode, maxOpenTrades, ...amounts }, values, {
    canShort: strategy.canShort,
    adjustsPosition: strategy.adjustsPosition ?? strategy.callbacks?.adjustPosition !== undefined,
    fixed: strategy.fixed,
  });
}
