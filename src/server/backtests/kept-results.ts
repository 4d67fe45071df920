import { texts } from '#contract/errors.ts';
import { findResultParts } from '#storage/backtests/result-parts.ts';
import type { Database } from '#storage/database.ts';
import type { z } from 'zod';
import { OneAtATime } from '../calls/one-at-a-time.ts';
import { HttpError } from '../http/http-error.ts';
import type { unreadable } from './backtest-rows.ts';
import { type WrittenDetails, writtenDetails } from './kept-details.ts';

/** What somebody wants to read of a run. */
interface Wanted {
  person: string;
  runId: string;
  schema: z.ZodObject; // of its details
  isGone: () => boolean;
}

/**
 * Reads results of runs for people. Each person has one at a time, until it has been sent, and of all people one is being read: that takes time of
 * the process, and a connection to the database. Who waits has neither.
 */
export class KeptResults {
  readonly #db: Database;
  readonly #people = new OneAtATime();
  #last: Promise<unknown> = Promise.resolve();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * The details of a run as they are sent, null where it has none any more, or `unreadable`; the place of the person is kept until `free` is called.
   *
   * Fails: 429 when five of this person are under way; 400 when the caller has gone meanwhile
   */
  async hold({ person, runId, schema, isGone }: Wanted): Promise<{ made: WrittenDetails | typeof unreadable | null; free: () => void }> {
    return this.#people.hold(person, () =>
      this.#afterOthers(async () => {
        if (isGone()) throw new HttpError(400, texts.invalidRequest);
        const stored = await findResultParts(this.#db, runId);
        return stored === null ? null : writtenDetails(schema, stored);
      }),
    );
  }

  #afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined); // whoever asked gets the failure
    return done;
  }
}
