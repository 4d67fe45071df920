import { trueRange, type HighLowClose, type HighLowCloseColumns } from './true-range.ts';
import { WilderAverage } from './wilder.ts';

/** One row of SuperTrend. */
export interface SuperTrendPoint {
  line: number; // quote currency; below the price in an up trend, above it in a down trend
  direction: number; // 1 up, -1 down; TradingView has the signs the other way round
}

/** The period of the average true range and how many of them the line is away, e.g. 10 and 3. */
export interface SuperTrendSettings {
  period: number;
  factor: number;
}

/**
 * SuperTrend of every row: bands around (high + low) / 2 that only tighten, and the side that holds.
 *
 * Source:  TradingView, ta.supertrend. Its average true range differs from TA-Lib's: the first candle counts with high - low,
 *          so it begins a row earlier
 * Warm-up: both columns are NaN in the first `period - 1` rows; the first direction is down by definition and means nothing
 *          before the first change; the range's seed weighs less than 0.1 % after about 7 x period rows
 * Edges:   on flat prices the bands meet the price and the direction stays
 */
export function superTrend(
  candles: HighLowCloseColumns,
  settings: SuperTrendSettings,
): { [Column in keyof SuperTrendPoint]: Float64Array } {
  const indicator = new SuperTrend(settings);
  const { high, low, close } = candles;
  const columns = { line: new Float64Array(close.length), direction: new Float64Array(close.length) };
  const candle = { high: 0, low: 0, close: 0 };
  for (let i = 0; i < close.length; i++) {
    candle.high = high[i];
    candle.low = low[i];
    candle.close = close[i];
    const point = indicator.push(candle);
    columns.line[i] = point.line;
    columns.direction[i] = point.direction;
  }
  return columns;
}

interface Bands {
  lower: number;
  upper: number;
  direction: number;
}

/** SuperTrend, candle by candle; equal to `superTrend` bit for bit. */
export class SuperTrend {
  readonly #factor: number;
  readonly #range: WilderAverage;
  #bands: Bands = { lower: NaN, upper: NaN, direction: NaN };
  #previousClose = NaN; // NaN before the first candle

  constructor(settings: SuperTrendSettings) {
    this.#factor = settings.factor;
    this.#range = new WilderAverage(settings.period);
  }

  /** The row with this candle added for good. */
  push(candle: HighLowClose): SuperTrendPoint {
    this.#bands = this.#next(candle, this.#range.push(this.#rangeOf(candle)));
    this.#previousClose = candle.close;
    return toPoint(this.#bands);
  }

  /** The row as it would be with this candle; changes nothing. */
  peek(candle: HighLowClose): SuperTrendPoint {
    return toPoint(this.#next(candle, this.#range.peek(this.#rangeOf(candle))));
  }

  #rangeOf(candle: HighLowClose): number {
    return Number.isNaN(this.#previousClose) ? candle.high - candle.low : trueRange(candle, this.#previousClose);
  }

  #next(candle: HighLowClose, range: number): Bands {
    const middle = (candle.high + candle.low) / 2;
    const lower = middle - this.#factor * range;
    const upper = middle + this.#factor * range;
    const last = this.#bands;
    if (Number.isNaN(last.direction)) return { lower, upper, direction: Number.isNaN(range) ? NaN : -1 };
    const tightLower = lower > last.lower || this.#previousClose < last.lower ? lower : last.lower;
    const tightUpper = upper < last.upper || this.#previousClose > last.upper ? upper : last.upper;
    const turnsUp = last.direction === -1 && candle.close > tightUpper;
    const turnsDown = last.direction === 1 && candle.close < tightLower;
    return { lower: tightLower, upper: tightUpper, direction: turnsUp ? 1 : turnsDown ? -1 : last.direction };
  }
}

function toPoint(bands: Bands): SuperTrendPoint {
  return { line: bands.direction === 1 ? bands.lower : bands.upper, direction: bands.direction };
}
