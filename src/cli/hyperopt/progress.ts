import { lossText } from './epoch-text.ts';
import type { EpochRecord } from './results-file.ts';

/** The line is written at most so often. */
const everyMs = 200;

/** A line on the standard error that says how far a study is. */
export class Progress {
  readonly #isShown: boolean;
  readonly #epochs: number;
  readonly #begunAt = performance.now();
  #shownAt = 0;
  #isOnScreen = false;
  #best: EpochRecord | null = null;

  constructor(isShown: boolean, epochs: number) {
    this.#isShown = isShown;
    this.#epochs = epochs;
  }

  /** Counts an epoch. */
  epoch(record: EpochRecord): void {
    if (record.isBest) this.#best = record;
    const now = performance.now();
    if (!this.#isShown || now - this.#shownAt < everyMs) return;
    this.#shownAt = now;
    const perSecond = record.epoch / ((now - this.#begunAt) / 1_000);
    const of = this.#epochs === Number.MAX_SAFE_INTEGER ? '' : `/${this.#epochs}`;
    const best = this.#best === null ? '' : `, best ${this.#best.epoch} (${lossText(this.#best.loss ?? 0)})`;
    process.stderr.write(`\r\u001B[K${record.epoch}${of} epochs, ${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s${best}`);
    this.#isOnScreen = true;
  }

  /** Takes the line away. */
  clear(): void {
    if (!this.#isOnScreen) return;
    process.stderr.write('\r\u001B[K');
    this.#isOnScreen = false;
  }
}
