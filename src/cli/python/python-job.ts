import { currenciesOf } from '#engine/account/fill.ts';
import { tradableAtStart } from '#engine/account/wallet.ts';
import type { AccountView } from '#engine/backtest/account-view.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { ParameterValues, Signals, Strategy } from '#engine/strategy/strategy.ts';
import type { SeriesName, WantedThing } from '#strategy-process/wire/python-load.ts';
import { Wanted } from '#strategy-process/python/wanted.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import type { CallbackFailure, PythonStrategy } from '#strategy-process/python/python-strategy.ts';
import { CommandError } from '../command-error.ts';
import { configOf } from '../config/config.ts';
import type { JsonObject } from '#strategy-process/words/json-object.ts';
import { readTimeframe } from '../timeframe-name.ts';
import { readTimeRange, type TimeRange } from '../time-range.ts';
import { findPython, noPythonEnvironment, type PythonPlaces } from '#strategy-process/python/find-python.ts';
import { strategyOfPython, loadPython, withClassSettings } from './python-file.ts';
import { loadSeries } from './series-files.ts';

/** What the words of a command say that a strategy in Python is made with. */
export interface PythonWishes {
  datadir: string;
  timerange?: string;
  timeframe?: string;
  pairs?: string[];
  python?: PythonPlaces;
}

/** A strategy that asks for more series than this, one after the other, is not waited for. */
const mostBeginnings = 20;

/** A strategy in Python for one backtest, with all it was given. It begins again when it turns out to need more candles. */
export class PythonJob {
  readonly words: JsonObject; // the configuration over what the class says
  readonly unused: readonly string[]; // keys of the configuration that say nothing to a backtest
  #python: PythonStrategy;
  #strategy: Strategy;
  readonly #load: () => Promise<PythonStrategy>;
  readonly #read: (name: SeriesName) => Promise<{ candles: CandleColumns; notes: string[] }>;
  readonly #series = new Map<string, { name: SeriesName; candles: CandleColumns }>();
  readonly #notes = new Set<string>();
  #wantsAccount = false;
  #parameters: ParameterValues = {};
  #settings: JsonObject = {};

  constructor(
    python: PythonStrategy,
    config: JsonObject,
    unused: readonly string[],
    load: () => Promise<PythonStrategy>,
    read: (name: SeriesName) => Promise<{ candles: CandleColumns; notes: string[] }>,
  ) {
    this.#python = python;
    this.#strategy = strategyOfPython(python);
    this.#wantsAccount = python.readsAccount; // what the text hides is found out when it is asked for
    this.#load = load;
    this.#read = read;
    this.words = withClassSettings(config, python.description);
    this.unused = unused;
  }

  /** The strategy as the engine knows it; another one after it began again. */
  get strategy(): Strategy {
    return this.#strategy;
  }

  /** What there is to say about its candles. */
  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** Gives parameters these values, until they are given others. Fails: StrategyError */
  giveParameters(values: ParameterValues): void {
    this.#parameters = values;
    this.#python.giveParameters(values);
  }

  /** Whether its texts may look at its settings. */
  get readsSettings(): boolean {
    return this.#python.readsSettings;
  }

  /** Gives settings these values, in freqtrade's words, until they are given others. Fails: StrategyError */
  giveSettings(words: JsonObject): void {
    this.#settings = words;
    this.#python.giveSettings(words);
  }

  /** All rows of the candles of a pair, which its callbacks see from then on. Fails: StrategyError, Wanted */
  columns(symbol: string, candles: CandleColumns): Signals {
    return this.#python.columns(symbol, candles, { indicators: false, keep: true });
  }

  /** The rows of a beginning of the candles, to be compared; callbacks do not see them. Fails: StrategyError, Wanted */
  columnsAgain(symbol: string, candles: CandleColumns, indicators = false): Signals {
    return this.#python.columns(symbol, candles, { indicators, keep: false });
  }

  /** Begins a run; its callbacks are shown the account where the strategy has asked for it. Fails: StrategyError */
  begin(view: AccountView, settings: TradingSettings): void {
    this.#python.begin(this.#wantsAccount ? { view, startingBalance: tradableAtStart(settings) } : null);
  }

  /** The callbacks that have failed. */
  failures(): CallbackFailure[] {
    return this.#python.failures();
  }

  /** Reads series and hands them over; those that are known already are left out. Fails: CommandError, StrategyError */
  async addSeries(names: readonly SeriesName[]): Promise<void> {
    for (const name of names) {
      const key = JSON.stringify(name);
      if (this.#series.has(key)) continue;
      const { candles, notes } = await this.#read(name);
      for (const note of notes) this.#notes.add(note);
      this.#series.set(key, { name, candles });
      this.#python.putSeries(name, candles);
    }
  }

  /**
   * Does `work`; when the strategy asks meanwhile for candles it has not announced, or for the account, it begins again with them. Who asks for a
   * timeframe of one of the pairs is given it of each.
   *
   * Fails: CommandError, StrategyError, and as `work` fails
   */
  async withWanted<Result>(pairs: readonly string[], work: () => Result): Promise<Result> {
    for (let beginnings = 0; ; beginnings++)
      try {
        return work();
      } catch (error) {
        if (!(error instanceof Wanted)) throw error;
        if (beginnings === mostBeginnings)
          throw new StrategyError(`${this.#strategy.name} asks for more than ${mostBeginnings} series that it does not announce.`);
        await this.#addWanted(error.what, pairs);
      }
  }

  async #addWanted(wanted: WantedThing, pairs: readonly string[]): Promise<void> {
    if (wanted === 'account') this.#wantsAccount = true;
    else await this.addSeries(pairs.includes(wanted.symbol) ? pairs.map((symbol) => ({ ...wanted, symbol })) : [wanted]);
    await this.#beginAgain();
  }

  /** Begins again in a new process, with all the series there are: what a strategy has kept of a run that was given up is gone. */
  async #beginAgain(): Promise<void> {
    await this.#python.end();
    this.#python = await this.#load();
    this.#python.giveParameters(this.#parameters);
    this.#python.giveSettings(this.#settings);
    this.#strategy = strategyOfPython(this.#python);
    for (const { name, candles } of this.#series.values()) this.#python.putSeries(name, candles);
  }

  /** An error with what is known of it by now. */
  async explained(error: unknown): Promise<unknown> {
    return await this.#python.explained(error);
  }

  /** Ends the process. */
  async end(): Promise<void> {
    await this.#python.end();
  }
}

/**
 * Loads a strategy in Python under a configuration, with the series that it announces. Faults of the configuration are found before.
 *
 * Fails: CommandError, StrategyError
 */
export async function preparePython(word: string, object: JsonObject, wishes: PythonWishes): Promise<PythonJob> {
  // What the class may say is taken for said, to begin with.
  const { config, faults } = configOf({ stake_amount: 1, max_open_trades: 1, ...object });
  if (faults.length > 0) throw new CommandError(faults);
  const pairs = wishes.pairs ?? config.pairs;
  if (pairs.length === 0) throw new CommandError('Which pairs? Give --pairs, or "exchange.pair_whitelist" in the configuration.');
  const python = findPython({ ...noPythonEnvironment, given: null, ...wishes.python });
  const stakeCurrency = config.stakeCurrency ?? currenciesOf(pairs[0] ?? '').quote;
  const timeframe = readTimeframe(wishes.timeframe) ?? config.timeframe;
  const text = wishes.timerange ?? config.timeRange;
  const range: TimeRange = text === null ? { from: null, to: null } : readTimeRange(text);
  const load = (): Promise<PythonStrategy> => loadPython(word, { python, config: object, pairs, stakeCurrency, timeframe });
  const loaded = await load();
  const { startupCandles, announced } = loaded.description;
  const job = new PythonJob(loaded, object, config.unused, load, (name) => loadSeries(wishes.datadir, name, range, startupCandles));
  try {
    await job.addSeries(announced);
  } catch (error) {
    const explained = await job.explained(error);
    await job.end();
    throw explained;
  }
  return job;
}
