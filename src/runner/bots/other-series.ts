import type { Candle } from '#engine/market/candle.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { firstAtOrAfter } from '#engine/market/first-at-or-after.ts';
import { minuteText } from '#engine/market/minute-text.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import type { OtherPairs } from '#engine/strategy/series.ts';
import type { CandleWindows } from '#feeds/candle-windows.ts';
import type { Series } from '#feeds/series.ts';
import type { ReadSeries } from './runnable-strategy.ts';
import { windowColumns } from '#feeds/window-columns.ts';

/** When the newest candle of a timeframe opened that has closed by the end of another one, in ms. */
export function newestClosedWith(timeframe: Timeframe, closeTime: number): number {
  return candleOpenTime(timeframe, candleOpenTime(timeframe, closeTime) - 1);
}

interface Watched extends ReadSeries {
  closed: readonly Candle[]; // oldest first
  end: () => void;
}

/** The candles of the other series that a strategy reads beside its own. */
export class OtherSeries {
  readonly #ownLength: number;
  readonly #size: number;
  readonly #watched: Watched[] = [];
  readonly #waiting = new Set<() => void>(); // called at every candle

  private constructor({ timeframe }: Series, size: number) {
    this.#ownLength = timeframeLengths[timeframe];
    this.#size = size;
  }

  /** Begins to watch what a strategy reads beside `own`, each with a window of `size` closed candles. Fails: ExchangeError */
  static async open(windows: CandleWindows, own: Series, read: readonly ReadSeries[], size: number): Promise<OtherSeries> {
    const others = new OtherSeries(own, size);
    try {
      for (const each of read) await others.#watch(windows, each);
      return others;
    } catch (error) {
      others.end();
      throw error;
    }
  }

  /**
   * The candles of each series that had closed with the own one that opened at `time`, as a backtest gives them. One that has not come yet
   * is waited for until `patienceMs` have passed; a sentence then.
   */
  async until(time: number, patienceMs: number): Promise<OtherPairs | string> {
    const late = await this.#lateAfter(time, patienceMs);
    if (late !== null)
      return `The ${late.series.timeframe} candle of ${minuteText(this.#newestAt(late, time))} of ${late.series.symbol}, which the strategy reads, had not closed after ${patienceMs / 1000} seconds.`;
    return Object.fromEntries(
      this.#watched.map((watched) => {
        const candles = windowColumns(watched.closed, this.#size, timeframeLengths[watched.series.timeframe]);
        return [watched.name, sliceColumns(candles, 0, firstAtOrAfter(candles.openTime, this.#newestAt(watched, time) + 1))];
      }),
    );
  }

  /** Receives nothing any more. What waits keeps waiting until its patience ends. */
  end(): void {
    for (const { end } of this.#watched) end();
  }

  async #watch(windows: CandleWindows, { name, series }: ReadSeries): Promise<void> {
    const watched: Watched = { name, series, closed: [], end: () => {} };
    const { window, end } = await windows.watch(series, this.#size, (_, closed) => {
      watched.closed = closed;
      for (const check of this.#waiting) check();
    });
    watched.closed = watched.closed.length === 0 ? window : watched.closed;
    watched.end = end;
    this.#watched.push(watched);
  }

  /** When the newest candle of a series opened that has closed with the own one of `time`. */
  #newestAt({ series: { timeframe } }: ReadSeries, time: number): number {
    return newestClosedWith(timeframe, time + this.#ownLength);
  }

  /** Waits for the candles of a time; gives a series that has none after so long, or null. */
  async #lateAfter(time: number, patienceMs: number): Promise<Watched | null> {
    const late = (): Watched | null =>
      this.#watched.find((watched) => (watched.closed.at(-1)?.openTime ?? -Infinity) < this.#newestAt(watched, time)) ?? null;
    if (late() === null) return null;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), patienceMs);
    const check = (): void => {
      if (late() === null) resolve(undefined);
    };
    this.#waiting.add(check);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(check);
    return late();
  }
}
