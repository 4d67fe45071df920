import { texts } from '#contract/errors.ts';
import { HttpError } from '../http/http-error.ts';

/** So many reads of one person may be open: an answer takes memory until it has been sent, and a page opens some twenty at once. */
export const mostOpenCalls = 64;

/**
 * Counts the open reads of each signed-in person, in this process: from the call until its answer has been sent. Changes are not counted: however
 * many answers somebody has not read, they can stop their bots. The answers to changes are small, and changes have a rate of their own.
 */
export class OpenCalls {
  readonly #counts = new Map<string, number>();

  /** Counts a read until what is returned is called; to call that again changes nothing. Fails: 429 when so many are open */
  enter(person: string): () => void {
    const count = this.#counts.get(person) ?? 0;
    if (count >= mostOpenCalls) throw new HttpError(429, texts.tooManyRequests, { retryAfterSeconds: 5 });
    this.#counts.set(person, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#counts.get(person) ?? 1) - 1;
      if (left > 0) this.#counts.set(person, left);
      else this.#counts.delete(person);
    };
  }
}
