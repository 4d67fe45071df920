import { checkedPeriod } from './period.ts';
import { WilderAverage } from './wilder.ts';

/**
 * The relative strength index of every row: 100 x average gain / (average gain + average loss).
 *
 * Unit:    0 to 100
 * Source:  Wilder (1978); TA-Lib, ta_RSI.c: both averages start as the simple average of the first `period` changes
 * Warm-up: NaN in the first `period` rows; the seed weighs less than 0.1 % after about 7 x period rows
 * Edges:   50 while no price has ever changed, neither bought nor sold out; TA-Lib says 0 there, which reads as oversold.
 *          Leading NaN are skipped; a NaN later makes all rows after it NaN.
 */
export function rsi(values: Float64Array, period: number): Float64Array {
  const index = new Rsi(period);
  const column = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) column[i] = index.push(values[i]);
  return column;
}

/** The relative strength index, value by value; equal to `rsi` bit for bit. */
export class Rsi {
  readonly #gain: WilderAverage;
  readonly #loss: WilderAverage;
  #previous = NaN; // the last value; NaN before the first

  constructor(period: number) {
    checkedPeriod(period);
    this.#gain = new WilderAverage(period);
    this.#loss = new WilderAverage(period);
  }

  /** The index with this value added for good. */
  push(value: number): number {
    const change = value - this.#previous;
    const isFirst = Number.isNaN(this.#previous);
    this.#previous = value;
    if (isFirst) return NaN;
    return strength(this.#gain.push(gainOf(change)), this.#loss.push(lossOf(change)));
  }

  /** The index as it would be with this value; changes nothing. */
  peek(value: number): number {
    const change = value - this.#previous;
    if (Number.isNaN(this.#previous)) return NaN;
    return strength(this.#gain.peek(gainOf(change)), this.#loss.peek(lossOf(change)));
  }
}

function gainOf(change: number): number {
  return change < 0 ? 0 : change;
}

function lossOf(change: number): number {
  return change < 0 ? -change : 0;
}

function strength(gain: number, loss: number): number {
  const both = gain + loss;
  return both === 0 ? 50 : 100 * (gain / both);
}
