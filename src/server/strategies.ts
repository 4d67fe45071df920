import type { Timeframe } from '#engine/market/timeframe.ts';
import { listStrategies } from '#storage/strategies.ts';
import type { Handlers } from './call.ts';
import type { ServerParts } from './parts.ts';

/** The list of strategies. */
export function strategyHandlers({ db }: ServerParts): Pick<Handlers, 'listStrategies'> {
  return {
    async listStrategies() {
      const strategies = await listStrategies(db);
      return {
        strategies: strategies.map((strategy) => ({
          id: strategy.id,
          name: strategy.name,
          description: strategy.description,
          strategy_class_name: strategy.className,
          supported_exchanges: strategy.supportedExchanges,
          default_timeframe: strategy.defaultTimeframe as Timeframe,
          stoploss: Number(strategy.stoploss),
          trailing_stop: strategy.trailingStop,
          trailing_stop_positive: numberOrNull(strategy.trailingStopPositive),
          trailing_stop_positive_offset: numberOrNull(strategy.trailingStopPositiveOffset),
          trailing_only_offset_is_reached: strategy.trailingOnlyOffsetIsReached,
          max_consecutive_losses: strategy.maxConsecutiveLosses,
          risk_reward_ratio: numberOrNull(strategy.riskRewardRatio),
          minimal_roi: strategy.minimalRoi,
          order_types: strategy.orderTypes,
          order_time_in_force: strategy.orderTimeInForce,
          // No call sets them yet, so there is nothing to unseal; they are never sent as they lie in the database.
          encrypted_webhook: null,
          encrypted_sheets_key: null,
        })),
      };
    },
  };
}

function numberOrNull(value: string | null): number | null {
  return value === null ? null : Number(value);
}
