import { setTimeout as sleep } from 'node:timers/promises';
import type { Candle } from '#engine/market/candle.ts';
import { secondMs } from '#engine/market/durations.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import type { Series } from './series.ts';

/** What a series costs now. `time` is when that was last known to be so: now, unless the source has fallen silent. In ms. */
export interface LastPrice {
  price: number;
  time: number;
}

/** Receives each closed candle of a series, oldest first; `window` ends with it. */
export type CandleWatcher = (candle: Candle, window: readonly Candle[]) => void;

const openCandleWaitMs = 1.5 * secondMs; // a reader waits so long for the open candle; what comes later serves the next one
const openCandleEveryMs = 5 * secondMs; // an exchange that does not answer is not asked at every call
const silenceMs = 10 * secondMs; // the feed calls a source silent after so long without a frame

/** The newest candles of one series, closed and open, with those who watch it and the time its price was last known. */
export class CandleWindow {
  readonly series: Series;
  readonly size: number; // closed candles that it holds at least
  readonly watchers: Set<CandleWatcher>;
  closed: Candle[] = []; // oldest first
  loaded: Promise<void> = Promise.resolve(); // fails when the history cannot be had
  isLoaded = false;
  usedAt: number; // ms
  release: () => void = () => {}; // ends what it receives
  readonly #now: () => number;
  #open: Candle | null = null;
  #pricedAt = 0; // ms; when the source last confirmed the price
  #isFed = false; // the source has sent something since the window was opened, so its price is that of now
  #isSilent = false; // the source has fallen silent
  #asking: Promise<void> | null = null; // the request for the open candle under way
  #askedAt = -Infinity; // ms; when the open candle was requested last

  /** An empty window; one that grows out of a `smaller` one takes over its watchers and its price. */
  constructor(series: Series, size: number, smaller: CandleWindow | null, now: () => number) {
    this.series = series;
    this.size = size;
    this.#now = now;
    this.usedAt = now();
    this.watchers = smaller?.watchers ?? new Set();
    if (smaller === null) return;
    this.#open = smaller.#open;
    this.#pricedAt = smaller.#pricedAt;
    this.#isFed = smaller.#isFed;
    this.#isSilent = smaller.#isSilent;
  }

  /** Its newest candles, oldest first, at most `count`, the open one included when `withOpen`. */
  newest(count: number, withOpen: boolean): Candle[] {
    const candles = withOpen && this.#open !== null ? [...this.closed, this.#open] : [...this.closed];
    return candles.slice(-count);
  }

  /** The price the series was last seen at; null before the first candle. */
  lastPrice(): LastPrice | null {
    const price = this.#open?.close ?? this.closed.at(-1)?.close;
    if (price === undefined) return null;
    return { price, time: this.#isFed && !this.#isSilent ? this.#now() : this.#pricedAt };
  }

  /** Adds a closed candle and reports it to the watchers, unless they know it; one that came with the history changes nothing. */
  append(candle: Candle, isKnown = false): void {
    const last = this.closed.at(-1);
    if (last !== undefined && candle.openTime <= last.openTime) return;
    this.closed.push(candle);
    if (this.closed.length > this.size * 2) this.closed = this.closed.slice(-this.size);
    if (this.#open !== null && this.#open.openTime <= candle.openTime) this.#open = null;
    if (!isKnown) for (const watcher of this.watchers) watcher(candle, this.closed);
  }

  /** The candle that is open now, as the source reports it. */
  setOpen(candle: Candle): void {
    this.#open = candle;
    this.confirmPrice();
  }

  /** The source has sent something: the price is that of now. */
  confirmPrice(): void {
    this.#pricedAt = this.#now();
    this.#isFed = true;
  }

  /** The price was known at a time; an earlier one than known changes nothing. */
  priceKnownAt(time: number): void {
    this.#pricedAt = Math.max(this.#pricedAt, time);
  }

  /** The source has fallen silent, or sends again. The price was known until the silence began. */
  setSilent(isSilent: boolean): void {
    if (isSilent && !this.#isSilent) this.priceKnownAt(this.#now() - silenceMs);
    this.#isSilent = isSilent;
  }

  /**
   * Waits, not for long, until the window has the candle that is open now. A window that has just been opened knows closed
   * candles only until the stream sends something; without the open one its newest price would be as old as the last close.
   */
  async waitForOpen(market: Pick<MarketData, 'openCandle'>): Promise<void> {
    if (this.#isFed) return;
    if (this.#asking === null && this.#now() - this.#askedAt >= openCandleEveryMs) {
      this.#askedAt = this.#now();
      this.#asking = this.#askOpen(market).finally(() => {
        this.#asking = null;
      });
    }
    if (this.#asking !== null) await Promise.race([this.#asking, sleep(openCandleWaitMs, undefined, { ref: false })]);
  }

  /** Requests the open candle. Without an answer the last close remains, with its own time. */
  async #askOpen(market: Pick<MarketData, 'openCandle'>): Promise<void> {
    const before = this.#open;
    try {
      const candle = await market.openCandle(this.series.symbol, this.series.timeframe);
      const isNewer = candle !== null && candle.openTime > (this.closed.at(-1)?.openTime ?? -Infinity);
      if (isNewer && this.#open === before) this.#open = candle; // what the stream has brought meanwhile is newer
      this.confirmPrice();
    } catch {
      // The exchange cannot be reached; the feed tries again by itself, and the price stays as old as it is.
    }
  }
}
