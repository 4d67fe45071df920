import { defaultExchanges } from '#exchange/default-exchanges.ts';
import { builtInStrategies } from '#strategies/built-in.ts';
import type { Database } from '#storage/database.ts';
import { enterStrategies } from '#storage/strategies/strategies.ts';

/** Enters the built-in strategies into the database; those that are there keep what people have set. */
export async function enterBuiltInStrategies(db: Database): Promise<void> {
  await enterStrategies(
    db,
    builtInStrategies.map((strategy, position) => ({
      className: strategy.name,
      name: strategy.title,
      description: strategy.description,
      supportedExchanges: defaultExchanges.map(({ id }) => id),
      defaultTimeframe: strategy.defaults.timeframe,
      stoploss: strategy.defaults.stoploss,
      trailingStop: strategy.defaults.trailingStop,
      trailingStopPositive: strategy.defaults.trailingStopPositive,
      trailingStopPositiveOffset: strategy.defaults.trailingStopPositiveOffset,
      trailingOnlyOffsetIsReached: strategy.defaults.trailingOnlyOffsetIsReached,
      minimalRoi: Object.fromEntries(Object.entries(strategy.defaults.minimalRoi)),
      position,
    })),
  );
}
