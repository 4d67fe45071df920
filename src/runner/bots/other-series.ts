import type { Candle } from '#engine/market/candle.ts';
import { sliceColumns, toColumns } from '#engine/market/candle.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import { firstAtOrAfter } from '#engine/market/first-at-or-after.ts';
import { minuteText } from '#engine/market/minute-text.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { type OtherPairs, pairOf } from '#engine/strategy/series.ts';
import type { CandleWindows } from '#feeds/candle-windows.ts';
import type { Series } from '#feeds/series.ts';

interface Watched {
  name: string; // what the strategy calls it
  symbol: string;
  closed: readonly Candle[]; // oldest first
  end: () => void;
}

/** The candles of the other pairs that a strategy reads beside a series: of the same exchange, market and timeframe. */
export class OtherSeries {
  readonly #series: Series;
  readonly #size: number;
  readonly #watched: Watched[] = [];
  readonly #waiting = new Set<() => void>(); // called at every candle

  private constructor(series: Series, size: number) {
    this.#series = series;
    this.#size = size;
  }

  /** Begins to watch the pairs that a strategy has these names for, each with a window of `size` closed candles. Fails: ExchangeError */
  static async open(windows: CandleWindows, series: Series, names: readonly string[], size: number): Promise<OtherSeries> {
    const others = new OtherSeries(series, size);
    try {
      for (const name of names) await others.#watch(windows, name);
      return others;
    } catch (error) {
      others.end();
      throw error;
    }
  }

  /**
   * The candles of each pair up to the one that opened at `time`, as a backtest gives them. One that has not closed yet is waited for
   * until `patienceMs` have passed; a sentence then.
   */
  async until(time: number, patienceMs: number): Promise<OtherPairs | string> {
    const late = await this.#lateAfter(time, patienceMs);
    const { timeframe } = this.#series;
    if (late !== null)
      return `The ${timeframe} candle of ${minuteText(time)} of ${late}, which the strategy reads, had not closed after ${patienceMs / 1000} seconds.`;
    return Object.fromEntries(
      this.#watched.map(({ name, closed }) => {
        const candles = fillGaps(toColumns(closed.slice(-this.#size)), timeframeLengths[timeframe]);
        return [name, sliceColumns(candles, 0, firstAtOrAfter(candles.openTime, time + 1))];
      }),
    );
  }

  /** Receives nothing any more. What waits goes on waiting until its patience ends. */
  end(): void {
    for (const { end } of this.#watched) end();
  }

  async #watch(windows: CandleWindows, name: string): Promise<void> {
    const symbol = pairOf(name, this.#series.symbol);
    const watched: Watched = { name, symbol, closed: [], end: () => {} };
    const { window, end } = await windows.watch({ ...this.#series, symbol }, this.#size, (_, closed) => {
      watched.closed = closed;
      for (const look of this.#waiting) look();
    });
    watched.closed = watched.closed.length === 0 ? window : watched.closed;
    watched.end = end;
    this.#watched.push(watched);
  }

  /** Waits for the candles of a time; gives a pair that has none after so long, or null. */
  async #lateAfter(time: number, patienceMs: number): Promise<string | null> {
    const late = (): string | null => this.#watched.find(({ closed }) => (closed.at(-1)?.openTime ?? -Infinity) < time)?.symbol ?? null;
    if (late() === null) return null;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), patienceMs);
    const look = (): void => {
      if (late() === null) resolve(undefined);
    };
    this.#waiting.add(look);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(look);
    return late();
  }
}
