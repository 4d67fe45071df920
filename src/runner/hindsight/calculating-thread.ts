import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CertificateResult, CertificateTask } from './certificates/certificate-task.ts';
import type { HindsightResult, HindsightTask } from './hindsight-task.ts';
import type { WhatIfResult, WhatIfTask } from './what-if/what-if-task.ts';
import type { ReplayResult, ReplayTask } from './replay-task.ts';

/** How long things may take, in ms. */
export interface Patience {
  idleMs: number; // how long a thread without work stays: starting one takes longer than most calculations
  longestMs: number; // of a calculation; the thread is ended then, because nothing else stops it
}

const defaults: Patience = { idleMs: 300_000, longestMs: 10_000 };

/** What the thread calculates. */
export type CalculatingTask = HindsightTask | ReplayTask | CertificateTask | WhatIfTask;

/** What it answers. */
export type CalculatedResult = HindsightResult | ReplayResult | CertificateResult | WhatIfResult;

function tooLong(task: CalculatingTask): string {
  if ('stretches' in task) return 'The replay of the day takes too long.';
  if ('entries' in task || 'changes' in task) return 'The replay takes too long. Choose a pair or a shorter period.';
  return 'The calculation takes too long to be made while you type.';
}

/** A thread that calculates one task at a time. It starts with the first, and ends when there has been none for a while. */
export class CalculatingThread {
  readonly #patience: Patience;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(patience: Partial<Patience> = {}) {
    this.#patience = { ...defaults, ...patience };
  }

  /** Whether the thread is there. */
  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /**
   * Calculates a task.
   *
   * Needs: that the one before has been answered. Fails: when the thread ends before, by `close` or for lack of memory
   */
  async calculate(task: HindsightTask): Promise<HindsightResult>;
  async calculate(task: ReplayTask): Promise<ReplayResult>;
  async calculate(task: CertificateTask): Promise<CertificateResult>;
  async calculate(task: WhatIfTask): Promise<WhatIfResult>;
  async calculate(task: CalculatingTask): Promise<CalculatedResult> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    const over = AbortSignal.timeout(this.#patience.longestMs);
    const ended = new AbortController();
    const onExit = (): void => ended.abort();
    worker.once('exit', onExit);
    try {
      worker.postMessage(task);
      const [result] = (await once(worker, 'message', { signal: AbortSignal.any([over, ended.signal]) })) as [CalculatedResult];
      this.#idle = setTimeout(() => void this.close(), this.#patience.idleMs).unref();
      return result;
    } catch (error) {
      await this.close();
      if (over.aborted) return { ok: false, fault: tooLong(task) };
      throw ended.signal.aborted ? new Error('The thread of the calculation has ended', { cause: error }) : error;
    } finally {
      worker.off('exit', onExit);
    }
  }

  /** Ends the thread; the next task starts another. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(join(import.meta.dirname, 'hindsight-thread.ts'), { resourceLimits: { maxOldGenerationSizeMb: 512 } });
    worker.unref();
    // One that dies between two tasks is replaced by the next; during a task `once` reports it.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }
}
