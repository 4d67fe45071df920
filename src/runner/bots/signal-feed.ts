import type { SignalRow } from '#engine/bot/event.ts';
import { signalRowAt } from '#engine/bot/signal-row.ts';
import { watchedRowAt } from '#engine/bot/watched-row.ts';
import type { Candle } from '#engine/market/candle.ts';
import { toColumns } from '#engine/market/candle.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { ParameterValues, Strategy } from '#engine/strategy/strategy.ts';
import type { CandleWindows } from '#feeds/candle-windows.ts';
import type { Series } from '#feeds/series.ts';

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

/** Candles beyond a strategy's own warm-up, so that its newest row never lies at the edge of it. */
const spareCandles = 50;

/**
 * The signals of strategies on closed candles. Bots with the same strategy and parameters, symbol and timeframe share one computation.
 */
export class SignalFeed {
  readonly #windows: CandleWindows;
  readonly #sources = new Map<string, Source>();
  readonly #onError: (error: unknown) => void;

  constructor(windows: CandleWindows, onError: (error: unknown) => void) {
    this.#windows = windows;
    this.#onError = onError;
  }

  /**
   * Listens to a strategy on a series. The listener receives the newest closed candle's row at once; a bot decides itself
   * whether it has acted on it before. Returns the function that ends it.
   */
  async listen(strategy: Strategy, parameters: ParameterValues, series: Series, listener: SignalListener): Promise<() => void> {
    const { exchangeId, marketType, symbol, timeframe } = series;
    const key = JSON.stringify([strategy.name, Object.entries(parameters).toSorted(byName), exchangeId, marketType, symbol, timeframe]);
    const joined = await this.#join(key, strategy, parameters, series);
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
  async #join(key: string, strategy: Strategy, parameters: ParameterValues, series: Series): Promise<Source> {
    for (;;) {
      let source = this.#sources.get(key);
      if (source === undefined) {
        source = this.#open(strategy, parameters, series);
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

  #open(strategy: Strategy, parameters: ParameterValues, series: Series): Source {
    const size = strategy.startupCandles + spareCandles;
    const length = timeframeLengths[series.timeframe];
    const source: Source = { listeners: new Set(), newest: null, ready: Promise.resolve(), end: () => {} };
    const evaluate = (candle: Candle, window: readonly Candle[]): Evaluation => {
      const columns = fillGaps(toColumns(window.slice(-size)), length);
      const signals = strategy.compute(columns, parameters);
      const at = columns.openTime.length - 1;
      return { candle, row: { ...signalRowAt(signals, at), ...watchedRowAt(strategy, parameters, signals, columns.close, at) } };
    };
    source.ready = (async () => {
      const { window, end } = await this.#windows.watch(series, size, (candle, candles) => {
        try {
          source.newest = evaluate(candle, candles);
        } catch (error) {
          this.#onError(error); // one strategy that fails must not keep the others from receiving the candle
          return;
        }
        for (const listener of source.listeners) listener(source.newest.candle, source.newest.row);
      });
      source.end = end;
      const newest = window.at(-1);
      try {
        if (newest !== undefined) source.newest = evaluate(newest, window);
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
