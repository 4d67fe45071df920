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

/** What is given to those who join: the newest candle that was reported, and its row. */
interface Newest {
  candle: Candle;
  row: SignalRow;
  answered: Set<Asker>; // the bots that have it or for which it was asked
  again: () => Promise<void>; // where it has failed: asks once more, for the bots that are not answered
}

/**
 * Asks for the row of a candle, on behalf of the bots that are not `answered`, and adds those: to begin with, or as the candle closes for
 * those who listen.
 */
type Ask = (answered: Set<Asker>, when: { isToBegin: boolean }) => SignalRow | Promise<SignalRow>;

interface Source {
  bots: RowListener[]; // that listen or are about to
  waiting: Set<Waits<SignalRow>>; // rows that are not calculated yet
  listeners: Map<SignalListener, RowListener>;
  newest: Newest | null; // for those who join
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
    for (;;) {
      const source = this.#sourceOf(key, signals, parameters, series);
      source.bots.push(bot);
      for (const row of source.waiting) row.alsoFor(bot.owner);
      await source.ready;
      while (this.#sources.get(key) === source && isToAskFor(bot, source.newest)) await source.newest.again();
      // One that its last listener ended in the meantime reports nothing any more.
      if (this.#sources.get(key) !== source) continue;
      source.listeners.set(listener, bot);
      if (source.newest !== null) listener(source.newest.candle, rowFor(bot, source.newest.row));
      return () => {
        if (source.listeners.delete(listener)) source.bots.splice(source.bots.indexOf(bot), 1);
        if (source.listeners.size > 0) return;
        source.end();
        if (this.#sources.get(key) === source) this.#sources.delete(key);
      };
    }
  }

  /** The source of a key, which may not be ready. One that fails to begin is not kept. */
  #sourceOf(key: string, signals: SignalSource, parameters: ParameterValues, series: Series): Source {
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    const opened = this.#open(signals, parameters, series);
    this.#sources.set(key, opened);
    opened.ready.catch(() => {
      if (this.#sources.get(key) === opened) this.#sources.delete(key);
    });
    return opened;
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
      ready: Promise.resolve(),
      end: () => {},
    };
    let others: OtherSeries | null = null;
    let reported = -Infinity; // opening time of the newest candle whose row was
    let asked = -Infinity; // of the newest that was asked about
    let queue = Promise.resolve(); // rows of a process are reported in the sequence of their candles
    const unanswered = (answered: ReadonlySet<Asker>): Asker[] =>
      source.bots.map(({ asker }) => asker).filter((asker) => !answered.has(asker));
    const asking = (candles: readonly Candle[]): Ask => {
      const count = candles.length; // the window grows while a row waits
      const openTime = candles.at(-1)?.openTime ?? 0;
      return (answered, { isToBegin }) => {
        // What bots begin with is never late, however many start together, and waits for what others decide on now.
        const turn = isToBegin ? { patienceMs: Infinity, canWait: true } : { patienceMs, canWait: false };
        const computed = (found: OtherPairs): SignalRow | Promise<SignalRow> =>
          this.#inTurn(source, turn, () => {
            // What a process keeps of its candles must not go back. Those who listen ask in the sequence of candles.
            if (openTime < asked && isToBegin) return overtaken;
            asked = Math.max(asked, openTime);
            const columns = windowColumns(candles.slice(0, count), size, length);
            const askers = unanswered(answered);
            for (const asker of askers) answered.add(asker);
            return signals.rowOf(columns, parameters, series, found, askers);
          });
        if (others === null) return computed({});
        return others.until(openTime, patienceMs).then((found) => (typeof found === 'string' ? failedRow(found) : computed(found)));
      };
    };
    const toBegin = async (ask: Ask, answered: Set<Asker>): Promise<SignalRow> => {
      const waiting = unanswered(answered);
      const row = await ask(answered, { isToBegin: true });
      for (const asker of waiting) answered.add(asker); // also where another pair was late for them: they do not ask for ever
      return row;
    };
    const report = (candle: Candle, row: SignalRow, answered: Set<Asker>, ask: Ask): void => {
      if (candle.openTime < reported) return;
      reported = candle.openTime;
      const again = shared(async () => {
        const andThose = new Set(newest.answered); // who is asked for is answered once the answer is there
        let made = overtaken;
        try {
          made = await toBegin(ask, andThose);
          if (made === overtaken) await queue; // with the row of the newer candle
        } catch (error) {
          this.#onError(error);
        }
        if (made !== overtaken) {
          newest.row = withCandle(made, candle);
          newest.answered = andThose;
        } else if (source.newest === newest) source.newest = null; // who joins begins without it
      });
      const newest: Newest = { candle, row: withCandle(row, candle), answered, again };
      source.newest = newest;
      for (const [listener, bot] of source.listeners) {
        answered.add(bot.asker);
        listener(candle, rowFor(bot, newest.row));
      }
    };
    source.ready = (async () => {
      const read = await signals.reads(series);
      const beside = read.length === 0 ? null : await OtherSeries.open(this.#windows, series, read, size);
      others = beside;
      const watching = this.#windows.watch(series, size, (candle, candles) => {
        const ask = asking(candles);
        const answered = new Set<Asker>();
        try {
          const row = ask(answered, { isToBegin: false });
          if (!(row instanceof Promise)) return report(candle, row, answered, ask);
          row.catch(() => undefined); // it is reported after those before it
          queue = queue.then(async () => report(candle, await row, answered, ask)).catch(this.#onError);
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
        const ask = asking(window);
        const answered = new Set<Asker>();
        const made = await toBegin(ask, answered);
        if (made === overtaken) await queue;
        else report(newest, made, answered, ask);
      } catch (error) {
        end();
        throw error;
      }
    })();
    return source;
  }

  /** A row of a source once it is the turn of somebody whose bots listen to it; at once where little else is to be calculated. */
  #inTurn(
    source: Source,
    { patienceMs, canWait }: { patienceMs: number; canWait: boolean },
    work: () => SignalRow | Promise<SignalRow>,
  ): SignalRow | Promise<SignalRow> {
    const late = (): SignalRow =>
      failedRow(
        `There was too much to calculate: it was not the turn of this candle for ${patienceMs / 1000} seconds. Fewer pairs, a longer timeframe or a simpler strategy take less.`,
      );
    const wanted = (): SignalRow | Promise<SignalRow> => (source.bots.length === 0 ? failedRow('Nobody listens to it any more.') : work());
    const row = this.#turns.take(
      source.bots.map(({ owner }) => owner),
      wanted,
      { patienceMs, late, canWait },
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

/** Whether a bot that joins must be asked for: the newest row has failed, and for others. */
function isToAskFor({ asker }: RowListener, newest: Newest | null): newest is Newest {
  return newest !== null && newest.row.failure !== undefined && !newest.answered.has(asker);
}

/** A row with the prices of its candle. */
function withCandle(row: SignalRow, { open, high, low, close, volume }: Candle): SignalRow {
  return { ...row, candle: [open, high, low, close, volume] };
}

/** Does something; whoever asks for it while it is done waits for the same. */
function shared(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= act().finally(() => (done = null)));
}

function byName([a]: [string, number], [b]: [string, number]): number {
  return a < b ? -1 : 1;
}
