/** What waits for a place. */
interface Waiting {
  go: (leave: () => void) => void;
  fail: (reason: unknown) => void;
}

/** The queue for the places is full. */
export class NoPlace extends Error {}

/** So many may work at a time; so many more may wait for it, first come, first served. */
export class Places {
  readonly #most: number;
  readonly #mostWaiting: number;
  #taken = 0;
  readonly #waiting: Waiting[] = [];

  constructor(most: number, mostWaiting: number) {
    this.#most = most;
    this.#mostWaiting = mostWaiting;
  }

  /** Takes a place, which the returned function gives back. Fails: `NoPlace`; with the signal's reason when it ends before */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#taken < this.#most) return this.#enter();
    if (this.#waiting.length >= this.#mostWaiting) throw new NoPlace();
    return new Promise((go, fail) => {
      const waiting = { go, fail };
      const leaveQueue = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        fail(signal.reason);
      };
      signal.addEventListener('abort', leaveQueue, { once: true });
      waiting.go = (leave) => {
        signal.removeEventListener('abort', leaveQueue);
        go(leave);
      };
      this.#waiting.push(waiting);
    });
  }

  #enter(): () => void {
    this.#taken += 1;
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#taken -= 1;
      this.#waiting.shift()?.go(this.#enter());
    };
  }
}
