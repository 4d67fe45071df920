import { texts } from '#contract/errors.ts';
import { HttpError } from '../http/http-error.ts';

/** How many pieces of work of one person may wait for an earlier one. */
const mostWaiting = 4;

/** After work that keeps the processor from everybody its person rests so many times as long: one person takes a fifth of it at most. */
const restPerWork = 4;

/** The longest rest, in ms: the work may have waited for something that keeps the processor from nobody. */
const longestRestMs = 500;

/** Does what takes long one after the other for each person, so that nobody slows the others down by asking for much at once. */
export class OneAtATime {
  readonly #last = new Map<string, { done: Promise<void>; count: number }>();

  /** Fails: 429 when four of this person wait already; else as the work */
  async do<T>(person: string, work: () => Promise<T>): Promise<T> {
    const { made, free } = await this.hold(person, work);
    free();
    return made;
  }

  /**
   * Does the work like `do`, and begins the next of this person after a rest: for work that keeps this process from answering anybody. Who asked has
   * the answer before it.
   *
   * Fails: as `do`
   */
  async doAndRest<T>(person: string, work: () => Promise<T>): Promise<T> {
    let begun = 0;
    const { made, free } = await this.hold(person, () => {
      begun = performance.now();
      return work();
    });
    setTimeout(free, Math.min(restPerWork * (performance.now() - begun), longestRestMs)).unref();
    return made;
  }

  /**
   * Does the work like `do`, and keeps the place of the person until `free` is called: what has been made takes memory until it has been sent.
   *
   * Fails: as `do`; then the place is free
   */
  async hold<T>(person: string, work: () => Promise<T>): Promise<{ made: T; free: () => void }> {
    const { done, count } = this.#last.get(person) ?? { done: Promise.resolve(), count: 0 };
    if (count > mostWaiting) throw new HttpError(429, texts.tooManyRequests, { retryAfterSeconds: 5 });
    const place = Promise.withResolvers<void>();
    this.#last.set(person, { done: place.promise, count: count + 1 });
    let isHeld = true;
    const free = (): void => {
      if (!isHeld) return;
      isHeld = false;
      const now = this.#last.get(person);
      if (now !== undefined && now.count > 1) now.count -= 1;
      else this.#last.delete(person);
      place.resolve();
    };
    try {
      await done;
      return { made: await work(), free };
    } catch (error) {
      free();
      throw error;
    }
  }
}
