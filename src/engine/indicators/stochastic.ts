import { Sma } from './sma.ts';
import type { HighLowClose, HighLowCloseColumns } from './true-range.ts';
import { WindowHighest } from './window-highest.ts';

/** One row of the slow stochastic. Unit: 0 to 100 */
export interface StochasticPoint {
  k: number; // slow %K: where the close stands between the lowest low and the highest high, smoothed
  d: number; // %D: average of %K
}

/** The periods of a stochastic, e.g. 14, 3 and 3. */
export interface StochasticPeriods {
  k: number; // candles whose range counts
  slowing: number; // simple average that makes %K slow
  d: number; // simple average that makes %D
}

/**
 * The slow stochastic of every row.
 *
 * Source:  G. Lane; TA-Lib, ta_STOCH.c with simple averages
 * Warm-up: both columns are NaN in the first `k + slowing + d - 3` rows (17 of 14, 3, 3)
 * Edges:   a window without any range counts 50, neither high nor low; TA-Lib counts 0, which reads as oversold
 */
export function stochastic(candles: HighLowCloseColumns, periods: StochasticPeriods): { [Column in keyof StochasticPoint]: Float64Array } {
  const indicator = new Stochastic(periods);
  const { high, low, close } = candles;
  const columns = { k: new Float64Array(close.length), d: new Float64Array(close.length) };
  const candle = { high: 0, low: 0, close: 0 };
  for (let i = 0; i < close.length; i++) {
    candle.high = high[i];
    candle.low = low[i];
    candle.close = close[i];
    const point = indicator.push(candle);
    columns.k[i] = point.k;
    columns.d[i] = point.d;
  }
  return columns;
}

/** The slow stochastic, candle by candle; equal to `stochastic` bit for bit. */
export class Stochastic {
  readonly #highest: WindowHighest;
  readonly #lowest: WindowHighest; // of negated lows
  readonly #k: Sma;
  readonly #d: Sma;

  constructor(periods: StochasticPeriods) {
    this.#highest = new WindowHighest(periods.k);
    this.#lowest = new WindowHighest(periods.k);
    this.#k = new Sma(periods.slowing);
    this.#d = new Sma(periods.d);
  }

  /** The row with this candle added for good. */
  push(candle: HighLowClose): StochasticPoint {
    const k = this.#k.push(fastK(candle.close, this.#highest.push(candle.high), -this.#lowest.push(-candle.low)));
    return toPoint(k, this.#d.push(k));
  }

  /** The row as it would be with this candle; changes nothing. */
  peek(candle: HighLowClose): StochasticPoint {
    const k = this.#k.peek(fastK(candle.close, this.#highest.peek(candle.high), -this.#lowest.peek(-candle.low)));
    return toPoint(k, this.#d.peek(k));
  }
}

function fastK(close: number, highest: number, lowest: number): number {
  const percent = (highest - lowest) / 100;
  return percent === 0 ? 50 : (close - lowest) / percent;
}

function toPoint(k: number, d: number): StochasticPoint {
  // Both columns begin together, with %D.
  return { k: Number.isNaN(d) ? NaN : k, d };
}
