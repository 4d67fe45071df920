import type { SignalRow } from '#engine/bot/event.ts';
import { failedRow } from '#engine/bot/signal-row.ts';
import type { Candle } from '#engine/market/candle.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { OtherPairs } from '#engine/strategy/series.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { CandleWindows } from '#feeds/candle-windows.ts';
import type { Series } from '#feeds/series.ts';
import type { Asker } from '#strategy-process/asker.ts';
import { OtherSeries } from './other-series.ts';
import type { SignalSource } from './runnable-strategy.ts';
import { windowSize } from './runnable-strategy.ts';
import { Turns, type Waits } from './turns.ts';
import { windowColumns } from '#feeds/window-columns.ts';

/** Receives the row that a strategy computes for each closed candle of a series. */
export type SignalListener = (candle: Candle, row: SignalRow) => void;

/** A bot that listens to rows. */
export interface RowListener {
  owner: string; // the person whose bot it is
  asker: Asker;
}

interface Evaluation {
  candle: Candle;
  row: SignalRow;
}

interface Source {
  bots: RowListener[]; // that listen or are about to
  waiting: Set<Waits<SignalRow>>; // rows that are not calculated yet
  listeners: Map<SignalListener, RowListener>;
  newest: Evaluation | null; // for those who join
  again: (() => Promise<void>) | null; // computes the newest row for those who join, where it has failed for those who listened
  ready: Promise<void>;
  end: () => void;
}

/** How long a row waits for the closed candles of other pairs, and then for its turn, or a fifth of its timeframe where that is less. */
const longestWaitMs = 10_000;

/**
 * The signals of strategies on closed candles. Bots with the same strategy and parameters, symbol and timeframe share one computation. Where
 * there is much to compute the people take turns; what is too late then is a row that says so.
 */
export class SignalFeed {
  readonly #windows: CandleWindows;
  readonly #sources = new Map<string, Source>();
  readonly #onError: (error: unknown) => void;
  readonly #patienceMs: number;
  readonly #turns: Turns;

  constructor(
    windows: CandleWindows,
    onError: (error: unknown) => void,
    { patienceMs = longestWaitMs, turns = new Turns() }: { patienceMs?: number; turns?: Turns } = {},
  ) {
    this.#windows = windows;
    this.#patienceMs = patienceMs;
    this.#turns = turns;
    this.#onError = onError;
  }

  /**
   * Listens to a strategy on a series, for a bot. The listener receives the newest closed candle's row at once; a bot decides itself
   * whether it has acted on it before. Returns the function that ends it.
   */
  async listen(
    bot: RowListener,
    signals: SignalSource,
    parameters: ParameterValues,
    series: Series,
    listener: SignalListener,
  ): Promise<() => void> {
    const { exchangeId, marketType, symbol, timeframe } = series;
    const key = JSON.stringify([signals.key, Object.entries(parameters).toSorted(byName), exchangeId, marketType, symbol, timeframe]);
    let joined: Source;
    // Its last listener may end it in the very moment between.
    do joined = await this.#join(bot, key, signals, parameters, series);
    while (this.#sources.get(key) !== joined);
    joined.listeners.set(listener, bot);
    if (joined.newest !== null) listener(joined.newest.candle, rowFor(bot, joined.newest.row));
    return () => {
      if (joined.listeners.delete(listener)) joined.bots.splice(joined.bots.indexOf(bot), 1);
      if (joined.listeners.size > 0) return;
      joined.end();
      if (this.#sources.get(key) === joined) this.#sources.delete(key);
    };
  }

  /** The source of a key, ready. One that its last listener ended in the meantime reports nothing any more: a new one then. */
  async #join(bot: RowListener, key: string, signals: SignalSource, parameters: ParameterValues, series: Series): Promise<Source> {
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
      source.bots.push(bot);
      for (const row of source.waiting) row.alsoFor(bot.owner);
      await source.ready;
      while (this.#sources.get(key) === source && source.again !== null) await source.again();
      if (this.#sources.get(key) === source) return source;
    }
  }

  #open(signals: SignalSource, parameters: ParameterValues, series: Series): Source {
    const size = windowSize(signals);
    const length = timeframeLengths[series.timeframe];
    const patienceMs = Math.min(this.#patienceMs, length / 5);
    const source: Source = {
      bots: [],
      waiting: new Set(),
      listeners: new Map(),
      newest: null,
      again: null,
      ready: Promise.resolve(),
      end: () => {},
    };
    let others: OtherSeries | null = null;
    let reported = -Infinity; // opening time of the newest candle whose row was
    let asked = -Infinity; // of the newest that was asked about
    const rowOf = (candles: readonly Candle[], turnMs: number): SignalRow | Promise<SignalRow> => {
      const count = candles.length; // the window grows while a row waits
      const openTime = candles.at(-1)?.openTime ?? 0;
      const computed = (found: OtherPairs): SignalRow | Promise<SignalRow> =>
        this.#inTurn(source, turnMs, () => {
          const isAtOnce = turnMs !== Infinity; // asked for by those who listen, in the sequence of candles
          // What a process keeps of its candles must not go back.
          if (openTime < asked && !isAtOnce) return overtaken;
          asked = Math.max(asked, openTime);
          const columns = windowColumns(candles.slice(0, count), size, length);
          // What is asked once more for those who join does not count for those who were asked before.
          const answered = isAtOnce ? new Set<RowListener>() : new Set(source.listeners.values());
          const askers = source.bots.filter((each) => !answered.has(each)).map(({ asker }) => asker);
          return signals.rowOf(columns, parameters, series, found, askers);
        });
      if (others === null) return computed({});
      return others.until(openTime, patienceMs).then((found) => (typeof found === 'string' ? failedRow(found) : computed(found)));
    };
    const evaluated = (candle: Candle, row: SignalRow): Evaluation => {
      const { open, high, low, close, volume } = candle;
      return { candle, row: { ...row, candle: [open, high, low, close, volume] } };
    };
    const report = (candle: Candle, row: SignalRow, again: Source['again'] = null): void => {
      if (candle.openTime < reported) return;
      reported = candle.openTime;
      const seen = evaluated(candle, row);
      source.again = row.failure === undefined ? null : again;
      source.newest = source.again === null ? seen : null;
      for (const [listener, bot] of source.listeners) listener(candle, rowFor(bot, seen.row));
    };
    let queue = Promise.resolve(); // rows of a process are reported in the sequence of their candles
    source.ready = (async () => {
      const read = await signals.reads(series);
      const beside = read.length === 0 ? null : await OtherSeries.open(this.#windows, series, read, size);
      others = beside;
      const watching = this.#windows.watch(series, size, (candle, candles) => {
        const count = candles.length;
        try {
          const row = rowOf(candles, patienceMs);
          if (!(row instanceof Promise)) return report(candle, row);
          row.catch(() => undefined); // it is reported after those before it
          const again = once(async () => {
            try {
              const made = await rowOf(candles.slice(0, count), Infinity);
              if (made === overtaken) await queue; // with the row of the newer candle
              else if (reported === candle.openTime) source.newest = evaluated(candle, made);
            } catch (error) {
              this.#onError(error);
            }
            if (source.again === again) source.again = null;
          });
          queue = queue.then(async () => report(candle, await row, again)).catch(this.#onError);
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
        const row = rowOf(window, Infinity); // many bots that start together are not late
        const made = row instanceof Promise ? await row : row;
        if (made === overtaken) await queue;
        else report(newest, made);
      } catch (error) {
        end();
        throw error;
      }
    })();
    return source;
  }

  /** A row of a source once it is the turn of somebody whose bots listen to it; at once where little else is to be calculated. */
  #inTurn(source: Source, patienceMs: number, work: () => SignalRow | Promise<SignalRow>): SignalRow | Promise<SignalRow> {
    const late = (): SignalRow =>
      failedRow(
        `There was too much to calculate: it was not the turn of this candle for ${patienceMs / 1000} seconds. Fewer pairs, a longer timeframe or a simpler strategy take less.`,
      );
    const wanted = (): SignalRow | Promise<SignalRow> => (source.bots.length === 0 ? failedRow('Nobody listens to it any more.') : work());
    const row = this.#turns.take(
      source.bots.map(({ owner }) => owner),
      wanted,
      { patienceMs, late, canWait: patienceMs === Infinity }, // what bots begin with waits for what others decide on now
    );
    if ('now' in row) return row.now;
    source.waiting.add(row);
    return row.answer.finally(() => source.waiting.delete(row));
  }
}

/** A newer candle was asked about while a row waited. Nobody receives it. */
const overtaken = failedRow('A newer candle was decided on meanwhile.');

/** A row as a bot receives it: one for which the strategy rests decides nothing, also where others have its rows. */
function rowFor({ asker }: RowListener, row: SignalRow): SignalRow {
  return asker.rest === null ? row : { ...failedRow(asker.rest), ...(row.candle === undefined ? {} : { candle: row.candle }) };
}

/** Does something once, however often it is asked for. */
function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= act());
}

function byName([a]: [string, number], [b]: [string, number]): number {
  return a < b ? -1 : 1;
}
