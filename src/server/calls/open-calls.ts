import { texts } from '#contract/errors.ts';
import { HttpError } from '../http/http-error.ts';

/** So many calls of one person may be open: an answer takes memory until it has been sent, and a page opens some twenty at once. */
export const mostOpenCalls = 64;

/** Counts the open calls of each signed-in person, in this process: from the call until its answer has been sent. */
export class OpenCalls {
  readonly #counts = new Map<string, number>();

  /** Counts a call until what is returned is called, once. Fails: 429 when so many are open */
  enter(person: string): () => void {
    const count = this.#counts.get(person) ?? 0;
    if (count >= mostOpenCalls) throw new HttpError(429, texts.tooManyRequests, { retryAfterSeconds: 5 });
    this.#counts.set(person, count + 1);
    return () => {
      const left = (this.#counts.get(person) ?? 1) - 1;
      if (left > 0) this.#counts.set(person, left);
      else this.#counts.delete(person);
    };
  }
}
