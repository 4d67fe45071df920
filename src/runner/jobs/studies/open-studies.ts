import { requireStudy } from '#storage/studies/studies.ts';
import type { BacktestDependencies } from '../backtest-dependencies.ts';
import { OpenStudy } from './open-study.ts';
import { unlessAborted } from './unless-aborted.ts';

/** So many studies are kept open: their candles and threads are in memory. */
const mostOpen = 3;

/** One that was not used for so long is closed. */
const idleMs = 20_000;

interface Entry {
  study: Promise<OpenStudy>;
  closed: AbortController; // ends what is done with it
  uses: number;
  usedAt: number;
}

/** The studies that a worker has open: opening one loads its candles and its strategy, so it stays open between batches. */
export class OpenStudies {
  readonly #dependencies: BacktestDependencies;
  readonly #threads: number;
  readonly #entries = new Map<string, Entry>();
  readonly #tidying: NodeJS.Timeout;
  #isClosed = false;

  constructor(dependencies: BacktestDependencies, threads: number) {
    this.#dependencies = dependencies;
    this.#threads = threads;
    this.#tidying = setInterval(() => void this.#closeIdle(Date.now() - idleMs), idleMs / 4);
  }

  /**
   * Does something with a study. Null: the signal was aborted, or the study closed, before there was an answer.
   * Fails: as opening it, and as `work`
   */
  async use<Result>(
    id: string,
    signal: AbortSignal,
    work: (study: OpenStudy, signal: AbortSignal) => Promise<Result | null>,
  ): Promise<Result | null> {
    // A batch that was claimed while the worker closes: nobody would wait for what is opened now, and its database is soon gone.
    if (signal.aborted || this.#isClosed) return null;
    const entry = this.#entries.get(id) ?? this.#open(id);
    const over = AbortSignal.any([signal, entry.closed.signal]);
    entry.uses += 1;
    try {
      const study = await unlessAborted(over, entry.study);
      return study === null ? null : await work(study, over);
    } catch (error) {
      await this.#close(id, entry); // its threads may be what has failed
      throw error;
    } finally {
      entry.uses -= 1;
      entry.usedAt = Date.now();
    }
  }

  /** Closes a study, whoever uses it: it is of no more use. */
  async drop(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry !== undefined) await this.#close(id, entry);
  }

  /** Closes all; nothing is opened any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#tidying);
    await Promise.all([...this.#entries.keys()].map((id) => this.drop(id)));
  }

  /** Closes one that was opened, and not one that was opened after it. */
  async #close(id: string, entry: Entry): Promise<void> {
    if (this.#entries.get(id) === entry) this.#entries.delete(id);
    entry.closed.abort();
    await entry.study.then((study) => study.close()).catch(() => {}); // what could not be opened need not be closed
  }

  #open(id: string): Entry {
    const closed = new AbortController();
    const open = async (): Promise<OpenStudy> =>
      OpenStudy.open(this.#dependencies, await requireStudy(this.#dependencies.db, id), 'studied', this.#threads, closed.signal);
    const entry = { study: open(), closed, uses: 0, usedAt: Date.now() };
    this.#entries.set(id, entry);
    const idle = [...this.#entries].filter(([, { uses }]) => uses === 0).toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [other] of idle.slice(0, Math.max(0, this.#entries.size - mostOpen))) if (other !== id) void this.drop(other);
    return entry;
  }

  async #closeIdle(before: number): Promise<void> {
    const idle = [...this.#entries].filter(([, { uses, usedAt }]) => uses === 0 && usedAt < before);
    await Promise.all(idle.map(([id]) => this.drop(id)));
  }
}
