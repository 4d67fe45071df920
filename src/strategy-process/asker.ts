import type { StrategyError } from './strategy-error.ts';

/** What a strategy is asked for; the failures of each are counted apart. */
export type AskedFor = 'rows' | 'callbacks';

/**
 * A bot that asks a strategy in a process of its own. After too many failures in a row it rests, until it starts again: what hangs or dies costs a process
 * each time. Bots of others with the same strategy, to which it answers, go on.
 */
export class Asker {
  readonly botId: string;
  readonly #failed = { rows: 0, callbacks: 0 }; // in a row
  // All questions that wait for a process which cannot be started fail with the one error of its end: it is one failure of each kind.
  readonly #noted = { rows: new WeakSet<StrategyError>(), callbacks: new WeakSet<StrategyError>() };
  #rest: string | null = null;

  constructor(botId: string) {
    this.botId = botId;
  }

  /** Why it rests, in a sentence; null while it does not. */
  get rest(): string | null {
    return this.#rest;
  }

  /** It was answered. */
  succeeded(at: AskedFor): void {
    this.#failed[at] = 0;
  }

  /** What it asked has failed. Whether it rests from now on, as it is one too many. */
  failed(at: AskedFor, error: StrategyError, mostFailures: number): boolean {
    if (this.#rest !== null || this.#noted[at].has(error)) return false;
    this.#noted[at].add(error);
    this.#failed[at] += 1;
    if (this.#failed[at] < mostFailures) return false;
    this.#rest = `The strategy rests after ${mostFailures} failures in a row. The last: ${error.message}`;
    return true;
  }
}
