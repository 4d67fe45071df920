import type { Walls } from './child-command.ts';
import { childCommand } from './child-command.ts';
import type { Connect, Connection } from './connection.ts';
import { spawned } from './connection.ts';
import { NotAsked } from './not-asked.ts';
import { ProcessEnded } from './process-ended.ts';
import { Wanted } from './python/wanted.ts';
import { StrategyError } from './strategy-error.ts';
import { type WaitingQuestion, WaitingQuestions } from './waiting-questions.ts';
import { encodeFrame, FrameReader } from './wire/frames.ts';
import type { AllQuestions, Answer } from './wire/questions.ts';
import type { CandlesOfQuestion } from './wire/sent-candles.ts';
import { SentCandles } from './wire/sent-candles.ts';

/** An answer with its columns. */
export interface Answered<Kind extends keyof AllQuestions> {
  answer: AllQuestions[Kind]['answer'];
  body: Uint8Array;
}

interface Asked extends WaitingQuestion {
  bytes: () => Uint8Array;
  deadlineMs: number;
  resolve: (answered: { answer: unknown; body: Uint8Array }) => void;
  reject: (error: Error) => void;
}

/** How much an answer may be, in bytes: a year of minutes with twenty indicators fits. */
const answerLimits = { json: 2 ** 26, body: 2 ** 28 };

/** What a strategy process is started with. */
export interface ProcessOptions {
  node: string; // the program
  walls: Walls;
  folder: string | null; // of strategies, which it may read; null for one that is given its texts
}

/**
 * A process of its own for the strategies of one file. It is asked one question at a time; one that takes longer than it may ends the
 * process, and so does an answer nobody can read. What waits then fails too, as not asked.
 */
export class StrategyProcess {
  readonly #connection: Connection;
  readonly #waiting = new WaitingQuestions<Asked>();
  readonly #sent = new SentCandles();
  readonly #ended = Promise.withResolvers<void>();
  #asked: Asked | null = null; // the question it works on
  #deadline: NodeJS.Timeout | null = null;
  #lastId = 0;
  #fault: StrategyError | null = null; // why it has ended, or will

  /** Starts the process: that of a TypeScript file, or whatever else speaks the same wire. */
  constructor(start: ProcessOptions | Connect) {
    const connect = typeof start === 'function' ? start : spawned(childCommand(start.node, start.walls, start.folder));
    const reader = new FrameReader(answerLimits);
    this.#connection = connect({
      data: (piece) => {
        try {
          for (const { json, body } of reader.take(piece)) this.#take(json as Answer, body);
        } catch (error) {
          this.#kill(new StrategyError('The strategy’s process sent what nobody can read.', { cause: error }));
        }
      },
      ended: (fault) => this.#end(fault),
    });
  }

  /** Whether it has ended, or is being ended. */
  get isOver(): boolean {
    return this.#fault !== null;
  }

  /** Its number in the system; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#connection.pid;
  }

  /** How many questions wait or are worked on. */
  get load(): number {
    return this.#waiting.size + (this.#asked === null ? 0 : 1);
  }

  /**
   * Asks a question. One without candles comes before those with candles that wait (`WaitingQuestions`), but for those of the `pair` on
   * whose candles its answer may depend; with candles `pair` says whose they are. The deadline counts from when it is its turn. Of candles
   * whose series has a name only what the process does not have goes over.
   *
   * Fails: StrategyError with a sentence: the strategy's own fault, ProcessEnded; NotAsked; Wanted
   */
  ask<Kind extends keyof AllQuestions>(
    kind: Kind,
    ask: AllQuestions[Kind]['ask'],
    deadlineMs: number,
    candles?: CandlesOfQuestion,
    pair?: string,
  ): Promise<Answered<Kind>> {
    if (this.#fault !== null) return Promise.reject(new NotAsked(this.#fault.faults));
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<{ answer: unknown; body: Uint8Array }>();
    const bytes = this.#bytesOf({ ...ask, id, kind }, candles);
    this.#waiting.add({ id, isAboutCandles: candles !== undefined, pair, bytes, deadlineMs, resolve, reject });
    this.#next();
    return promise as Promise<Answered<Kind>>;
  }

  /** Ends the process; settles when it is gone. What waits fails. */
  async end(): Promise<void> {
    this.#kill(new StrategyError('The strategy’s process was ended.'));
    await this.#ended.promise;
  }

  /** What is sent of a question when it is its turn: what the process has of its candles then depends on what has come before it. */
  #bytesOf(question: object, candles: CandlesOfQuestion | undefined): () => Uint8Array {
    if (candles === undefined) {
      const bytes = encodeFrame(question); // as it is now
      return () => bytes;
    }
    return () => {
      const { heads, body } = this.#sent.next(candles);
      return encodeFrame({ ...question, candles: heads }, body);
    };
  }

  #next(): void {
    // What is sent to a process that is being ended would take the blame for its end.
    if (this.#asked !== null || this.#fault !== null) return;
    const asked = this.#waiting.next();
    if (asked === undefined) return;
    this.#asked = asked;
    this.#deadline = setTimeout(
      () => this.#kill(new StrategyError(`The strategy gave no answer for ${asked.deadlineMs / 1_000} s; its process was ended.`)),
      asked.deadlineMs,
    );
    this.#connection.send(asked.bytes());
  }

  #take(message: Answer, body: Uint8Array): void {
    const asked = this.#asked;
    if (asked?.id !== message.id) return; // nobody asked
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    this.#asked = null;
    if ('fault' in message) asked.reject(new StrategyError(message.fault.slice(0, 2_000)));
    else if ('wanted' in message) asked.reject(new Wanted(message.wanted));
    else asked.resolve({ answer: message.answer, body });
    this.#next();
  }

  #kill(fault: StrategyError): void {
    this.#fault ??= fault;
    this.#connection.kill();
  }

  #end(fault: StrategyError): void {
    this.#fault ??= fault;
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    this.#asked?.reject(new ProcessEnded(this.#fault.faults, { cause: this.#fault }));
    for (const { reject } of this.#waiting.takeAll()) reject(new NotAsked(this.#fault.faults));
    this.#asked = null;
    this.#ended.resolve();
  }
}
