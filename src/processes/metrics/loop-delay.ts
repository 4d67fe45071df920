const everyMs = 20;

/** Measures how late the event loop of this process is; a timer that comes late was held up by other work. */
export class LoopDelay {
  readonly #timer: NodeJS.Timeout;
  #lastAt = performance.now();
  #longestMs = 0;

  constructor() {
    this.#timer = setInterval(() => this.#measure(), everyMs).unref();
  }

  /** The longest delay since this was asked last, in ms. */
  takeLongestMs(): number {
    this.#measure();
    const longest = this.#longestMs;
    this.#longestMs = 0;
    return longest;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #measure(): void {
    const at = performance.now();
    this.#longestMs = Math.max(this.#longestMs, at - this.#lastAt - everyMs);
    this.#lastAt = at;
  }
}
