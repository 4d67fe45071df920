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
  #writing: Promise<void> | null = null;
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
  async flush(): Promise<void> {
    // One at a time: what comes meanwhile is written by the one under way, or by the next.
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = null));
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#rows.length > 0) {
      const rows = this.#rows.splice(0, batch);
      try {
        await addDecisions(this.#db, rows);
      } catch (error) {
        this.#rows.unshift(...rows);
        this.#onError(error);
        return; // tried again with the next round
      }
    }
  }

  /** Writes what is there and stops. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
