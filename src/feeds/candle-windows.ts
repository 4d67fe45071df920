import { setTimeout as sleep } from 'node:timers/promises';
import type { Candle } from '#engine/market/candle.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import type { Markets } from './markets.ts';

/** One series of candles at one exchange. */
export interface Series {
  exchangeId: string;
  marketType: MarketType;
  symbol: string;
  timeframe: Timeframe;
}

/** What a series costs now. `time` is when that was last known to be so: now, unless the source has fallen silent. In ms. */
export interface LastPrice {
  price: number;
  time: number;
}

/** Hears of each closed candle of a series, in order; `window` ends with it. */
export type CandleWatcher = (candle: Candle, window: readonly Candle[]) => void;

interface Window {
  series: Series;
  size: number;
  closed: Candle[];
  open: Candle | null;
  pricedAt: number; // ms; when the source last confirmed the price
  isFed: boolean; // the source has spoken since the window was opened, so its price is that of now
  isSilent: boolean; // the source has fallen silent
  asking: Promise<void> | null; // the request for the open candle under way
  askedAt: number; // ms; when the open candle was asked for last
  loaded: Promise<void>;
  isLoaded: boolean;
  watchers: Set<CandleWatcher>;
  usedAt: number;
  release: () => void;
}

const openCandleWaitMs = 1_500; // a reader waits so long for the open candle; what comes later serves the next one
const openCandleEveryMs = 5_000; // an exchange that does not answer is not asked at every call
const silenceMs = 10_000; // the feed calls a source silent after so long without a frame

/**
 * The newest candles of many series, kept up to date by the live feed and shared by all who ask for the same series.
 *
 * A window nobody watches and nobody has asked for lately is let go.
 */
export class CandleWindows {
  readonly #markets: Markets;
  readonly #now: () => number;
  readonly #idleMs: number;
  readonly #windows = new Map<string, Window>();

  constructor(markets: Markets, options: { now?: () => number; idleMs?: number } = {}) {
    this.#markets = markets;
    this.#now = options.now ?? Date.now;
    this.#idleMs = options.idleMs ?? 120_000;
  }

  /** The newest candles of the series, oldest first, at most `count`, the one still open included when `withOpen`. */
  async newest(series: Series, count: number, withOpen: boolean): Promise<Candle[]> {
    const window = await this.#ready(series, count);
    if (withOpen) await this.#waitForOpen(window);
    const candles = withOpen && window.open !== null ? [...window.closed, window.open] : [...window.closed];
    return candles.slice(-count);
  }

  /** The price the series was last seen at, if its window is kept. */
  lastPrice(series: Series): LastPrice | null {
    const window = this.#windows.get(keyOf(series));
    const price = window?.open?.close ?? window?.closed.at(-1)?.close;
    if (window === undefined || price === undefined) return null;
    return { price, time: window.isFed && !window.isSilent ? this.#now() : window.pricedAt };
  }

  /**
   * Watches a series with a window of `size` closed candles; gives the window as it is now and the function that ends it.
   * Candles that close after the window was read are told to the watcher.
   */
  async watch(series: Series, size: number, watcher: CandleWatcher): Promise<{ window: readonly Candle[]; end: () => void }> {
    const window = await this.#ready(series, size);
    window.watchers.add(watcher);
    const end = (): void => {
      window.watchers.delete(watcher);
      window.usedAt = this.#now();
    };
    return { window: window.closed.slice(-size), end };
  }

  /** Lets go of windows nobody uses any more; called from time to time. */
  releaseIdle(): void {
    for (const [key, window] of this.#windows) {
      if (window.watchers.size === 0 && this.#now() - window.usedAt > this.#idleMs) {
        window.release();
        this.#windows.delete(key);
      }
    }
  }

  /** Lets go of every window. */
  close(): void {
    for (const window of this.#windows.values()) window.release();
    this.#windows.clear();
  }

  async #ready(series: Series, size: number): Promise<Window> {
    const key = keyOf(series);
    const market = await this.#markets.market(series.exchangeId, series.marketType);
    let window = this.#windows.get(key);
    while (window !== undefined && window.size < size && !window.isLoaded) {
      await window.loaded.catch(() => {}); // a window grows out of one that is there
      window = this.#windows.get(key);
    }
    if (window === undefined || window.size < size) {
      const grown = this.#openWindow(market, series, size, window ?? null);
      this.#windows.set(key, grown);
      window = grown;
    }
    window.usedAt = this.#now();
    await window.loaded;
    return window;
  }

  /**
   * Sees to it that the window has the candle that is open now. A window that has just been opened knows closed candles
   * only until the stream speaks; without the open one its newest price would be as old as the last close.
   */
  async #waitForOpen(window: Window): Promise<void> {
    if (window.isFed) return;
    if (window.asking === null && this.#now() - window.askedAt >= openCandleEveryMs) {
      window.askedAt = this.#now();
      window.asking = this.#askOpen(window).finally(() => {
        window.asking = null;
      });
    }
    if (window.asking !== null) await Promise.race([window.asking, sleep(openCandleWaitMs, undefined, { ref: false })]);
  }

  /** Asks for the open candle. Without an answer the last close remains, with its own time. */
  async #askOpen(window: Window): Promise<void> {
    const { exchangeId, marketType, symbol, timeframe } = window.series;
    const before = window.open;
    try {
      const market = await this.#markets.market(exchangeId, marketType);
      const candle = await market.openCandle(symbol, timeframe);
      const isNewer = candle !== null && candle.openTime > (window.closed.at(-1)?.openTime ?? -Infinity);
      if (isNewer && window.open === before) window.open = candle; // what the stream has brought meanwhile is newer
      this.#notePrice(window);
    } catch {
      // The exchange cannot be reached; the feed tries again by itself, and the price stays as old as it is.
    }
  }

  #notePrice(window: Window): void {
    window.pricedAt = this.#now();
    window.isFed = true;
  }

  /** Opens a window. Those who watch the `smaller` one it stands for hear their candles from that until it is loaded. */
  #openWindow(market: MarketData, series: Series, size: number, smaller: Window | null): Window {
    const key = keyOf(series);
    const early: Candle[] = [];
    const window: Window = {
      series,
      size,
      closed: [],
      open: smaller?.open ?? null,
      pricedAt: smaller?.pricedAt ?? 0,
      isFed: smaller?.isFed ?? false,
      isSilent: smaller?.isSilent ?? false,
      asking: null,
      askedAt: -Infinity,
      loaded: Promise.resolve(),
      isLoaded: false,
      watchers: smaller?.watchers ?? new Set(),
      usedAt: this.#now(),
      release: () => {},
    };
    const end = market.watch(
      { symbol: series.symbol, timeframes: [series.timeframe], quotes: false },
      {
        onCandle: (_, candle) => {
          this.#notePrice(window);
          if (window.isLoaded) this.#append(window, candle);
          else early.push(candle);
        },
        onOpenCandle: (_, candle) => {
          window.open = candle;
          this.#notePrice(window);
        },
        onStale: (isStale) => {
          if (isStale && !window.isSilent) window.pricedAt = Math.max(window.pricedAt, this.#now() - silenceMs);
          window.isSilent = isStale;
        },
      },
    );
    window.release = () => {
      end();
      smaller?.release();
    };
    const load = async (): Promise<void> => {
      const length = timeframeLengths[series.timeframe];
      const now = candleOpenTime(series.timeframe, this.#now());
      const history = await market.candles(series.symbol, series.timeframe, now - size * length, now);
      const told = smaller?.closed.at(-1)?.openTime ?? null;
      window.closed = history.slice(-size);
      window.pricedAt = Math.max(window.pricedAt, (window.closed.at(-1)?.openTime ?? -length) + length);
      window.isLoaded = true;
      window.release = end;
      smaller?.release();
      // What the smaller window has not told yet is told now, each with the window as it was then.
      const untold = told === null ? [] : window.closed.filter(({ openTime }) => openTime > told);
      if (untold.length > 0) window.closed = window.closed.slice(0, -untold.length);
      for (const candle of [...untold, ...early]) this.#append(window, candle, told !== null && candle.openTime <= told);
    };
    window.loaded = load().catch((error: unknown) => {
      // One that could not be loaded must be tried anew by the next who asks, not remembered; the smaller one goes on.
      end();
      if (this.#windows.get(key) === window) {
        if (smaller === null) this.#windows.delete(key);
        else this.#windows.set(key, smaller);
      }
      throw error;
    });
    window.loaded.catch(() => {}); // told to those who wait for it
    return window;
  }

  #append(window: Window, candle: Candle, isTold = false): void {
    const last = window.closed.at(-1);
    if (last !== undefined && candle.openTime <= last.openTime) return; // it came with the history already
    window.closed.push(candle);
    if (window.closed.length > window.size * 2) window.closed = window.closed.slice(-window.size);
    if (window.open !== null && window.open.openTime <= candle.openTime) window.open = null;
    if (!isTold) for (const watcher of window.watchers) watcher(candle, window.closed);
  }
}

function keyOf(series: Series): string {
  return `${series.exchangeId} ${series.marketType} ${series.symbol} ${series.timeframe}`;
}
