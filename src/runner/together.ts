import { setTimeout as sleep } from 'node:timers/promises';

/** How to do pieces of work together, and how to do one alone. */
export interface WorkTogether<In, Out> {
  /** Does several; null for one of which nothing was done, so that it may be tried alone. Fails: when nobody knows */
  all(pieces: readonly In[]): Promise<readonly (Out | null)[]>;
  one(piece: In): Promise<Out>;
  mostAtOnce: number;
}

interface Asked<In, Out> {
  piece: In;
  resolve: (out: Out) => void;
  reject: (error: unknown) => void;
}

/** So many transactions of one kind run at once; what comes meanwhile is the next one's. */
const lanes = 2;

/** The next do not wait longer than this for one that is done alone, in ms. */
const patienceMs = 20;

/**
 * Does the work of many bots in few transactions: what is asked for at about the same time is done together, because the bots of a
 * runner decide in the same moment, when a candle closes. A piece that cannot be done with the others is done alone: one that waits
 * or fails holds up nobody.
 */
export class Together<In, Out> {
  readonly #work: WorkTogether<In, Out>;
  #waiting: Asked<In, Out>[] = [];
  #running = 0;
  #isDue = false; // it is looked at when everything of this moment has been asked for

  constructor(work: WorkTogether<In, Out>) {
    this.#work = work;
  }

  /** Does a piece of work. Fails: as `one`; as `all` when nobody knows whether it was done */
  do(piece: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ piece, resolve, reject });
      this.#later();
    });
  }

  #later(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      while (this.#waiting.length > 0 && this.#running < lanes) void this.#next();
    });
  }

  async #next(): Promise<void> {
    const some = this.#waiting.splice(0, this.#work.mostAtOnce);
    this.#running += 1;
    try {
      const outs = some.length === 1 ? [null] : await this.#work.all(some.map(({ piece }) => piece));
      const rest = some.filter(({ resolve }, i) => {
        const out = outs[i] ?? null;
        if (out !== null) resolve(out);
        return out === null;
      });
      if (rest.length > 0) await Promise.race([Promise.all(rest.map((each) => this.#alone(each))), sleep(patienceMs)]);
    } catch (error) {
      for (const { reject } of some) reject(error);
    } finally {
      this.#running -= 1;
      if (this.#waiting.length > 0) this.#later();
    }
  }

  async #alone({ piece, resolve, reject }: Asked<In, Out>): Promise<void> {
    await this.#work.one(piece).then(resolve, reject);
  }
}
