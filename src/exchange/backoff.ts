/** Waiting times between attempts: twice as long each time, slightly random so that clients do not all come back at once. */
export class Backoff {
  readonly #firstMs: number;
  readonly #mostMs: number;
  #attempts = 0;

  constructor(firstMs: number, mostMs: number) {
    this.#firstMs = firstMs;
    this.#mostMs = mostMs;
  }

  /** The time to wait before the next attempt, in ms. */
  next(): number {
    const wait = Math.min(this.#mostMs, this.#firstMs * 2 ** Math.min(this.#attempts, 20));
    this.#attempts += 1;
    return wait * (0.9 + 0.1 * Math.random());
  }

  /** To be called after a success. */
  reset(): void {
    this.#attempts = 0;
  }
}
