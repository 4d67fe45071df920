/** A volume-weighted average price and how far prices lie from it. Unit: quote currency */
export interface VwapPoint {
  vwap: number;
  deviation: number; // volume-weighted population deviation; bands are vwap ± k x deviation
}

/**
 * A running weighted mean and deviation.
 *
 * Source: D. H. D. West, Updating mean and variance estimates (1979). It equals Σpv / Σv and √(Σv(p - mean)² / Σv) without
 *         the cancellation of E[p²] - mean².
 */
export class WeightedMean {
  #weight = 0; // sum of the weights
  #mean = NaN; // NaN before the first weight
  #squares = 0; // sum of weight x (value - mean)²

  /** The mean with this value added for good; a value of no weight changes nothing. */
  push(value: number, weight: number): VwapPoint {
    if (weight > 0) {
      const total = this.#weight + weight;
      const mean = nextMean(this.#mean, value, weight / total);
      this.#squares = nextSquares(this.#squares, this.#mean, mean, value, weight);
      this.#mean = mean;
      this.#weight = total;
    }
    return toPoint(this.#mean, this.#squares, this.#weight);
  }

  /** The mean as it would be with this value; changes nothing. */
  peek(value: number, weight: number): VwapPoint {
    if (!(weight > 0)) return toPoint(this.#mean, this.#squares, this.#weight);
    const total = this.#weight + weight;
    const mean = nextMean(this.#mean, value, weight / total);
    return toPoint(mean, nextSquares(this.#squares, this.#mean, mean, value, weight), total);
  }
}

function nextMean(mean: number, value: number, share: number): number {
  return Number.isNaN(mean) ? value : mean + (value - mean) * share;
}

function nextSquares(squares: number, oldMean: number, newMean: number, value: number, weight: number): number {
  return Number.isNaN(oldMean) ? 0 : squares + weight * (value - oldMean) * (value - newMean);
}

function toPoint(mean: number, squares: number, weight: number): VwapPoint {
  return { vwap: mean, deviation: Number.isNaN(mean) ? NaN : Math.sqrt(squares / weight) };
}
