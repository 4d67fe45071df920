import { errorText } from '#engine/ports/error-text.ts';
import type { Database } from '#storage/database.ts';
import type { DecisionRow } from '#storage/bots/decisions.ts';
import { addDecisions } from '#storage/bots/decisions.ts';
import { refusesData } from '#storage/refuses-data.ts';

/** How decisions are gathered. */
export interface DecisionLogLimits {
  everyMs: number; // between two writes
  batch: number; // how many are written at a time
  mostKept: number; // how many may wait for the database
}

const defaultLimits: DecisionLogLimits = { everyMs: 200, batch: 2_000, mostKept: 200_000 };

/**
 * Gathers the decisions of all bots and writes them together a few times a second: at the close of a candle thousands
 * come at once. While the database is down they are kept, up to a limit; beyond it the oldest are dropped. One that the
 * database refuses is reported and dropped: it would hold up those of all bots.
 */
export class DecisionLog {
  readonly #db: Database;
  readonly #onError: (error: unknown) => void;
  readonly #limits: DecisionLogLimits;
  #rows: DecisionRow[] = []; // oldest first
  #writing: Promise<void> | null = null;
  readonly #timer: NodeJS.Timeout;

  constructor(db: Database, onError: (error: unknown) => void, limits: Partial<DecisionLogLimits> = {}) {
    this.#db = db;
    this.#onError = onError;
    this.#limits = { ...defaultLimits, ...limits };
    this.#timer = setInterval(() => void this.flush(), this.#limits.everyMs);
  }

  /** Accepts a decision, to be written soon. */
  add(row: DecisionRow): void {
    this.#rows.push(row);
    this.#dropOldest();
  }

  /** Writes what is there; settles when it is written or has failed for now. */
  async flush(): Promise<void> {
    // One at a time: what comes meanwhile is written by the one under way, or by the next.
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = null));
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#rows.length > 0) {
      const rows = this.#rows.splice(0, this.#limits.batch);
      try {
        await this.#write(rows);
      } catch (error) {
        this.#rows.unshift(...rows);
        this.#dropOldest();
        this.#onError(error);
        return; // tried again with the next round
      }
    }
  }

  /** Writes decisions; when one of them is refused, in halves, until that one is alone. */
  async #write(rows: readonly DecisionRow[]): Promise<void> {
    try {
      await addDecisions(this.#db, rows);
    } catch (error) {
      if (!refusesData(error)) throw error;
      if (rows.length > 1) {
        const middle = Math.ceil(rows.length / 2);
        await this.#write(rows.slice(0, middle));
        await this.#write(rows.slice(middle));
        return;
      }
      for (const { botId, symbol, candleTime } of rows)
        this.#onError(
          new Error(`A decision of bot ${botId} on ${symbol} at ${candleTime} is not kept: ${errorText(error)}`, { cause: error }),
        );
    }
  }

  #dropOldest(): void {
    const surplus = this.#rows.length - this.#limits.mostKept;
    if (surplus > 0) this.#rows.splice(0, surplus);
  }

  /** Writes what is there and stops. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
