import type { StrategyValues } from './own-settings.ts';

/** The settings that a strategy itself suggests; the rest of its values is the same for all until somebody sets them. */
export type SuggestedSettings = Pick<
  StrategyValues,
  | 'timeframe'
  | 'stoploss'
  | 'minimalRoi'
  | 'trailingStop'
  | 'trailingStopPositive'
  | 'trailingStopPositiveOffset'
  | 'trailingOnlyOffsetIsReached'
>;

/** The values of a strategy whose settings nobody has set yet: what it suggests, and what every strategy begins with. */
export function suggestedValues<Suggested extends SuggestedSettings>(suggested: Suggested): StrategyValues & Pick<Suggested, 'timeframe'> {
  const { timeframe, stoploss, minimalRoi, trailingStop, trailingStopPositive, trailingStopPositiveOffset, trailingOnlyOffsetIsReached } =
    suggested;
  return {
    timeframe,
    stoploss,
    minimalRoi,
    trailingStop,
    trailingStopPositive,
    trailingStopPositiveOffset,
    trailingOnlyOffsetIsReached,
    maxConsecutiveLosses: 5,
    riskRewardRatio: null,
    orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'market' },
    orderTimeInForce: { entry: 'GTC', exit: 'GTC' },
  };
}
