import type { Pair } from './listings.ts';

/** Prices that a test bed sets for a pair, from a tick on. */
export interface SteeredPrices {
  from: number; // ticks since the epoch
  bid: number; // ticks
  ask: number; // ticks
  depth: number; // steps that may be had at each of them
}

/** The pairs whose prices are set by hand. Their book has one level on each side, and nobody else trades in it. */
export class SteeredPairs {
  readonly #prices = new Map<Pair, SteeredPrices[]>(); // the newest first

  set(pair: Pair, prices: SteeredPrices): void {
    this.#prices.set(pair, [prices, ...(this.#prices.get(pair) ?? [])]);
  }

  /** What was set for a pair and holds at a tick; null when nothing was. */
  at(pair: Pair, tick: number): SteeredPrices | null {
    return this.#prices.get(pair)?.find(({ from }) => from <= tick) ?? null;
  }

  /** Whether anything was set for a pair: its candles say nothing of its prices then. */
  has(pair: Pair): boolean {
    return this.#prices.has(pair);
  }
}
