import type { StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import type { Signals, Strategy } from '#engine/strategy/strategy.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { StrategyDescription } from '../wire/questions.ts';

/** A strategy that runs elsewhere as the engine knows strategies; its columns are asked for pair by pair. */
export function engineStrategy(
  { name, title, description, losesWhen, kind, canShort, startupCandles, defaults, parameters }: StrategyDescription,
  columns: (symbol: string, candles: CandleColumns) => Signals,
  callbacks: StrategyCallbacks,
): Strategy {
  return {
    name,
    title,
    description,
    losesWhen,
    kind,
    canShort,
    startupCandles,
    defaults,
    parameters,
    compute(candles, _parameters, _others, symbol) {
      if (symbol === undefined) throw new RangeError('The columns of a strategy in Python are asked for by pair.');
      return columns(symbol, candles);
    },
    callbacks,
  };
}
