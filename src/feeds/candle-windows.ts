import type { Candle } from '#engine/market/candle.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { CandleWatcher, CandleWindow, LastPrice } from './candle-window.ts';
import type { Markets } from './markets.ts';
import { openWindow } from './open-window.ts';
import type { Series } from './series.ts';

/**
 * The newest candles of many series, kept up to date by the live feed and shared by all readers of the same series.
 *
 * A window that nobody watches and nobody has read lately is released.
 */
export class CandleWindows {
  readonly #markets: Markets;
  readonly #now: () => number;
  readonly #idleMs: number;
  readonly #windows = new Map<string, CandleWindow>();

  constructor(markets: Markets, options: { now?: () => number; idleMs?: number } = {}) {
    this.#markets = markets;
    this.#now = options.now ?? Date.now;
    this.#idleMs = options.idleMs ?? 2 * minuteMs;
  }

  /** The newest candles of the series, oldest first, at most `count`, the one still open included when `withOpen`. */
  async newest(series: Series, count: number, withOpen: boolean): Promise<Candle[]> {
    const window = await this.#ready(series, count);
    if (withOpen) await window.waitForOpen(await this.#markets.market(series.exchangeId, series.marketType));
    return window.newest(count, withOpen);
  }

  /** The price the series was last seen at, if its window is kept. */
  lastPrice(series: Series): LastPrice | null {
    return this.#windows.get(keyOf(series))?.lastPrice() ?? null;
  }

  /**
   * Watches a series with a window of `size` closed candles; returns the window as it is now and the function that ends it.
   * The watcher receives the candles that close after the window was read.
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

  /** Releases windows that nobody uses any more; called from time to time. One that is being loaded is waited for, however long that takes. */
  releaseIdle(): void {
    for (const [key, window] of this.#windows) {
      if (window.isLoaded && window.watchers.size === 0 && this.#now() - window.usedAt > this.#idleMs) {
        window.release();
        this.#windows.delete(key);
      }
    }
  }

  /** Releases every window. */
  close(): void {
    for (const window of this.#windows.values()) window.release();
    this.#windows.clear();
  }

  /** The loaded window of a series with at least `size` candles; opened, or grown out of the one that is there. */
  async #ready(series: Series, size: number): Promise<CandleWindow> {
    const key = keyOf(series);
    const market = await this.#markets.market(series.exchangeId, series.marketType);
    let window = this.#windows.get(key);
    while (window !== undefined && window.size < size && !window.isLoaded) {
      await window.loaded.catch(() => {}); // a window grows out of one that is loaded
      window = this.#windows.get(key);
    }
    if (window === undefined || window.size < size) {
      const smaller = window ?? null;
      const opened = openWindow(market, series, size, smaller, this.#now);
      this.#windows.set(key, opened);
      opened.loaded.catch(() => this.#forget(key, opened, smaller));
      window = opened;
    }
    await window.loaded;
    window.usedAt = this.#now();
    return window;
  }

  /** A window that could not be loaded is not kept: the next reader tries again, and the smaller one continues. */
  #forget(key: string, failed: CandleWindow, smaller: CandleWindow | null): void {
    if (this.#windows.get(key) !== failed) return;
    if (smaller === null) this.#windows.delete(key);
    else this.#windows.set(key, smaller);
  }
}

function keyOf(series: Series): string {
  return `${series.exchangeId} ${series.marketType} ${series.symbol} ${series.timeframe}`;
}
