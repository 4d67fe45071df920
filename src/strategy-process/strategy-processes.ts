import type { SignalRow } from '#engine/bot/event.ts';
import { setImmediate as nextPass } from 'node:timers/promises';
import { isTimeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import type { ParameterValues, Signals } from '#engine/strategy/strategy.ts';
import type { AskedFor, Asker } from './asker.ts';
import { checkedRow } from './code/checked-row.ts';
import { isAnswerTo } from './code/guarded-strategy.ts';
import { keptText } from './code/kept-text.ts';
import type { CallbackName } from '#engine/strategy/callbacks.ts';
import type { Trade } from '#engine/account/trade.ts';
import type { Wallet } from '#engine/account/wallet.ts';
import { AnswerWithData } from '#engine/strategy/callback-memo.ts';
import { NotAsked } from './not-asked.ts';
import type { PythonPlaces } from './python/find-python.ts';
import { findPython } from './python/find-python.ts';
import { marketWords } from './python/market-words.ts';
import type { AccountNews } from './wire/python-load.ts';
import type { Words } from './wire/python-load.ts';
import { notGiven } from './python/not-given.ts';
import { Wanted } from './python/wanted.ts';
import { WarmParents } from './python/warm-parents.ts';
import { StrategyError } from './strategy-error.ts';
import type { Answered, ProcessOptions } from './strategy-process.ts';
import { StrategyProcess } from './strategy-process.ts';
import { signalsOfBytes } from './wire/column-bytes.ts';
import type { Loaded, QuestionKind, Questions, SourceFiles, StrategyDescription } from './wire/questions.ts';
import type { CandlesOfQuestion } from './wire/sent-candles.ts';

/** The texts of one version of a strategy's file: whoever has them needs no file. */
export interface StrategyVersion {
  id: string; // of the texts; the same texts have the same
  file: string;
  files: SourceFiles;
  python?: PythonRun; // of one in Python
}

/** What a class in Python is made with: other bots of the same share its process. */
export interface PythonRun {
  config: Words; // in freqtrade's words
  pairs: readonly string[];
  parameters: ParameterValues;
  bot?: string; // of one that asks for the account of its bot: no other bot has its process
}

/** The account of a bot, as a strategy sees it. */
export interface AccountNow {
  open: readonly Trade[];
  closed: readonly Trade[]; // oldest first; what is there stays
  wallet: Wallet;
  startingBalance: number; // the tradable part, in stake currency
}

/** One strategy of a version. */
export interface StrategyOfVersion {
  version: StrategyVersion;
  exportName: string;
}

/** The candles of a pair, and what a strategy reads besides. */
interface CandlesOfPair extends CandlesOfQuestion {
  symbol: string;
}

/** How long strategies may take, in ms, and when they rest. */
export interface ProcessTimes {
  loadMs: number;
  rowMs: number; // a fifth of the timeframe where that is less
  columnsMs: number; // of all rows
  callbackMs: number;
  idleMs: number; // a process that is asked nothing for so long is ended
  mostFailures: number; // in a row; then the bot that asks rests
}

/** What a product runs with. */
export const productTimes: ProcessTimes = {
  loadMs: 60_000,
  rowMs: 10_000,
  columnsMs: 300_000,
  callbackMs: 2_000,
  idleMs: 600_000,
  mostFailures: 5,
};

/** A question is asked again so often at most, where others have ended the process before its turn. */
const mostAgain = 2;

/** What processes are started with. */
export type ProcessesOptions = Omit<ProcessOptions, 'folder'> & { python: PythonPlaces };

interface Running {
  process: StrategyProcess;
  ready: Promise<Loaded>;
  idle: NodeJS.Timeout | null;
  closedSaid: number; // closed trades that it has been shown
}

/**
 * The strategy processes of this program: one for each version that somebody uses, shared by all its bots and pairs. A process is
 * started with the first question, ended when nobody asks any more, and started again after it has ended in whatever way.
 */
export class StrategyProcesses {
  readonly #options: ProcessesOptions;
  readonly #parents: WarmParents;
  readonly #times: ProcessTimes;
  readonly #running = new Map<string, Running>();
  readonly #onRest: (botId: string, fault: string) => void;
  #isOver = false;

  constructor(options: ProcessesOptions, times: ProcessTimes, onRest: (botId: string, fault: string) => void) {
    this.#options = options;
    this.#parents = new WarmParents(options.walls, times.idleMs);
    this.#times = times;
    this.#onRest = onRest;
  }

  /** The row of the newest of these candles, for the bots that ask. Fails: StrategyError */
  async row(
    strategy: StrategyOfVersion,
    parameters: ParameterValues,
    { symbol, timeframeMs, ...candles }: CandlesOfPair & { timeframeMs: number },
    askers: readonly Asker[] = [],
  ): Promise<SignalRow> {
    const deadlineMs = Math.min(this.#times.rowMs, timeframeMs / 5);
    return this.#counted(askers, 'rows', async () => {
      const { exportName } = strategy;
      const { answer } = await this.#ask(strategy, 'row', { exportName, parameters, symbol }, deadlineMs, candles, symbol);
      return checkedRow(answer);
    });
  }

  /** All rows of these candles. Fails: StrategyError */
  async columns(strategy: StrategyOfVersion, parameters: ParameterValues, { symbol, ...candles }: CandlesOfPair): Promise<Signals> {
    const ask = { exportName: strategy.exportName, parameters, symbol };
    const { answer, body } = await this.#ask(strategy, 'columns', ask, this.#times.columnsMs, candles, symbol);
    try {
      return signalsOfBytes(answer, body);
    } catch (error) {
      throw new StrategyError('The strategy’s process sent columns that nobody can read.', { cause: error });
    }
  }

  /**
   * The answer of a callback; with custom data where the strategy has changed that of the trade. With an account it is shown that, of
   * which only the news go over.
   *
   * Fails: StrategyError
   */
  async callback(
    strategy: StrategyOfVersion,
    callback: CallbackName,
    question: unknown,
    account: AccountNow | null = null,
    asker: Asker | null = null,
  ): Promise<unknown> {
    return this.#counted(asker === null ? [] : [asker], 'callbacks', async () => {
      const { exportName } = strategy;
      const news = account === null ? {} : { account: this.#newsOf(strategy, account) };
      const ask = { exportName, callback, question, ...news };
      const pair = strategy.version.python === undefined ? undefined : pairOf(question); // a class in Python may look at its candles
      const { answer } = await this.#ask(strategy, 'callback', ask, this.#times.callbackMs, undefined, pair);
      const { value, failed, customData } = answer;
      if (failed !== undefined) throw new StrategyError(`The callback ${callback} failed: ${failed}`);
      if (!isAnswerTo(callback, value)) throw new StrategyError(`The callback ${callback} gave an answer that nobody can read.`);
      return customData === undefined ? keptText(value) : new AnswerWithData(keptText(value), keptText(customData));
    });
  }

  /** What a strategy says of itself, as it is made. Fails: StrategyError */
  async description(strategy: StrategyOfVersion): Promise<StrategyDescription> {
    const { strategies } = await this.#processOf(strategy).ready;
    const found = strategies.find(({ exportName }) => exportName === strategy.exportName);
    if (found === undefined) throw new StrategyError(`There is no strategy ${strategy.exportName} in ${strategy.version.file}.`);
    return found;
  }

  /** Ends all processes; settles when they are gone. */
  async end(): Promise<void> {
    this.#isOver = true;
    const all = [...this.#running.values()];
    this.#running.clear();
    for (const { idle } of all) if (idle !== null) clearTimeout(idle);
    await Promise.all(all.map(({ process }) => process.end()));
    this.#parents.end();
  }

  /** Asks, and counts for each of those who ask how it ends. Only where all of them rest nothing is asked. */
  async #counted<Value>(askers: readonly Asker[], of: AskedFor, ask: () => Promise<Value>): Promise<Value> {
    for (let again = 0; ; again++) {
      const rest = askers.every((asker) => asker.rest !== null) ? askers[0]?.rest : null;
      if (typeof rest === 'string') throw new StrategyError(rest);
      try {
        const value = await ask();
        for (const asker of askers) asker.succeeded(of);
        return value;
      } catch (error) {
        if (this.#isOver || !(error instanceof StrategyError)) throw error;
        if (error instanceof NotAsked) {
          // Another question has ended the process. Whose bot has ended one comes after the others; nobody waits for ever, nor has failed.
          if (again === mostAgain) throw error;
          if (askers.some((asker) => asker.hasEnded)) await nextPass();
          continue;
        }
        for (const asker of askers) if (asker.failed(of, error, this.#times.mostFailures)) this.#onRest(asker.botId, error.message);
        throw error;
      }
    }
  }

  async #ask<Kind extends QuestionKind>(
    strategy: StrategyOfVersion,
    kind: Kind,
    ask: Questions[Kind]['ask'],
    deadlineMs: number,
    candles?: CandlesOfQuestion,
    pair?: string,
  ): Promise<Answered<Kind>> {
    const running = this.#processOf(strategy);
    await running.ready;
    try {
      return await running.process.ask(kind, ask, deadlineMs, candles, pair);
    } catch (error) {
      throw error instanceof Wanted ? new StrategyError(notGiven(error.what)) : error;
    } finally {
      this.#endWhenIdle(strategy, running);
    }
  }

  /** What of an account the process of a strategy has not received yet. */
  #newsOf(strategy: StrategyOfVersion, { closed, ...account }: AccountNow): AccountNews {
    const running = this.#processOf(strategy);
    const news = { ...account, closed: closed.slice(running.closedSaid) };
    running.closedSaid = closed.length;
    return news;
  }

  #processOf(strategy: StrategyOfVersion): Running {
    if (this.#isOver) throw new StrategyError('The program is being ended.');
    const key = keyOf(strategy);
    const known = this.#running.get(key);
    if (known !== undefined && !known.process.isOver) return known;
    const { process, load } = this.#start(strategy);
    const running: Running = {
      process,
      ready: process.ask('load', load, this.#times.loadMs).then(({ answer }) => answer),
      idle: null,
      closedSaid: 0,
    };
    this.#running.set(key, running);
    // One that cannot be loaded is of no use to the next who asks either.
    running.ready.catch(() => void process.end());
    return running;
  }

  #start({ version, exportName }: StrategyOfVersion): { process: StrategyProcess; load: Questions['load']['ask'] } {
    const { file, files, python } = version;
    if (python === undefined)
      return { process: new StrategyProcess({ ...this.#options, folder: null }), load: { source: { file, files } } };
    const { folder, connect } = this.#parents.of(findPython(this.#options.python)).copy(files);
    const { config, pairs, parameters } = python;
    return {
      process: new StrategyProcess(connect),
      load: { source: { folder, file }, exportName, config, pairs, markets: marketWords(pairs), parameters },
    };
  }

  #endWhenIdle(strategy: StrategyOfVersion, running: Running): void {
    const key = keyOf(strategy);
    const { python } = strategy.version;
    // What a class keeps in itself lasts from one candle to the next, however long that is.
    const idleMs = Math.max(this.#times.idleMs, python === undefined ? 0 : 2 * lengthOf(python.config['timeframe']));
    if (running.idle !== null) clearTimeout(running.idle);
    running.idle = setTimeout(() => {
      if (running.process.load > 0) return; // whoever is answered next begins the time again
      if (this.#running.get(key) === running) this.#running.delete(key);
      void running.process.end();
    }, idleMs);
    running.idle.unref();
  }
}

/** One process serves a version; in Python a class of it as it is made. */
function keyOf({ version, exportName }: StrategyOfVersion): string {
  return version.python === undefined ? version.id : JSON.stringify([version.id, exportName, version.python]);
}

/** The pair that a callback is asked about; undefined for one that is about none. */
function pairOf(question: unknown): string | undefined {
  const { symbol, trade } = question as { symbol?: string; trade?: Trade | null };
  return symbol ?? trade?.symbol;
}

function lengthOf(timeframe: unknown): number {
  return typeof timeframe === 'string' && isTimeframe(timeframe) ? timeframeLengths[timeframe] : 0;
}
