import type { Database } from '#storage/database.ts';
import { expect } from 'vitest';
import { lockWaits } from './lock-waits.ts';

/** What came of the second, and whether it has waited for the first. */
interface Outcome<T> {
  hasWaited: boolean;
  value?: T;
  error?: unknown;
}

/** What guards and acts, done by two connections to a database at once. */
export function twoConnections(db: Database) {
  /** Does the second while the transaction of the first has done its work and is still open; ends that when the second waits or is done. */
  async function meets<T>(first: (trx: Database) => Promise<unknown>, second: () => Promise<T>): Promise<Outcome<T>> {
    const outcome: Outcome<T> = { hasWaited: false };
    let isDone = false;
    let work = Promise.resolve();
    await db.transaction().execute(async (trx) => {
      await first(trx);
      work = second()
        .then(
          (value) => void (outcome.value = value),
          (error: unknown) => void (outcome.error = error),
        )
        .finally(() => (isDone = true));
      await expect.poll(async () => isDone || (await lockWaits(db)) > 0).toBe(true);
      outcome.hasWaited = !isDone;
    });
    await work;
    return outcome;
  }

  /** The second has waited for the first, and went well. */
  function expectWaited({ hasWaited, error }: Outcome<unknown>): void {
    expect([hasWaited, error]).toEqual([true, undefined]);
  }
  return { meets, expectWaited };
}
