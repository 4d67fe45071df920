import { Worker } from 'node:worker_threads';
import type { Point } from '#engine/lab/dimension.ts';
import type { Hardship, PointAnswer } from '#engine/lab/epoch-runner.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { StrategyError } from '../strategy-error.ts';
import type { StudyAnswer, StudyQuestion } from './study-questions.ts';

/** Some points that one thread runs together. */
interface Portion extends StudyQuestion {
  deaths: number; // threads that have ended while they ran it
  done(answers: readonly PointAnswer[]): void;
  failed(error: unknown): void;
}

/** So many portions a batch has for each thread: enough that none waits long for another. */
const portionsPerThread = 4;

/** So many threads may end one after the other without an answer. */
const mostDeaths = 50;

/**
 * The threads of a study. Each runs one portion of points at a time; the portion of a thread that ends is run again by another, point by
 * point, and a point that ends a second thread is answered with a sentence.
 */
export class StudyThreads {
  readonly #file: string;
  readonly #task: object;
  readonly #count: number;
  readonly #waiting: Portion[] = [];
  readonly #threads = new Map<Worker, Portion | null>();
  #isClosed = false;
  #deathsInARow = 0;

  /** Starts so many threads of a file, each with the task as its data. */
  constructor(file: string, task: object, count: number) {
    this.#file = file;
    this.#task = task;
    this.#count = count;
    for (let i = 0; i < count; i++) this.#start();
  }

  /** Runs points, in whatever sequence, and answers in theirs. Fails: StrategyError, where no thread can run any */
  async run(points: readonly Point[], hardship: Hardship | null = null): Promise<PointAnswer[]> {
    const size = Math.max(1, Math.ceil(points.length / (this.#count * portionsPerThread)));
    const starts = Array.from({ length: Math.ceil(points.length / size) }, (_, i) => i * size);
    const portions = starts.map((from) => this.#portion(points.slice(from, from + size), hardship, 0));
    this.#next();
    return (await Promise.all(portions)).flat();
  }

  /** Ends all threads; what they run is not answered any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.length = 0;
    await Promise.all([...this.#threads.keys()].map((thread) => thread.terminate()));
  }

  async #portion(points: readonly Point[], hardship: Hardship | null, deaths: number): Promise<PointAnswer[]> {
    return await new Promise((resolve, reject) => {
      const done = (answers: readonly PointAnswer[]): void => resolve([...answers]);
      this.#waiting.push({ points, hardship, deaths, done, failed: reject });
    });
  }

  #next(): void {
    for (const [thread, busy] of this.#threads) {
      if (busy !== null) continue;
      const portion = this.#waiting.shift();
      if (portion === undefined) return;
      this.#threads.set(thread, portion);
      thread.postMessage({ points: portion.points, hardship: portion.hardship } satisfies StudyQuestion);
    }
  }

  #start(): void {
    const thread = new Worker(this.#file, { workerData: this.#task });
    this.#threads.set(thread, null);
    let reason = '';
    thread.on('message', (answer: StudyAnswer) => {
      const portion = this.#threads.get(thread) ?? null;
      if ('faults' in answer) {
        this.#giveUp(new StrategyError(answer.faults));
        return;
      }
      this.#threads.set(thread, null);
      this.#deathsInARow = 0;
      portion?.done(answer.answers);
      this.#next();
    });
    thread.on('error', (error) => (reason = `: ${errorText(error)}`));
    thread.on('exit', (code) => {
      const portion = this.#threads.get(thread) ?? null;
      this.#threads.delete(thread);
      if (this.#isClosed) return;
      this.#deathsInARow += 1;
      if (portion !== null) void this.#again(portion, `it has ended the thread that ran it, with code ${code}${reason}`);
      if (this.#deathsInARow > mostDeaths) {
        this.#giveUp(new StrategyError(`The threads of the study end again and again, the last one with code ${code}${reason}.`));
        return;
      }
      this.#start();
      this.#next();
    });
  }

  /** Runs the points of a thread that has ended again, each by itself: one of them may be what ended it. */
  async #again(portion: Portion, sentence: string): Promise<void> {
    const { points, hardship, deaths } = portion;
    if (deaths > 0) {
      portion.done(points.map(() => ({ fault: sentence })));
      return;
    }
    try {
      const answers = await Promise.all(points.map((point) => this.#portion([point], hardship, deaths + 1)));
      portion.done(answers.flat());
    } catch (error) {
      portion.failed(error);
    }
  }

  /** Where threads cannot run anything, nothing that was asked is answered. */
  #giveUp(error: StrategyError): void {
    const asked = [...this.#waiting, ...this.#threads.values()];
    void this.close();
    for (const portion of asked) portion?.failed(error);
  }
}
