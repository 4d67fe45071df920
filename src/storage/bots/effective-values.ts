import { effectiveSettings } from '#engine/settings/effective-settings.ts';
import type { StrategyValues } from '#engine/settings/own-settings.ts';
import { strategyValues } from '../strategies/strategy-values.ts';
import type { BotView } from './bots.ts';

/** What a bot trades with: its own settings, else those of its strategy. */
export function effectiveValues(bot: BotView): StrategyValues {
  return effectiveSettings<StrategyValues>(bot.ownSettings, strategyValuesOf(bot));
}

/** The settings of a bot's strategy. */
export function strategyValuesOf(bot: BotView): StrategyValues {
  return strategyValues({
    defaultTimeframe: bot.strategyTimeframe,
    stoploss: bot.strategyStoploss,
    trailingStop: bot.strategyTrailingStop,
    trailingStopPositive: bot.strategyTrailingPositive,
    trailingStopPositiveOffset: bot.strategyTrailingOffset,
    trailingOnlyOffsetIsReached: bot.strategyTrailingOnlyOffset,
    maxConsecutiveLosses: bot.strategyMaxConsecutiveLosses,
    riskRewardRatio: bot.strategyRiskRewardRatio,
    minimalRoi: bot.strategyMinimalRoi,
    orderTypes: bot.strategyOrderTypes,
    orderTimeInForce: bot.strategyTimeInForce,
  });
}
