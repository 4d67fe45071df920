import { readSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { endSentence } from '../connection.ts';
import { StrategyError } from '../strategy-error.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { candleBytes } from '../wire/column-bytes.ts';
import { encodeFrame } from '../wire/frames.ts';
import { type CandlesOfQuestion, SentCandles } from '../wire/sent-candles.ts';
import type { PythonQuestion, PythonQuestions } from './python-questions.ts';
import { longestEndMs } from './copies.ts';
import type { HowEnded, StartedProcess } from './started-process.ts';
import type { WantedThing } from '../wire/python-load.ts';
import { Wanted } from './wanted.ts';

/** What the thread that watches the deadline is given. */
export interface DeadlineData {
  pid: number;
  shared: SharedArrayBuffer; // the deadline in ms as int64, and as int32 whether all is over
  pollMs: number;
}

/** How much an answer may be, in bytes. */
const answerLimits = { json: 2 ** 26, body: 2 ** 28 };

/** How many candles the other end keeps: those of a backtest, which computes each pair once and then beginnings of it. */
const mostKept = 20_000_000;

/** How exactly a deadline is kept, in ms. */
const pollMs = 25;

/**
 * A strategy process that is waited for: the thread stands still until the answer is there, as a backtest has to. Another thread ends the
 * process when a question takes longer than it may.
 */
export class WaitingProcess {
  readonly #started: StartedProcess;
  readonly #watcher: Worker;
  readonly #deadlineAt: BigInt64Array;
  readonly #over: Int32Array;
  readonly #gone = Promise.withResolvers<void>();
  readonly #sent = new SentCandles(mostKept);
  #lastId = 0;
  #fault: StrategyError | null = null;
  #howEnded: Promise<HowEnded | null> | null = null; // once that is waited for
  #isSilent = false; // it has ended by itself, and why is not known yet

  constructor(started: StartedProcess) {
    this.#started = started;
    const shared = new SharedArrayBuffer(16);
    this.#deadlineAt = new BigInt64Array(shared, 0, 1);
    this.#over = new Int32Array(shared, 8, 1);
    const data: DeadlineData = { pid: started.pid, shared, pollMs };
    this.#watcher = new Worker(new URL('deadline-thread.ts', import.meta.url), { workerData: data });
    this.#watcher.unref();
  }

  /**
   * Asks, and waits for the answer.
   *
   * Fails: StrategyError with a sentence: the strategy's own fault, the deadline, or that the process has ended; Wanted
   */
  ask<Kind extends PythonQuestion>(
    kind: Kind,
    ask: PythonQuestions[Kind]['ask'],
    deadlineMs: number,
    candles?: CandleColumns | CandlesOfQuestion,
  ): { answer: PythonQuestions[Kind]['answer']; body: Uint8Array } {
    if (this.#fault !== null) throw this.#fault;
    const id = ++this.#lastId;
    Atomics.store(this.#deadlineAt, 0, BigInt(Date.now() + deadlineMs));
    let message: { id: number; answer?: unknown; fault?: string; wanted?: WantedThing };
    let columns: Uint8Array;
    try {
      this.#write(this.#frame({ ...ask, id, kind }, candles));
      const head = this.#read(8);
      const [jsonLength, bodyLength] = [head.readUInt32LE(0), head.readUInt32LE(4)];
      if (jsonLength > answerLimits.json || bodyLength > answerLimits.body) throw new RangeError('An answer is too large.');
      message = JSON.parse(this.#read(jsonLength).toString('utf8')) as typeof message;
      columns = this.#read(bodyLength);
      if (message.id !== id) throw new RangeError('An answer is to another question.');
    } catch (error) {
      throw this.#failed(deadlineMs, error);
    }
    Atomics.store(this.#deadlineAt, 0, 0n);
    if (message.wanted !== undefined) throw new Wanted(message.wanted);
    if (message.fault !== undefined) throw new StrategyError(message.fault.slice(0, 2_000));
    return { answer: message.answer as PythonQuestions[Kind]['answer'], body: columns };
  }

  /** Whether it answers no more. */
  get isOver(): boolean {
    return this.#fault !== null;
  }

  /** What there is to say about an error of `ask`: how the process has ended, where that was the reason. */
  async explained(error: unknown): Promise<unknown> {
    if (error !== this.#fault || !this.#isSilent) return error;
    const how = await (this.#howEnded ??= this.#waitForEnd());
    return how === null ? error : new StrategyError(endSentence(how.code, how.signal, ''));
  }

  /** Ends the process, and whatever it has started; settles when it is gone. */
  async end(): Promise<void> {
    if (Atomics.exchange(this.#over, 0, 1) === 1) return await this.#gone.promise;
    this.#fault ??= new StrategyError('The strategy’s process was ended.');
    Atomics.notify(this.#over, 0);
    this.#kill();
    await (this.#howEnded ??= this.#waitForEnd());
    await this.#watcher.terminate();
    this.#started.tidy();
    this.#gone.resolve();
  }

  /** How it has ended; null where nobody says so in time, as its parent hangs. */
  async #waitForEnd(): Promise<HowEnded | null> {
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => resolve(null), longestEndMs);
    try {
      return await Promise.race([this.#started.ended, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A question with its candles: whole where they are those of one series, else what the other end does not have of them. */
  #frame(question: object, candles?: CandleColumns | CandlesOfQuestion): Uint8Array {
    if (candles === undefined) return encodeFrame(question);
    if (!('own' in candles)) return encodeFrame(question, candleBytes(candles));
    const { heads, body } = this.#sent.next(candles);
    return encodeFrame({ ...question, candles: heads }, body);
  }

  #failed(deadlineMs: number, cause: unknown): StrategyError {
    const isLate = Atomics.load(this.#deadlineAt, 0) === -1n;
    this.#isSilent = !isLate && (cause instanceof Gone || (cause as NodeJS.ErrnoException).code === 'EPIPE');
    this.#fault = new StrategyError(
      isLate
        ? `The strategy gave no answer for ${deadlineMs / 1_000} s; its process was ended.`
        : this.#isSilent
          ? 'The strategy’s process has ended by itself.'
          : 'The strategy’s process sent what nobody can read.',
      { cause },
    );
    this.#kill();
    return this.#fault;
  }

  #kill(): void {
    try {
      process.kill(-this.#started.pid, 'SIGKILL');
    } catch {
      // it has ended already
    }
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) at += writeSync(this.#started.questions, bytes, at);
  }

  #read(length: number): Buffer<ArrayBuffer> {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length;) {
      const read = readSync(this.#started.answers, bytes, at, length - at, null);
      if (read === 0) throw new Gone();
      at += read;
    }
    return bytes;
  }
}

/** The other end is not there any more. */
class Gone extends Error {
  override readonly name = 'Gone';
}
