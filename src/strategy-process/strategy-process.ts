import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Command, Walls } from './child-command.ts';
import { childCommand } from './child-command.ts';
import { StrategyError } from './strategy-error.ts';
import { encodeFrame, FrameReader } from './wire/frames.ts';
import type { Answer, QuestionKind, Questions } from './wire/questions.ts';
import type { CandlesOfQuestion } from './wire/sent-candles.ts';
import { SentCandles } from './wire/sent-candles.ts';

/** An answer with its columns. */
export interface Answered<Kind extends QuestionKind> {
  answer: Questions[Kind]['answer'];
  body: Uint8Array;
}

interface Asked {
  id: number;
  bytes: Uint8Array;
  deadlineMs: number;
  resolve: (answered: { answer: unknown; body: Uint8Array }) => void;
  reject: (error: StrategyError) => void;
}

/** How much an answer may be, in bytes: a year of minutes with twenty indicators fits. */
const answerLimits = { json: 2 ** 26, body: 2 ** 28 };

/** The end of what a process has said before it ended: why it had no memory any more, as a rule. */
const lastWords = 4_000;

/** What a strategy process is started with. */
export interface ProcessOptions {
  node: string; // the program
  walls: Walls;
  folder: string | null; // of strategies, which it may read; null for one that is given its texts
}

/**
 * A process of its own for the strategies of one file. It is asked one question at a time; one that takes longer than it may ends the
 * process, and so does an answer nobody can read. What waits then fails too, with the reason.
 */
export class StrategyProcess {
  readonly #child: ChildProcess;
  readonly #waiting: Asked[] = [];
  readonly #sent = new SentCandles();
  readonly #ended = Promise.withResolvers<void>();
  #asked: Asked | null = null; // the question it works on
  #deadline: NodeJS.Timeout | null = null;
  #lastId = 0;
  #fault: StrategyError | null = null; // why it has ended, or will
  #said = '';

  /** Starts the process: that of a TypeScript file, or whatever command speaks the same wire. */
  constructor(options: ProcessOptions | Command) {
    const { file, args, environment } = 'node' in options ? childCommand(options.node, options.walls, options.folder) : options;
    this.#child = spawn(file, args, {
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    const [, , errors, input, output] = this.#child.stdio as [null, null, Readable, Writable, Readable];
    if (this.#child.pid !== undefined) makeModest(this.#child.pid);
    const reader = new FrameReader(answerLimits);
    errors.setEncoding('utf8').on('data', (text: string) => (this.#said = `${this.#said}${text}`.slice(-lastWords)));
    input.on('error', () => undefined); // its end says what happened
    output.on('data', (piece: Uint8Array) => {
      try {
        for (const { json, body } of reader.take(piece)) this.#take(json as Answer, body);
      } catch (error) {
        this.#kill(new StrategyError('The strategy’s process sent what nobody can read.', { cause: error }));
      }
    });
    this.#child.on('error', (error) => this.#end(new StrategyError(`The strategy’s process could not be started: ${error.message}.`)));
    this.#child.on('close', (code, signal) => this.#end(new StrategyError(endSentence(code, signal, this.#said))));
  }

  /** Whether it has ended, or is being ended. */
  get isOver(): boolean {
    return this.#fault !== null;
  }

  /** Its number in the system; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** How many questions wait or are worked on. */
  get load(): number {
    return this.#waiting.length + (this.#asked === null ? 0 : 1);
  }

  /**
   * Asks a question; questions are answered in the sequence in which they are asked. The deadline counts from when it is its turn. Of
   * candles whose series has a name only what the process does not have goes over.
   *
   * Fails: StrategyError with a sentence: the strategy's own fault, the deadline, or why the process has ended
   */
  ask<Kind extends QuestionKind>(
    kind: Kind,
    ask: Questions[Kind]['ask'],
    deadlineMs: number,
    candles?: CandlesOfQuestion,
  ): Promise<Answered<Kind>> {
    if (this.#fault !== null) return Promise.reject(this.#fault);
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<{ answer: unknown; body: Uint8Array }>();
    const sent = candles === undefined ? null : this.#sent.next(candles);
    const bytes = sent === null ? encodeFrame({ ...ask, id, kind }) : encodeFrame({ ...ask, candles: sent.heads, id, kind }, sent.body);
    this.#waiting.push({ id, bytes, deadlineMs, resolve, reject });
    this.#next();
    return promise as Promise<Answered<Kind>>;
  }

  /** Ends the process; settles when it is gone. What waits fails. */
  async end(): Promise<void> {
    this.#kill(new StrategyError('The strategy’s process was ended.'));
    await this.#ended.promise;
  }

  #next(): void {
    if (this.#asked !== null) return;
    const asked = this.#waiting.shift();
    if (asked === undefined) return;
    this.#asked = asked;
    this.#deadline = setTimeout(
      () => this.#kill(new StrategyError(`The strategy gave no answer for ${asked.deadlineMs / 1_000} s; its process was ended.`)),
      asked.deadlineMs,
    );
    (this.#child.stdio[3] as Writable).write(asked.bytes);
  }

  #take(message: Answer, body: Uint8Array): void {
    const asked = this.#asked;
    if (asked?.id !== message.id) return; // nobody asked
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    this.#asked = null;
    if ('fault' in message) asked.reject(new StrategyError(message.fault.slice(0, 2_000)));
    else asked.resolve({ answer: message.answer, body });
    this.#next();
  }

  #kill(fault: StrategyError): void {
    this.#fault ??= fault;
    this.#child.kill('SIGKILL');
  }

  #end(fault: StrategyError): void {
    this.#fault ??= fault;
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    for (const { reject } of [...(this.#asked === null ? [] : [this.#asked]), ...this.#waiting.splice(0)]) reject(this.#fault);
    this.#asked = null;
    this.#ended.resolve();
  }
}

/** Bots, pages and the database come first. */
function makeModest(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // it has ended already, which is reported elsewhere
  }
}

function endSentence(code: number | null, signal: NodeJS.Signals | null, said: string): string {
  if (/out of memory|allocation failed/iu.test(said)) return 'The strategy used more memory than it may; its process has ended.';
  const how = signal === null ? `with code ${code ?? 'none'}` : `by ${signal}`;
  return `The strategy’s process has ended by itself (${how}).`;
}
