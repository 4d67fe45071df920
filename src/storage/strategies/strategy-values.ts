import type { StrategyValues } from '#engine/settings/own-settings.ts';
import { numberOrNull } from '../number-or-null.ts';
import type { StrategyView } from './strategies.ts';

/** The settings of a strategy that a bot may have of its own, as they are kept. */
export type StrategyTerms = Pick<
  StrategyView,
  | 'defaultTimeframe'
  | 'stoploss'
  | 'trailingStop'
  | 'trailingStopPositive'
  | 'trailingStopPositiveOffset'
  | 'trailingOnlyOffsetIsReached'
  | 'maxConsecutiveLosses'
  | 'riskRewardRatio'
  | 'minimalRoi'
  | 'orderTypes'
  | 'orderTimeInForce'
>;

/** The same as the engine works with them. */
export function strategyValues(terms: StrategyTerms): StrategyValues {
  return {
    timeframe: terms.defaultTimeframe,
    stoploss: Number(terms.stoploss),
    trailingStop: terms.trailingStop,
    trailingStopPositive: numberOrNull(terms.trailingStopPositive),
    trailingStopPositiveOffset: Number(terms.trailingStopPositiveOffset ?? 0),
    trailingOnlyOffsetIsReached: terms.trailingOnlyOffsetIsReached,
    maxConsecutiveLosses: terms.maxConsecutiveLosses,
    riskRewardRatio: numberOrNull(terms.riskRewardRatio),
    minimalRoi: terms.minimalRoi,
    orderTypes: terms.orderTypes,
    orderTimeInForce: terms.orderTimeInForce,
  };
}
