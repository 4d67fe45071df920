import { Ema } from './ema.ts';
import { checkedPeriod } from './period.ts';

/** One row of the MACD. Unit: as the values */
export interface MacdPoint {
  macd: number; // fast average minus slow average
  signal: number; // average of the macd
  histogram: number; // macd minus signal
}

/** The periods of a MACD, e.g. 12, 26 and 9. A slow period below the fast one is taken as the fast one, as in TA-Lib. */
export interface MacdPeriods {
  fast: number;
  slow: number;
  signal: number;
}

/**
 * Moving average convergence divergence of every row.
 *
 * Source:  G. Appel; TA-Lib, ta_MACD.c: the fast average starts late, so that both averages are seeded on the same row: the
 *          fast one by the last `fast` of the first `slow` values
 * Warm-up: all three columns are NaN in the first `slow + signal - 2` rows (33 of 12, 26, 9)
 * Edges:   leading NaN are skipped; a NaN later makes all rows after it NaN; flat prices give 0
 */
export function macd(values: Float64Array, periods: MacdPeriods): { [Column in keyof MacdPoint]: Float64Array } {
  const indicator = new Macd(periods);
  const { length } = values;
  const columns = { macd: new Float64Array(length), signal: new Float64Array(length), histogram: new Float64Array(length) };
  for (let i = 0; i < length; i++) {
    const point = indicator.push(values[i]);
    columns.macd[i] = point.macd;
    columns.signal[i] = point.signal;
    columns.histogram[i] = point.histogram;
  }
  return columns;
}

/** The MACD, value by value; equal to `macd` bit for bit. */
export class Macd {
  readonly #fast: Ema;
  readonly #slow: Ema;
  readonly #signal: Ema;
  #skip: number; // values the fast average has yet to pass over, e.g. 14 at the start of 12, 26, 9

  constructor(periods: MacdPeriods) {
    const fast = Math.min(checkedPeriod(periods.fast), checkedPeriod(periods.slow));
    const slow = Math.max(periods.fast, periods.slow);
    this.#fast = new Ema(fast);
    this.#slow = new Ema(slow);
    this.#signal = new Ema(periods.signal);
    this.#skip = slow - fast;
  }

  /** The row with this value added for good. */
  push(value: number): MacdPoint {
    const slow = this.#slow.push(value);
    if (this.#skip > 0) {
      if (!Number.isNaN(value)) this.#skip--;
      return toPoint(NaN, NaN);
    }
    const difference = this.#fast.push(value) - slow;
    return toPoint(difference, this.#signal.push(difference));
  }

  /** The row as it would be with this value; changes nothing. */
  peek(value: number): MacdPoint {
    if (this.#skip > 0) return toPoint(NaN, NaN);
    const difference = this.#fast.peek(value) - this.#slow.peek(value);
    return toPoint(difference, this.#signal.peek(difference));
  }
}

function toPoint(difference: number, signal: number): MacdPoint {
  // The three columns begin together, with the signal.
  return { macd: Number.isNaN(signal) ? NaN : difference, signal, histogram: difference - signal };
}
