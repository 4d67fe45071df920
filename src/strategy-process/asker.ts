import { ProcessEnded } from './process-ended.ts';
import type { StrategyError } from './strategy-error.ts';

/** What a strategy is asked for; the failures of each are counted apart. */
export type AskedFor = 'rows' | 'callbacks';

/** So many answers make up for one process that was ended. */
const answersForAnEnd = 10;

/**
 * A bot that asks a strategy in a process of its own. After too many failures in a row it rests, until it starts again, and so it does where it ends
 * processes again and again, whatever is answered in between: each end keeps others waiting. Bots of others with the same strategy, to which it answers, continue.
 */
export class Asker {
  readonly botId: string;
  readonly #failed = { rows: 0, callbacks: 0 }; // in a row
  // All questions that wait for a process which cannot be started fail with the one error of its end: it is one failure of each kind.
  readonly #noted = { rows: new WeakSet<StrategyError>(), callbacks: new WeakSet<StrategyError>() };
  readonly #ended = new WeakSet<StrategyError>(); // one end counts once, also where rows and callbacks waited for it
  #ends = 0; // of processes, in answers that make up for them
  #rest: string | null = null;

  constructor(botId: string) {
    this.botId = botId;
  }

  /** Why it rests, in a sentence; null while it does not. */
  get rest(): string | null {
    return this.#rest;
  }

  /** Whether it has ended a process lately. */
  get hasEnded(): boolean {
    return this.#ends > 0;
  }

  /** It was answered. */
  succeeded(at: AskedFor): void {
    this.#failed[at] = 0;
    this.#ends = Math.max(0, this.#ends - 1);
  }

  /** What it asked has failed. Whether it rests from now on, as it is one too many. */
  failed(at: AskedFor, error: StrategyError, mostFailures: number): boolean {
    if (this.#rest !== null || this.#noted[at].has(error)) return false;
    this.#noted[at].add(error);
    this.#failed[at] += 1;
    if (error instanceof ProcessEnded && !this.#ended.has(error)) {
      this.#ended.add(error);
      this.#ends += answersForAnEnd;
    }
    if (this.#failed[at] >= mostFailures)
      this.#rest = `The strategy rests after ${mostFailures} failures in a row. The last: ${error.message}`;
    else if (this.#ends > (mostFailures - 1) * answersForAnEnd)
      this.#rest = `The strategy rests: it has ended its process ${mostFailures} times with few answers in between. The last: ${error.message}`;
    return this.#rest !== null;
  }
}
