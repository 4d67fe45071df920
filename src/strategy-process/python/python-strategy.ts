import type { Trade } from '#engine/account/trade.ts';
import type { AccountView } from '#engine/backtest/account-view.ts';
import type { SignalRow } from '#engine/bot/event.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { isTimeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import type { CallbackName, StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import { defaultAnswer } from '#engine/strategy/default-answer.ts';
import type { ParameterValues, Signals } from '#engine/strategy/strategy.ts';
import { checkedRow } from '../code/checked-row.ts';
import { isAnswerTo } from '../code/guarded-strategy.ts';
import { keptText } from '../code/kept-text.ts';
import { StrategyError } from '../strategy-error.ts';
import { signalsOfBytes } from '../wire/column-bytes.ts';
import type { PythonDescription, PythonVersions } from './python-questions.ts';
import type { AccountNews, PythonLoad, SeriesName, Words } from '../wire/python-load.ts';
import { readsAccount } from './reads-account.ts';
import { readsSettings } from './reads-settings.ts';
import type { StartedProcess } from './started-process.ts';
import type { CallbackAnswer, SourceFiles } from '../wire/questions.ts';
import type { CandlesOfQuestion } from '../wire/sent-candles.ts';
import { notGiven } from './not-given.ts';
import { WaitingProcess } from './waiting-process.ts';
import { Wanted } from './wanted.ts';

/** How long a strategy in Python may take in a backtest, in ms. */
export const pythonTimes = { loadMs: 60_000, columnsMs: 300_000, rowMs: 10_000, callbackMs: 10_000 };

/** How often a callback has failed, and with what for the first time. */
export interface CallbackFailure {
  callback: CallbackName;
  count: number;
  first: string;
}

/** A strategy of a Python file for one backtest. Whatever is asked of it is waited for. */
export class PythonStrategy {
  readonly description: PythonDescription;
  readonly versions: PythonVersions;
  readonly readsAccount: boolean; // its texts ask for trades or the wallet
  readonly readsSettings: boolean; // they may look at its settings
  readonly #process: WaitingProcess;
  readonly #times: typeof pythonTimes;
  #account: { view: AccountView; startingBalance: number } | null = null;
  #closedSent = 0;
  readonly #failures = new Map<CallbackName, CallbackFailure>();

  private constructor(
    process: WaitingProcess,
    times: typeof pythonTimes,
    description: PythonDescription,
    versions: PythonVersions,
    files: SourceFiles,
  ) {
    this.#process = process;
    this.#times = times;
    this.description = description;
    this.versions = versions;
    this.readsAccount = readsAccount(files);
    this.readsSettings = readsSettings(files);
  }

  /** Loads the file in a process, which ends when that fails. Fails: StrategyError */
  static async load(started: StartedProcess, load: PythonLoad, times = pythonTimes): Promise<PythonStrategy> {
    const process = new WaitingProcess(started);
    try {
      const { answer } = process.ask('load', load, times.loadMs);
      const [description] = answer.strategies;
      if (description === undefined) throw new StrategyError(`${load.source.file} has no strategy.`);
      const { timeframe } = description.words;
      for (const text of [timeframe, ...description.announced.map(({ timeframe: each }) => each)])
        if (typeof text !== 'string' || !isTimeframe(text))
          throw new StrategyError(
            `${description.name} asks for candles of ${String(text)}; there are ${Object.keys(timeframeLengths).join(', ')}.`,
          );
      return new PythonStrategy(process, times, description, answer.versions, answer.files);
    } catch (error) {
      const explained = await process.explained(error);
      await process.end();
      throw explained;
    }
  }

  /** Hands over the candles of another series. Fails: StrategyError */
  putSeries({ symbol, timeframe, kind }: SeriesName, candles: CandleColumns): void {
    this.#process.ask('series', { symbol, timeframe, series: kind }, this.#times.columnsMs, candles);
  }

  /** Gives parameters these values, until they are given others. Fails: StrategyError */
  giveParameters(values: ParameterValues): void {
    this.#process.ask('parameters', { values }, this.#times.callbackMs);
  }

  /** Gives settings these values, in freqtrade's words, until they are given others. Fails: StrategyError */
  giveSettings(words: Words): void {
    this.#process.ask('settings', { words }, this.#times.callbackMs);
  }

  /**
   * All rows of the candles of a pair. Callbacks see those columns that were to be kept.
   *
   * Fails: StrategyError that names the pair; Wanted
   */
  columns(symbol: string, candles: CandleColumns, { indicators, keep }: { indicators: boolean; keep: boolean }): Signals {
    const ask = { exportName: this.description.exportName, parameters: {}, symbol, indicators, keep };
    const { answer, body } = this.#process.ask('columns', ask, this.#times.columnsMs, { own: { candles, series: symbol } });
    const signals = signalsOfBytes(answer, body);
    if (signals.enterLong.length !== candles.openTime.length)
      throw new StrategyError(
        `The strategy gave ${signals.enterLong.length} rows for the ${candles.openTime.length} candles of ${symbol}.`,
      );
    return signals;
  }

  /**
   * The row of the newest of these candles, as a running bot asks for it. Gathered, the rows of a pair are what callbacks see after `begin`.
   *
   * Fails: StrategyError; Wanted
   */
  row(symbol: string, candles: CandlesOfQuestion, { gather }: { gather: boolean }): SignalRow {
    const ask = { exportName: this.description.exportName, parameters: {}, symbol, gather };
    return checkedRow(this.#process.ask('row', ask, this.#times.rowMs, candles).answer);
  }

  /** The names of what it keeps otherwise than when it was made; of one that was loaded as watched. Fails: StrategyError */
  changedMemory(): readonly string[] {
    return this.#process.ask('memory', {}, this.#times.rowMs).answer.changed;
  }

  /** Whether its process answers no more. */
  get isOver(): boolean {
    return this.#process.isOver;
  }

  /**
   * A run begins: what was kept of the trades of the run before is forgotten. With an account, callbacks are shown it from now on.
   *
   * Fails: StrategyError
   */
  begin(account: { view: AccountView; startingBalance: number } | null): void {
    this.#account = account;
    this.#closedSent = 0;
    this.#process.ask('begin', {}, this.#times.callbackMs);
  }

  /**
   * The callbacks that its author has written. One that fails has freqtrade's default answer, and is counted; so does one that asks for what
   * it was not given, unless it `mayWant` that.
   */
  callbacks({ mayWant = true } = {}): StrategyCallbacks {
    const ask = (name: CallbackName) => [name, (question: unknown): unknown => this.#answer(name, question, mayWant)] as const;
    return { ...Object.fromEntries(this.description.callbacks.map(ask)), stopAfterFill: this.description.stopAfterFill };
  }

  /** The callbacks that have failed so far. */
  failures(): CallbackFailure[] {
    return [...this.#failures.values()];
  }

  /** An error that its process has ended with, with what is known by now. */
  async explained(error: unknown): Promise<unknown> {
    return await this.#process.explained(error);
  }

  /** Ends the process; settles when it is gone. */
  async end(): Promise<void> {
    await this.#process.end();
  }

  #newsOf({ view, startingBalance }: { view: AccountView; startingBalance: number }): AccountNews {
    const closed = view.closedTrades();
    const news = { open: view.openTrades(), closed: closed.slice(this.#closedSent), wallet: view.wallet(), startingBalance };
    this.#closedSent = closed.length;
    return news;
  }

  #answer(callback: CallbackName, question: unknown, mayWant: boolean): unknown {
    const account = this.#account === null ? {} : { account: this.#newsOf(this.#account) };
    const ask = { exportName: this.description.exportName, callback, question, ...account };
    let answer: CallbackAnswer;
    try {
      ({ answer } = this.#process.ask('callback', ask, this.#times.callbackMs));
    } catch (error) {
      if (mayWant || !(error instanceof Wanted)) throw error;
      answer = { value: null, failed: notGiven(error.what) };
    }
    if (answer.failed !== undefined) {
      const failure = this.#failures.get(callback);
      if (failure === undefined) this.#failures.set(callback, { callback, count: 1, first: answer.failed });
      else failure.count++;
    }
    // As the class of a running bot has it: what it keeps belongs to the trade, and comes with it the next time.
    const { trade } = question as { trade?: Trade | null };
    if (answer.customData !== undefined && trade !== undefined && trade !== null) trade.customData = keptText(answer.customData);
    if (answer.failed !== undefined) return defaultAnswer(callback, question);
    if (!isAnswerTo(callback, answer.value)) throw new StrategyError(`The callback ${callback} gave an answer that nobody can read.`);
    return keptText(answer.value);
  }
}
