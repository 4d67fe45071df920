import { rmSync } from 'node:fs';
import { tradableAtStart } from '#engine/account/wallet.ts';
import type { SignalRow } from '#engine/bot/event.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import { firstAtOrAfter } from '#engine/market/first-at-or-after.ts';
import { minuteText } from '#engine/market/minute-text.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { candleKey } from '#engine/report/certificate/recorded-decision.ts';
import { tradeAt } from '#engine/report/certificate/trade-at.ts';
import type { Signals } from '#engine/strategy/strategy.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { engineStrategy } from '#strategy-process/python/engine-strategy.ts';
import { failureNotes } from '#strategy-process/python/failure-notes.ts';
import { marketWords } from '#strategy-process/python/market-words.ts';
import { notGiven } from '#strategy-process/python/not-given.ts';
import { processFolder, writeTexts } from '#strategy-process/python/process-folder.ts';
import { pythonCommand } from '#strategy-process/python/python-command.ts';
import { PythonStrategy } from '#strategy-process/python/python-strategy.ts';
import { nameOfSeries } from '#strategy-process/python/series-name.ts';
import { startWaited } from '#strategy-process/python/started-process.ts';
import { Wanted } from '#strategy-process/python/wanted.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import type { SeriesName } from '#strategy-process/wire/python-load.ts';
import { newestClosedWith } from '../../bots/other-series.ts';
import { seriesOfName } from '../../bots/python-strategy.ts';
import { seriesName } from '../../bots/runnable-strategy.ts';
import { CannotReplay } from './cannot-replay.ts';
import type { CandlesOf, CertificateTask, PythonOfStretch, SeriesOfDay, Stretch } from './certificate-task.ts';
import type { OpenedStrategy } from './open-strategy.ts';
import { rowsOf } from './replay-day.ts';
import { signalsOfRows } from './signals-of-rows.ts';

/** A class that ends its process more often than this in a day is not begun again. */
const mostEndings = 5;

/** Series that a class reads and that the task does not have. */
export class SeriesWanted extends Error {
  readonly names: readonly SeriesName[];

  constructor(names: readonly SeriesName[]) {
    super('The strategy reads series that are not there yet');
    this.names = names;
  }
}

/** What was found out about a class while it was replayed. */
export interface PythonFindings {
  notes: Set<string>; // for whoever reads the certificate
  unanswered: Map<string, string>; // candles on which it gave no answer, with what it failed with; in the sequence they were asked for
  kept: Set<string>; // what it keeps between its calls, by name
}

/** A series that a class reads beside a pair, by its name in Python. */
interface ReadBeside {
  name: string;
  timeframe: Timeframe;
  candles: CandleColumns;
}

/**
 * A class in Python over a stretch of a day, in a process of its own. It is asked for each candle with the window of closed candles that its
 * bot was shown, and is made as its bot has made it.
 */
export class PythonOnDay {
  readonly #task: CertificateTask;
  readonly #stretch: Stretch;
  readonly #made: PythonOfStretch;
  readonly #candlesOf: CandlesOf;
  readonly #folder: string;
  readonly #answered: ReadonlySet<string>; // candles on which its bot had an answer, by `candleKey`
  #python: PythonStrategy;
  #endings = 0; // of its process

  private constructor(
    stretch: Stretch,
    made: PythonOfStretch,
    task: CertificateTask,
    candlesOf: CandlesOf,
    folder: string,
    python: PythonStrategy,
  ) {
    this.#task = task;
    this.#stretch = stretch;
    this.#made = made;
    this.#candlesOf = candlesOf;
    this.#folder = folder;
    this.#python = python;
    this.#answered = new Set(task.decisions.filter(({ failure }) => failure === null).map(candleKey));
  }

  /** Makes the class of a stretch. Fails: CannotReplay */
  static async load(stretch: Stretch, task: CertificateTask, candlesOf: CandlesOf): Promise<PythonOnDay> {
    const { code, python } = stretch;
    if (code === null || 'document' in code || python === null) throw new Error('A strategy in Python has texts');
    const folder = processFolder();
    try {
      writeTexts(folder, code.files);
      return new PythonOnDay(stretch, python, task, candlesOf, folder, await made(folder, stretch));
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * Has it say its rows on each candle of the stretch that was traded on, and gives it to the engine. `findings` gets what there is to say of it
   * when it is ended.
   *
   * Fails: CannotReplay, SeriesWanted
   */
  async open(own: readonly SeriesOfDay[], findings: PythonFindings): Promise<OpenedStrategy> {
    const rows = await this.#rowsOn(own, findings);
    const { description } = this.#python;
    const columns = (symbol: string, { openTime }: CandleColumns): Signals => signalsOfRows(openTime, rows.get(symbol) ?? new Map());
    const callbacks = this.#python.callbacks({ mayWant: false });
    const startingBalance = tradableAtStart(this.#stretch.settings);
    return {
      // Its warm-up is in the windows of its rows.
      strategy: { ...engineStrategy(description, columns, callbacks), startupCandles: 0 },
      watch: (view) => {
        // Callbacks look at candles of the whole stretch, as far as they are known at the time.
        for (const series of own) {
          const name = { symbol: series.symbol, timeframe: series.timeframe, kind: this.#ownKind };
          this.#python.putSeries(name, fillGaps(this.#candlesOf(series), timeframeLengths[series.timeframe]));
          for (const beside of this.#besideOf(series)) this.#python.putSeries(nameIn(beside.name), beside.candles);
        }
        this.#python.begin(this.#made.readsAccount ? { view, startingBalance } : null);
      },
      end: async () => {
        try {
          for (const note of failureNotes(description.name, this.#python.failures())) findings.notes.add(note);
          if (!this.#python.isOver) for (const name of this.#python.changedMemory()) findings.kept.add(name);
        } finally {
          await this.end();
        }
      },
    };
  }

  /** What it says on a candle, asked for nothing else before. Fails: StrategyError, Wanted, SeriesWanted */
  row(series: SeriesOfDay, openTime: number, gather = false): SignalRow {
    const { symbol, timeframe } = series;
    const length = timeframeLengths[timeframe];
    const candles = windowUntil(this.#candlesOf(series), openTime, this.#made.window, length);
    const others = this.#besideOf(series).map((beside) => {
      const newest = newestClosedWith(beside.timeframe, openTime + length);
      const until = windowUntil(beside.candles, newest, this.#made.window, timeframeLengths[beside.timeframe]);
      return [beside.name, { candles: until, series: `beside ${symbol}: ${beside.name}` }] as const;
    });
    return this.#python.row(symbol, { own: { candles, series: symbol }, others: Object.fromEntries(others) }, { gather });
  }

  /** Ends its process; settles when it is gone. */
  async end(): Promise<void> {
    await this.#python.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What it says on every candle of the stretch that matters, in their sequence, as its bot has asked; by pair. */
  async #rowsOn(own: readonly SeriesOfDay[], findings: PythonFindings): Promise<Map<string, Map<number, SignalRow>>> {
    const rows = new Map(own.map(({ symbol }) => [symbol, new Map<number, SignalRow>()]));
    const range = rowsOf(this.#stretch)?.range;
    if (range === undefined) return rows;
    const asked = own.flatMap((series) => {
      const { openTime } = fillGaps(this.#candlesOf(series), timeframeLengths[series.timeframe]);
      const [first, last] = [firstAtOrAfter(openTime, this.#firstOf(series, range.from)), firstAtOrAfter(openTime, range.to)];
      return Array.from(openTime.subarray(first, last), (candleTime) => ({ series, candleTime }));
    });
    for (const { series, candleTime } of asked.toSorted((one, other) => one.candleTime - other.candleTime)) {
      const row = await this.#rowOrNone(series, candleTime, findings);
      if (row !== null) rows.get(series.symbol)?.set(candleTime, row);
    }
    return rows;
  }

  /** What it says on a candle; null where it gives no answer, as it gave its bot none. Fails: CannotReplay, SeriesWanted */
  async #rowOrNone(series: SeriesOfDay, candleTime: number, findings: PythonFindings): Promise<SignalRow | null> {
    try {
      return this.row(series, candleTime, true);
    } catch (error) {
      if (error instanceof SeriesWanted) throw error;
      const fault = await this.#faultOf(error);
      const { isOver } = this.#python;
      const key = candleKey({ symbol: series.symbol, candleTime });
      const at = `${series.symbol} at ${minuteText(candleTime)}`;
      if (this.#answered.has(key))
        throw new CannotReplay(`The strategy gave the bot an answer for ${at}, and gives none in the replay. ${fault}`, isOver);
      findings.unanswered.set(at, fault);
      if (!isOver) return null;
      this.#endings += 1;
      if (this.#endings > mostEndings)
        throw new CannotReplay(`The strategy ends its process again and again in the replay. ${fault}`, true);
      await this.#python.end();
      this.#python = await made(this.#folder, this.#stretch);
      return null;
    }
  }

  /** The first candle of a pair that matters: before the bot ran, nothing is entered, and only what was held at midnight could be left. */
  #firstOf({ symbol }: SeriesOfDay, from: number): number {
    const { trades, entriesFrom } = this.#task;
    const isHeld = trades.some(({ trade, stopMoves }) => trade.symbol === symbol && tradeAt(trade, this.#task.from, stopMoves) !== null);
    return isHeld ? from : Math.max(from, entriesFrom);
  }

  async #faultOf(error: unknown): Promise<string> {
    if (error instanceof Wanted) return notGiven(error.what);
    const explained = await this.#python.explained(error);
    if (explained instanceof StrategyError) return explained.message;
    throw explained;
  }

  get #ownKind(): string {
    return this.#made.marketType === 'futures' ? 'futures' : 'spot';
  }

  /** What it reads beside a pair, as its bot does: the series of the day where they are among them. Fails: SeriesWanted */
  #besideOf(series: SeriesOfDay): ReadBeside[] {
    const { exchangeId, marketType, unannounced } = this.#made;
    const own = seriesName({ exchangeId, marketType, symbol: series.symbol, timeframe: series.timeframe });
    const named = [
      ...this.#python.description.announced,
      ...unannounced.map((name) => ({ ...name, symbol: name.symbol === '{pair}' ? series.symbol : name.symbol })),
    ];
    const missing: SeriesName[] = [];
    const found = [...new Map(named.map((name) => [nameOfSeries(name), name]))].flatMap(([name, read]): ReadBeside[] => {
      const of = seriesOfName(read, exchangeId);
      if (of === null || seriesName(of) === own) return [];
      const { timeframe } = of;
      const ofDay =
        of.marketType === marketType
          ? this.#task.series.find(({ symbol, timeframe: length }) => symbol === of.symbol && length === timeframe)
          : undefined;
      const candles =
        ofDay === undefined ? this.#task.beside.find((each) => nameOfSeries(each.name) === name)?.candles : this.#candlesOf(ofDay);
      if (candles === undefined) missing.push(read);
      return candles === undefined ? [] : [{ name, timeframe, candles }];
    });
    if (missing.length > 0) throw new SeriesWanted(missing);
    return found;
  }
}

/** The class of a stretch in a process of its own. Fails: CannotReplay; its bot has run it, so it is for want of something here */
async function made(folder: string, { code, python }: Stretch): Promise<PythonStrategy> {
  if (code === null || 'document' in code || python === null) throw new Error('A strategy in Python has texts');
  const { program, config, parameters } = python;
  const pairs = (config['exchange'] as { pair_whitelist: readonly string[] }).pair_whitelist;
  const load = { source: { folder, file: code.file }, exportName: code.exportName, config, pairs, markets: marketWords(pairs), parameters };
  try {
    return await PythonStrategy.load(startWaited(pythonCommand(program, wallsOfSystem())), { ...load, watched: true });
  } catch (error) {
    throw error instanceof StrategyError ? new CannotReplay(`The strategy cannot be loaded here. ${error.message}`, true) : error;
  }
}

/** The candles that a window of so many closed ones has when the one that opened at a time is its newest. */
function windowUntil(candles: CandleColumns, openTime: number, size: number, length: number): CandleColumns {
  const end = firstAtOrAfter(candles.openTime, openTime + 1);
  const isThere = candles.openTime[end - 1] === openTime;
  if (isThere || end === 0 || end === candles.openTime.length) {
    const from = (candles.openTime[end - 1] ?? 0) - (size - 1) * length;
    const first = firstAtOrAfter(candles.openTime, from);
    const isCut = candles.openTime[first] === from || first === 0;
    const rows = fillGaps(sliceColumns(candles, isCut ? first : first - 1, end), length); // what nothing was traded in is as the candle before it
    return sliceColumns(rows, Math.max(0, rows.openTime.length - size), rows.openTime.length);
  }
  // The stored candles have a gap here.
  const filled = fillGaps(candles, length);
  const last = firstAtOrAfter(filled.openTime, openTime + 1);
  return sliceColumns(filled, Math.max(0, last - size), last);
}

/** A series by its name in Python. */
function nameIn(text: string): SeriesName {
  const [symbol, timeframe, kind] = JSON.parse(text) as [string, string, string];
  return { symbol, timeframe, kind };
}
