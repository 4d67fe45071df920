import type { Database } from '#storage/database.ts';
import type { DecisionRow } from '#storage/decisions.ts';
import { addDecisions } from '#storage/decisions.ts';

const batch = 2_000;
const mostKept = 200_000;

/**
 * Gathers the decisions of all bots and writes them together a few times a second: at the close of a candle thousands
 * come at once. While the database is down they are kept, up to a limit; the oldest go first.
 */
export class DecisionLog {
  readonly #db: Database;
  readonly #onError: (error: unknown) => void;
  #rows: DecisionRow[] = [];
  #writing: Promise<void> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;

  constructor(db: Database, onError: (error: unknown) => void, everyMs = 200) {
    this.#db = db;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.flush(), everyMs);
  }

  /** Takes a decision to be written soon. */
  add(row: DecisionRow): void {
    this.#rows.push(row);
    if (this.#rows.length > mostKept) this.#rows.splice(0, this.#rows.length - mostKept);
  }

  /** Writes what is there; settles when it is written or has failed for now. */
  flush(): Promise<void> {
    if (this.#rows.length === 0) return this.#writing;
    const before = this.#writing;
    this.#writing = this.#writeAll(before);
    return this.#writing;
  }

  async #writeAll(before: Promise<void>): Promise<void> {
    await before;
    while (this.#rows.length > 0) {
      const rows = this.#rows.slice(0, batch);
      try {
        await addDecisions(this.#db, rows);
      } catch (error) {
        this.#onError(error);
        return; // tried again with the next round
      }
      this.#rows.splice(0, rows.length);
    }
  }

  /** Writes what is there and stops. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
