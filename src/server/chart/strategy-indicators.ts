import type { Candle } from '#engine/market/candle.ts';
import { toColumns } from '#engine/market/candle.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import type { CandleWindows } from '#feeds/candle-windows.ts';
import type { Series } from '#feeds/series.ts';

/** A named column of a strategy as a line; time in ms. */
export interface IndicatorLine {
  name: string;
  points: { timestamp: number; value: number }[];
}

const names = new Map<string, readonly string[]>(); // by class and parameters: with the same a strategy has the same columns at every call

/**
 * What a strategy sees in the newest `count` closed candles of a series: the columns it computes, by its own code. `values`
 * false gives their names alone.
 */
export async function strategyIndicators(
  windows: CandleWindows,
  series: Series,
  strategyClass: string,
  parameters: ParameterValues,
  count: number,
  values: boolean,
): Promise<IndicatorLine[]> {
  const key = JSON.stringify([strategyClass, parameters]);
  const known = names.get(key);
  if (!values && known !== undefined) return known.map((name) => ({ name, points: [] }));
  const strategy = strategyOfClass(strategyClass);
  const candles: Candle[] = await windows.newest(series, values ? count + strategy.startupCandles : count, false);
  const columns = fillGaps(toColumns(candles), timeframeLengths[series.timeframe]);
  const { indicators } = strategy.compute(columns, parameters);
  if (columns.openTime.length > 0) names.set(key, Object.keys(indicators));
  const from = Math.max(0, columns.openTime.length - count);
  return Object.entries(indicators).map(([name, column]) => ({
    name,
    points: values ? linePoints(columns.openTime, column, from) : [],
  }));
}

function linePoints(times: Float64Array, column: Float64Array, from: number): IndicatorLine['points'] {
  const points: IndicatorLine['points'] = [];
  for (let i = from; i < times.length; i++) {
    const value = column[i] ?? Number.NaN;
    if (Number.isFinite(value)) points.push({ timestamp: times[i] ?? 0, value: Number(value.toPrecision(10)) });
  }
  return points;
}
