/** Counts answers missed in a row, of something that has to answer again and again. */
export class MissCount {
  readonly #most: number;
  #count = 0;

  /** `most` is how many in a row may be missed. */
  constructor(most: number) {
    this.#most = most;
  }

  /** An answer came: earlier misses no longer count. */
  reset(): void {
    this.#count = 0;
  }

  /** One more answer is missing; returns whether too many are missing now. */
  miss(): boolean {
    this.#count += 1;
    return this.#count > this.#most;
  }
}
