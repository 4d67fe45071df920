import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { effectiveSettings } from '#engine/settings/effective-settings.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { liquidationFormulaOf } from '#engine/risk/liquidation.ts';
import { largestStakeRuleOf } from '#engine/risk/stake.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { numberOrNull } from '#storage/number-or-null.ts';
import type { BotRow, StrategyRow } from '#storage/bots/bots.ts';

/** The fields of a bot that say how it trades. */
export type BotTerms = Pick<
  BotRow,
  | 'exchangeId'
  | 'marketType'
  | 'leverage'
  | 'leverageMode'
  | 'stakeAmount'
  | 'maxOpenTrades'
  | 'startingBalance'
  | 'stoploss'
  | 'minimalRoi'
  | 'trailingStop'
  | 'maxConsecutiveLosses'
>;

/** The settings of a strategy as people have set them. */
export type StrategyTerms = Pick<
  StrategyRow,
  | 'stoploss'
  | 'trailingStop'
  | 'trailingStopPositive'
  | 'trailingStopPositiveOffset'
  | 'trailingOnlyOffsetIsReached'
  | 'minimalRoi'
  | 'riskRewardRatio'
  | 'maxConsecutiveLosses'
  | 'orderTypes'
>;

/**
 * What a bot really trades with: its own value where it has one, else its strategy's.
 *
 * A bot's capital is its stake times its slots, so the last slot may take a smaller stake once some of it is lost;
 * else the first loss would close that slot for good.
 *
 * Fails: RangeError with the reasons when the values contradict each other
 */
export function settingsOf(
  bot: BotTerms,
  terms: StrategyTerms,
  strategy: Pick<Strategy, 'canShort'>,
  timeframe: Timeframe,
): TradingSettings {
  const { entry, exit, stoploss } = terms.orderTypes;
  const effective = effectiveSettings(bot, terms);
  return requireSettings({
    marketType: bot.marketType,
    canShort: strategy.canShort,
    marginMode: bot.leverageMode,
    liquidationFormula: liquidationFormulaOf(bot.exchangeId),
    largestStakeRule: largestStakeRuleOf(bot.exchangeId),
    leverage: Number(bot.leverage),
    startingBalance: Number(bot.startingBalance),
    stakeAmount: Number(bot.stakeAmount),
    maxOpenTrades: bot.maxOpenTrades,
    tradableBalanceRatio: 1,
    amendLastStakeAmount: true,
    stoploss: Number(effective.stoploss),
    trailingStop: effective.trailingStop,
    trailingStopPositive: numberOrNull(effective.trailingStopPositive),
    trailingStopPositiveOffset: Number(effective.trailingStopPositiveOffset ?? 0),
    trailingOnlyOffsetIsReached: effective.trailingOnlyOffsetIsReached,
    minimalRoi: effective.minimalRoi,
    riskRewardRatio: numberOrNull(terms.riskRewardRatio),
    maxConsecutiveLosses: effective.maxConsecutiveLosses,
    orderTypes: { entry: entry ?? 'limit', exit: exit ?? 'limit', stoploss: stoploss ?? 'market' },
    // An order that has waited a whole candle is cancelled: the signal it was made for is no longer the newest.
    unfilledTimeout: { entryMs: timeframeLengths[timeframe], exitMs: timeframeLengths[timeframe] },
    // A market order takes what the other side offers; a limit order waits on its own side.
    entryPricing: { side: entry === 'market' ? 'other' : 'same', useOrderBook: true },
    exitPricing: { side: exit === 'market' ? 'other' : 'same', useOrderBook: true },
  });
}
