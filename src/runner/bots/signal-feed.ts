import type { SignalRow } from '#engine/bot/event.ts';
import { failedRow } from '#engine/bot/signal-row.ts';
import type { Candle } from '#engine/market/candle.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { CandleWindows } from '#feeds/candle-windows.ts';
import type { Series } from '#feeds/series.ts';
import { OtherSeries } from './other-series.ts';
import type { SignalSource } from './runnable-strategy.ts';
import { windowSize } from './runnable-strategy.ts';
import { windowColumns } from '#feeds/window-columns.ts';

/** Receives the row that a strategy computes for each closed candle of a series. */
export type SignalListener = (candle: Candle, row: SignalRow) => void;

interface Evaluation {
  candle: Candle;
  row: SignalRow;
}

interface Source {
  listeners: Set<SignalListener>;
  newest: Evaluation | null;
  ready: Promise<void>;
  end: () => void;
}

/** How long a row waits for the closed candles of other pairs, or a fifth of its timeframe where that is less. */
const longestWaitMs = 10_000;

/**
 * The signals of strategies on closed candles. Bots with the same strategy and parameters, symbol and timeframe share one computation.
 */
export class SignalFeed {
  readonly #windows: CandleWindows;
  readonly #sources = new Map<string, Source>();
  readonly #onError: (error: unknown) => void;
  readonly #othersPatienceMs: number;

  constructor(windows: CandleWindows, onError: (error: unknown) => void, { othersPatienceMs = longestWaitMs } = {}) {
    this.#windows = windows;
    this.#othersPatienceMs = othersPatienceMs;
    this.#onError = onError;
  }

  /**
   * Listens to a strategy on a series. The listener receives the newest closed candle's row at once; a bot decides itself
   * whether it has acted on it before. Returns the function that ends it.
   */
  async listen(signals: SignalSource, parameters: ParameterValues, series: Series, listener: SignalListener): Promise<() => void> {
    const { exchangeId, marketType, symbol, timeframe } = series;
    const key = JSON.stringify([signals.key, Object.entries(parameters).toSorted(byName), exchangeId, marketType, symbol, timeframe]);
    const joined = await this.#join(key, signals, parameters, series);
    joined.listeners.add(listener);
    if (joined.newest !== null) listener(joined.newest.candle, joined.newest.row);
    return () => {
      joined.listeners.delete(listener);
      if (joined.listeners.size > 0) return;
      joined.end();
      if (this.#sources.get(key) === joined) this.#sources.delete(key);
    };
  }

  /** The source of a key, ready. One that its last listener ended in the meantime reports nothing any more: a new one then. */
  async #join(key: string, signals: SignalSource, parameters: ParameterValues, series: Series): Promise<Source> {
    for (;;) {
      let source = this.#sources.get(key);
      if (source === undefined) {
        source = this.#open(signals, parameters, series);
        this.#sources.set(key, source);
        const opened = source;
        source.ready.catch(() => {
          if (this.#sources.get(key) === opened) this.#sources.delete(key);
        });
      }
      await source.ready;
      if (this.#sources.get(key) === source) return source;
    }
  }

  #open(signals: SignalSource, parameters: ParameterValues, series: Series): Source {
    const size = windowSize(signals);
    const length = timeframeLengths[series.timeframe];
    const source: Source = { listeners: new Set(), newest: null, ready: Promise.resolve(), end: () => {} };
    let others: OtherSeries | null = null;
    const rowOf = (window: readonly Candle[]): SignalRow | Promise<SignalRow> => {
      const candles = windowColumns(window, size, length);
      if (others === null) return signals.rowOf(candles, parameters, series, {});
      const row = others
        .until(candles.openTime.at(-1) ?? 0, Math.min(this.#othersPatienceMs, length / 5))
        .then((found) => (typeof found === 'string' ? failedRow(found) : signals.rowOf(candles, parameters, series, found)));
      row.catch(() => undefined); // it is reported in its turn
      return row;
    };
    const report = (candle: Candle, row: SignalRow): void => {
      if (source.newest !== null && candle.openTime < source.newest.candle.openTime) return;
      const { open, high, low, close, volume } = candle;
      const seen: SignalRow = { ...row, candle: [open, high, low, close, volume] };
      source.newest = { candle, row: seen };
      for (const listener of source.listeners) listener(candle, seen);
    };
    let queue = Promise.resolve(); // rows of a process are reported in the sequence of their candles
    source.ready = (async () => {
      const read = await signals.reads(series);
      const beside = read.length === 0 ? null : await OtherSeries.open(this.#windows, series, read, size);
      others = beside;
      const watching = this.#windows.watch(series, size, (candle, candles) => {
        try {
          const row = rowOf(candles);
          if (row instanceof Promise) queue = queue.then(async () => report(candle, await row)).catch(this.#onError);
          else report(candle, row);
        } catch (error) {
          this.#onError(error); // one strategy that fails must not keep the others from receiving the candle
        }
      });
      watching.catch(() => beside?.end());
      const { window, end: endOwn } = await watching;
      const end = (): void => {
        endOwn();
        beside?.end();
      };
      source.end = end;
      const newest = window.at(-1);
      try {
        if (newest === undefined) return;
        const row = rowOf(window);
        if (!(row instanceof Promise)) report(newest, row);
        else {
          report(newest, await row);
        }
      } catch (error) {
        end();
        throw error;
      }
    })();
    return source;
  }
}

function byName([a]: [string, number], [b]: [string, number]): number {
  return a < b ? -1 : 1;
}
