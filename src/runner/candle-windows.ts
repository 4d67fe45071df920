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

/** Hears of each closed candle of a series, in order; `window` ends with it. */
export type CandleWatcher = (candle: Candle, window: readonly Candle[]) => void;

interface Window {
  series: Series;
  size: number;
  closed: Candle[];
  open: Candle | null;
  loaded: Promise<void>;
  watchers: Set<CandleWatcher>;
  usedAt: number;
  release: () => void;
}

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
    const candles = withOpen && window.open !== null ? [...window.closed, window.open] : [...window.closed];
    return candles.slice(-count);
  }

  /** The price the series was last seen at, if its window is kept. */
  lastPrice(series: Series): number | null {
    const window = this.#windows.get(keyOf(series));
    return window?.open?.close ?? window?.closed.at(-1)?.close ?? null;
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
  letGoOfIdle(): void {
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
    if (window === undefined || window.size < size) {
      const grown = this.#openWindow(market, series, Math.max(size, window?.size ?? 0), window?.watchers ?? new Set());
      window?.release();
      this.#windows.set(key, grown);
      // A window that could not be loaded must be tried anew by the next who asks, not remembered.
      grown.loaded.catch(() => {
        grown.release();
        if (this.#windows.get(key) === grown) this.#windows.delete(key);
      });
      window = grown;
    }
    window.usedAt = this.#now();
    await window.loaded;
    return window;
  }

  #openWindow(market: MarketData, series: Series, size: number, watchers: Set<CandleWatcher>): Window {
    const early: Candle[] = [];
    let isLoaded = false;
    const window: Window = {
      series,
      size,
      closed: [],
      open: null,
      loaded: Promise.resolve(),
      watchers,
      usedAt: this.#now(),
      release: () => {},
    };
    window.release = market.watch(
      { symbol: series.symbol, timeframes: [series.timeframe], quotes: false },
      {
        onCandle: (_, candle) => {
          if (isLoaded) this.#append(window, candle);
          else early.push(candle);
        },
        onOpenCandle: (_, candle) => {
          window.open = candle;
        },
      },
    );
    window.loaded = (async () => {
      const length = timeframeLengths[series.timeframe];
      const now = candleOpenTime(series.timeframe, this.#now());
      const history = await market.candles(series.symbol, series.timeframe, now - size * length, now);
      window.closed = history.slice(-size);
      isLoaded = true;
      for (const candle of early) this.#append(window, candle);
    })();
    return window;
  }

  #append(window: Window, candle: Candle): void {
    const last = window.closed.at(-1);
    if (last !== undefined && candle.openTime <= last.openTime) return; // it came with the history already
    window.closed.push(candle);
    if (window.closed.length > window.size * 2) window.closed = window.closed.slice(-window.size);
    if (window.open !== null && window.open.openTime <= candle.openTime) window.open = null;
    for (const watcher of window.watchers) watcher(candle, window.closed);
  }
}

function keyOf(series: Series): string {
  return `${series.exchangeId} ${series.marketType} ${series.symbol} ${series.timeframe}`;
}
