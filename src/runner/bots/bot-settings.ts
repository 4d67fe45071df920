import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { effectiveSettings } from '#engine/settings/effective-settings.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import type { StrategyValues } from '#engine/settings/own-settings.ts';
import { liquidationFormulaOf } from '#engine/risk/liquidation.ts';
import { largestStakeRuleOf } from '#engine/risk/stake.ts';
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

/**
 * The engine's settings of a bot that trades with these values.
 *
 * A bot's capital is its stake times its slots, so the last slot may take a smaller stake once some of it is lost;
 * else the first loss would close that slot for good.
 *
 * Fails: RangeError with the reasons when the values contradict each other
 */
export function settingsOf(
  bot: Omit<BotTerms, 'ownSettings'>,
  values: Omit<BotValues, 'parameters'>,
  strategy: Pick<Strategy, 'canShort' | 'callbacks'> & { adjustsPosition?: boolean },
): TradingSettings {
  const { entry, exit, stoploss } = values.orderTypes;
  const timeoutMs = timeframeLengths[values.timeframe];
  return requireSettings({
    marketType: bot.marketType,
    canShort: strategy.canShort,
    positionAdjustment: strategy.adjustsPosition ?? strategy.callbacks?.adjustPosition !== undefined,
    marginMode: bot.leverageMode,
    liquidationFormula: liquidationFormulaOf(bot.exchangeId),
    largestStakeRule: largestStakeRuleOf(bot.exchangeId),
    leverage: Number(bot.leverage),
    startingBalance: Number(bot.startingBalance),
    stakeAmount: Number(bot.stakeAmount),
    maxOpenTrades: bot.maxOpenTrades,
    tradableBalanceRatio: 1,
    amendLastStakeAmount: true,
    stoploss: values.stoploss,
    trailingStop: values.trailingStop,
    trailingStopPositive: values.trailingStopPositive,
    trailingStopPositiveOffset: values.trailingStopPositiveOffset,
    trailingOnlyOffsetIsReached: values.trailingOnlyOffsetIsReached,
    minimalRoi: values.minimalRoi,
    riskRewardRatio: values.riskRewardRatio,
    maxConsecutiveLosses: values.maxConsecutiveLosses,
    orderTypes: { entry: entry ?? 'limit', exit: exit ?? 'limit', stoploss: stoploss ?? 'market' },
    // An order that has waited a whole candle is cancelled: the signal it was made for is no longer the newest.
    unfilledTimeout: { entryMs: timeoutMs, exitMs: timeoutMs },
    // A market order takes what the other side offers; a limit order waits on its own side.
    entryPricing: { side: entry === 'market' ? 'other' : 'same', useOrderBook: true },
    exitPricing: { side: exit === 'market' ? 'other' : 'same', useOrderBook: true },
  });
}
