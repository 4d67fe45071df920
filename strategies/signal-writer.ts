import { noSignals, type Signals } from '#engine/strategy/strategy.ts';

/**
 * Writes down what a strategy wants, row by row, and hands it over as signals.
 *
 * Signals have one exit tag per row: where a row leaves both sides, the tag written last stands for both.
 */
export class SignalWriter<Tag extends string> {
  readonly #signals: Signals & { enterTag: Uint8Array; exitTag: Uint8Array; confidence: Float64Array };

  constructor(length: number, tags: readonly Tag[], indicators: Readonly<Record<string, Float64Array>>) {
    this.#signals = {
      ...noSignals(length, indicators),
      tags,
      enterTag: new Uint8Array(length),
      exitTag: new Uint8Array(length),
      confidence: new Float64Array(length),
    };
  }

  /** Row `i` enters a long position; confidence is cut to 0..1, and 0 when it is not a number. */
  enterLong(i: number, tag: Tag, confidence: number): void {
    this.#signals.enterLong[i] = 1;
    this.#enter(i, tag, confidence);
  }

  /** Row `i` enters a short position; confidence as for a long one. */
  enterShort(i: number, tag: Tag, confidence: number): void {
    this.#signals.enterShort[i] = 1;
    this.#enter(i, tag, confidence);
  }

  /** Row `i` leaves a long position. */
  exitLong(i: number, tag: Tag): void {
    this.#signals.exitLong[i] = 1;
    this.#signals.exitTag[i] = this.#numberOf(tag);
  }

  /** Row `i` leaves a short position. */
  exitShort(i: number, tag: Tag): void {
    this.#signals.exitShort[i] = 1;
    this.#signals.exitTag[i] = this.#numberOf(tag);
  }

  /** All that was written. */
  signals(): Signals {
    return this.#signals;
  }

  #enter(i: number, tag: Tag, confidence: number): void {
    this.#signals.enterTag[i] = this.#numberOf(tag);
    this.#signals.confidence[i] = Number.isNaN(confidence) ? 0 : Math.min(1, Math.max(0, confidence));
  }

  #numberOf(tag: Tag): number {
    return this.#signals.tags.indexOf(tag) + 1;
  }
}
