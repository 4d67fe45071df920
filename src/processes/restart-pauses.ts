import { secondMs } from '#engine/market/durations.ts';

const firstPauseMs = 200;
const longestPauseMs = 30 * secondMs;

/** A process that has lived for so long was well: its end is the first crash again. */
const steadyMs = 10 * secondMs;

/** The pauses before a process that ends by itself is started again: 0.2 s, then twice as long after each crash in a row. */
export class RestartPauses {
  #crashes = 0;

  /** The pause after a process has lived for `livedMs`, in ms. */
  next(livedMs: number): number {
    this.#crashes = livedMs > steadyMs ? 1 : this.#crashes + 1;
    return Math.min(firstPauseMs * 2 ** (this.#crashes - 1), longestPauseMs);
  }
}
