import { texts } from '#contract/errors.ts';
import { HttpError } from '../http/http-error.ts';
import { hashedAtOnce, queueOfStrangers } from './passwords.ts';

/** As many as there are places for the checking of passwords, and in the queue for it, but for those that are left to people who are signed in. */
const most = hashedAtOnce + queueOfStrangers;

/**
 * Lets only so many calls of people who are not signed in work at a time; the others get 429 before they have cost a
 * statement. Without it a crowd at the door takes every connection to the database, and those who are inside wait for it.
 */
export class CrowdGate {
  #inside = 0;

  /** Does a piece of work, or fails with 429 when too many are at work. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= most) throw new HttpError(429, texts.tooManyRequests, { retryAfterSeconds: 5 });
    this.#inside += 1;
    try {
      return await work();
    } finally {
      this.#inside -= 1;
    }
  }
}
