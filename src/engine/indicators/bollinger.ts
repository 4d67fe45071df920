import { checkedPeriod } from './period.ts';

/** One row of Bollinger bands. Unit: as the values */
export interface BollingerPoint {
  upper: number;
  middle: number; // simple moving average
  lower: number;
}

/** How many values a band covers, and how many deviations it is away, e.g. 20 and 2. */
export interface BollingerSettings {
  period: number;
  deviations: number;
}

/**
 * Bollinger bands of every row: the simple average, plus and minus a number of population deviations.
 *
 * Source:  J. Bollinger. Mean and deviation are computed afresh from the window in two passes. TA-Lib's one pass
 *          (E[x²] - mean²) loses the band altogether at a price of 1e-8, and 1e-5 of it at 65,000.
 * Warm-up: NaN in the first `period - 1` rows; a row depends on exactly the last `period` values
 * Edges:   flat prices give three equal lines, to within rounding of the average; a NaN makes its `period` rows NaN
 */
export function bollinger(values: Float64Array, settings: BollingerSettings): { [Column in keyof BollingerPoint]: Float64Array } {
  const { deviations } = settings;
  const period = checkedPeriod(settings.period);
  const { length } = values;
  const columns = { upper: new Float64Array(length), middle: new Float64Array(length), lower: new Float64Array(length) };
  const known = Math.min(period - 1, length);
  for (const column of Object.values(columns)) column.fill(NaN, 0, known);
  const writeRow = (i: number, mean: number, squares: number): void => {
    const distance = deviations * Math.sqrt(squares / period);
    columns.upper[i] = mean + distance;
    columns.middle[i] = mean;
    columns.lower[i] = mean - distance;
  };
  // A sum that runs along would take one addition a row, and its last digits would depend on where the values begin: a bot and its
  // backtest would differ. So each row adds up its own window, oldest value first, and four rows do so side by side: alone, each
  // addition waits for the one before.
  let i = period - 1;
  for (; i + 3 < length; i += 4) {
    const from = i - period + 1;
    const [oldest, second, third] = [values[from], values[from + 1], values[from + 2]];
    let [v0, v1, v2] = [oldest, second, third];
    let [mean0, mean1, mean2, mean3] = [0, 0, 0, 0];
    for (let j = from + 3; j <= i + 3; j++) {
      const v3 = values[j];
      mean0 += v0;
      mean1 += v1;
      mean2 += v2;
      mean3 += v3;
      v0 = v1;
      v1 = v2;
      v2 = v3;
    }
    mean0 /= period;
    mean1 /= period;
    mean2 /= period;
    mean3 /= period;
    [v0, v1, v2] = [oldest, second, third];
    let [squares0, squares1, squares2, squares3] = [0, 0, 0, 0];
    for (let j = from + 3; j <= i + 3; j++) {
      const v3 = values[j];
      squares0 += (v0 - mean0) * (v0 - mean0);
      squares1 += (v1 - mean1) * (v1 - mean1);
      squares2 += (v2 - mean2) * (v2 - mean2);
      squares3 += (v3 - mean3) * (v3 - mean3);
      v0 = v1;
      v1 = v2;
      v2 = v3;
    }
    writeRow(i, mean0, squares0);
    writeRow(i + 1, mean1, squares1);
    writeRow(i + 2, mean2, squares2);
    writeRow(i + 3, mean3, squares3);
  }
  for (; i < length; i++) {
    let mean = 0;
    for (let j = i - period + 1; j <= i; j++) mean += values[j];
    mean /= period;
    let squares = 0;
    for (let j = i - period + 1; j <= i; j++) squares += (values[j] - mean) * (values[j] - mean);
    writeRow(i, mean, squares);
  }
  return columns;
}

/** Bollinger bands, value by value; equal to `bollinger` bit for bit. */
export class Bollinger {
  readonly #period: number;
  readonly #deviations: number;
  readonly #values: Float64Array; // each value twice, `period` apart, so that the window is always one piece, oldest first
  #at = 0; // where the next value goes, 0 to period - 1
  #count = 0; // values seen, no higher than the period

  constructor(settings: BollingerSettings) {
    this.#period = checkedPeriod(settings.period);
    this.#deviations = settings.deviations;
    this.#values = new Float64Array(2 * settings.period);
  }

  /** The row with this value added for good. */
  push(value: number): BollingerPoint {
    const point = this.peek(value);
    this.#values[this.#at] = value;
    this.#values[this.#at + this.#period] = value;
    this.#at = this.#at + 1 === this.#period ? 0 : this.#at + 1;
    if (this.#count < this.#period) this.#count++;
    return point;
  }

  /** The row as it would be with this value; changes nothing. */
  peek(value: number): BollingerPoint {
    if (this.#count < this.#period - 1) return { upper: NaN, middle: NaN, lower: NaN };
    const values = this.#values;
    const from = this.#at + 1; // the oldest value but the one that leaves
    const to = this.#at + this.#period;
    let total = 0;
    for (let i = from; i < to; i++) total += values[i];
    const mean = (total + value) / this.#period;
    let squares = 0;
    for (let i = from; i < to; i++) squares += (values[i] - mean) * (values[i] - mean);
    const distance = this.#deviations * Math.sqrt((squares + (value - mean) * (value - mean)) / this.#period);
    return { upper: mean + distance, middle: mean, lower: mean - distance };
  }
}
