import type { StrategyBacktestResult } from '#engine/backtest/backtest-strategy.ts';
import { lookAheadSentence, quickLookAhead } from '#engine/backtest/quick-look-ahead.ts';
import type { ParameterValues, Strategy } from '#engine/strategy/strategy.ts';

/** Fails with one sentence when a strategy looks ahead on the candles of a run. */
export function refuseLookAhead(strategy: Strategy, parameters: ParameterValues, { computed }: StrategyBacktestResult): void {
  for (const { symbol, candles, signals, others } of computed) {
    const ahead = quickLookAhead(strategy, parameters, candles, signals, others);
    if (ahead !== null) throw new Error(lookAheadSentence(strategy.name, symbol, candles, ahead));
  }
}
