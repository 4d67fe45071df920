import type { SignalRow } from '#engine/bot/event.ts';
import type { ParameterValues, Signals } from '#engine/strategy/strategy.ts';
import { checkedRow } from './code/checked-row.ts';
import { isAnswerTo } from './code/guarded-strategy.ts';
import type { CallbackName } from '#engine/strategy/callbacks.ts';
import { StrategyError } from './strategy-error.ts';
import type { Answered, ProcessOptions } from './strategy-process.ts';
import { StrategyProcess } from './strategy-process.ts';
import { signalsOfBytes } from './wire/column-bytes.ts';
import type { QuestionKind, Questions, SourceFiles } from './wire/questions.ts';
import type { CandlesOfQuestion } from './wire/sent-candles.ts';

/** The texts of one version of a strategy's file: whoever has them needs no file. */
export interface StrategyVersion {
  id: string; // of the texts; the same texts have the same
  file: string;
  files: SourceFiles;
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
  mostFailures: number; // in a row; then the version rests
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

interface Running {
  process: StrategyProcess;
  ready: Promise<unknown>;
  idle: NodeJS.Timeout | null;
}

interface Failures {
  rows: number; // in a row
  callbacks: number;
  last: string;
}

/**
 * The strategy processes of this program: one for each version that somebody uses, shared by all its bots and pairs. A process is
 * started with the first question, ended when nobody asks any more, and started again after it has ended in whatever way.
 */
export class StrategyProcesses {
  readonly #options: Omit<ProcessOptions, 'folder'>;
  readonly #times: ProcessTimes;
  readonly #running = new Map<string, Running>();
  readonly #failures = new Map<string, Failures>();
  readonly #onRest: (versionId: string, fault: string) => void;
  #isOver = false;

  constructor(options: Omit<ProcessOptions, 'folder'>, times: ProcessTimes, onRest: (versionId: string, fault: string) => void) {
    this.#options = options;
    this.#times = times;
    this.#onRest = onRest;
  }

  /** The row of the newest of these candles. Fails: StrategyError */
  async row(
    { version, exportName }: StrategyOfVersion,
    parameters: ParameterValues,
    { symbol, timeframeMs, ...candles }: CandlesOfPair & { timeframeMs: number },
  ): Promise<SignalRow> {
    return this.#counted(version.id, 'rows', async () => {
      const deadlineMs = Math.min(this.#times.rowMs, timeframeMs / 5);
      const { answer } = await this.#ask(version, 'row', { exportName, parameters, symbol }, deadlineMs, candles);
      return checkedRow(answer);
    });
  }

  /** All rows of these candles. Fails: StrategyError */
  async columns(
    { version, exportName }: StrategyOfVersion,
    parameters: ParameterValues,
    { symbol, ...candles }: CandlesOfPair,
  ): Promise<Signals> {
    const ask = { exportName, parameters, symbol };
    const { answer, body } = await this.#ask(version, 'columns', ask, this.#times.columnsMs, candles);
    try {
      return signalsOfBytes(answer, body);
    } catch (error) {
      throw new StrategyError('The strategy’s process sent columns that nobody can read.', { cause: error });
    }
  }

  /** The answer of a callback. Fails: StrategyError */
  async callback({ version, exportName }: StrategyOfVersion, callback: CallbackName, question: unknown): Promise<unknown> {
    return this.#counted(version.id, 'callbacks', async () => {
      const { answer } = await this.#ask(version, 'callback', { exportName, callback, question }, this.#times.callbackMs);
      const { value } = answer;
      if (!isAnswerTo(callback, value)) throw new StrategyError(`The callback ${callback} gave an answer that nobody can read.`);
      return value;
    });
  }

  /** Why a version rests, in a sentence; null while it does not. */
  restOf(versionId: string): string | null {
    const failures = this.#failures.get(versionId);
    if (failures === undefined || !this.#isTooMuch(failures)) return null;
    return `The strategy rests after ${this.#times.mostFailures} failures in a row. The last: ${failures.last}`;
  }

  /** Lets a version that rests be asked again. */
  tryAgain(versionId: string): void {
    this.#failures.delete(versionId);
  }

  /** Ends all processes; settles when they are gone. */
  async end(): Promise<void> {
    this.#isOver = true;
    const all = [...this.#running.values()];
    this.#running.clear();
    for (const { idle } of all) if (idle !== null) clearTimeout(idle);
    await Promise.all(all.map(({ process }) => process.end()));
  }

  async #counted<Value>(id: string, of: 'rows' | 'callbacks', ask: () => Promise<Value>): Promise<Value> {
    const rest = this.restOf(id);
    if (rest !== null) throw new StrategyError(rest);
    try {
      const value = await ask();
      const failures = this.#failures.get(id);
      if (failures !== undefined) failures[of] = 0;
      return value;
    } catch (error) {
      if (!this.#isOver && error instanceof StrategyError) this.#note(id, of, error.message);
      throw error;
    }
  }

  #note(id: string, of: 'rows' | 'callbacks', fault: string): void {
    const failures = this.#failures.get(id) ?? { rows: 0, callbacks: 0, last: fault };
    const before = this.#isTooMuch(failures);
    failures[of]++;
    failures.last = fault;
    this.#failures.set(id, failures);
    if (!before && this.#isTooMuch(failures)) this.#onRest(id, fault);
  }

  #isTooMuch({ rows, callbacks }: Failures): boolean {
    return Math.max(rows, callbacks) >= this.#times.mostFailures;
  }

  async #ask<Kind extends QuestionKind>(
    version: StrategyVersion,
    kind: Kind,
    ask: Questions[Kind]['ask'],
    deadlineMs: number,
    candles?: CandlesOfQuestion,
  ): Promise<Answered<Kind>> {
    const running = this.#processOf(version);
    await running.ready;
    try {
      return await running.process.ask(kind, ask, deadlineMs, candles);
    } finally {
      this.#endWhenIdle(version.id, running);
    }
  }

  #processOf(version: StrategyVersion): Running {
    if (this.#isOver) throw new StrategyError('The program is being ended.');
    const known = this.#running.get(version.id);
    if (known !== undefined && !known.process.isOver) return known;
    const process = new StrategyProcess({ ...this.#options, folder: null });
    const { file, files } = version;
    const running: Running = { process, ready: process.ask('load', { source: { file, files } }, this.#times.loadMs), idle: null };
    this.#running.set(version.id, running);
    // One that cannot be loaded is of no use to the next who asks either.
    running.ready.catch(() => void process.end());
    return running;
  }

  #endWhenIdle(id: string, running: Running): void {
    if (running.idle !== null) clearTimeout(running.idle);
    running.idle = setTimeout(() => {
      if (running.process.load > 0) return; // whoever is answered next begins the time again
      if (this.#running.get(id) === running) this.#running.delete(id);
      void running.process.end();
    }, this.#times.idleMs);
    running.idle.unref();
  }
}
