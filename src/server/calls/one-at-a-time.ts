import { texts } from '#contract/errors.ts';
import { HttpError } from '../http/http-error.ts';

/** How many pieces of work of one person may wait for an earlier one. */
const mostWaiting = 4;

/** Does what takes long one after the other for each person, so that nobody slows the others down by asking for much at once. */
export class OneAtATime {
  readonly #last = new Map<string, { done: Promise<unknown>; count: number }>();

  /** Fails: 429 when four of this person wait already; else as the work */
  async do<T>(person: string, work: () => Promise<T>): Promise<T> {
    const { done, count } = this.#last.get(person) ?? { done: Promise.resolve(), count: 0 };
    if (count > mostWaiting) throw new HttpError(429, texts.tooManyRequests, { retryAfterSeconds: 5 });
    const mine = done.then(work);
    this.#last.set(person, { done: mine.catch(() => null), count: count + 1 });
    try {
      return await mine;
    } finally {
      const now = this.#last.get(person);
      if (now !== undefined && now.count > 1) now.count -= 1;
      else this.#last.delete(person);
    }
  }
}
