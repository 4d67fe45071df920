/** How a calculation that waits is handled. */
export interface Waiting<T> {
  patienceMs: number; // one that has not begun after so long is not made
  late: () => T; // what is answered then
  canWait?: boolean; // until the person has no other
}

/** A calculation that waits for its turn. */
export interface Waits<T> {
  answer: Promise<T>;
  /** It waits among those of this person too, and is made at whichever turn comes first. */
  alsoFor(person: string): void;
}

interface Calculation {
  waitingIn: Set<string>; // the people at whose turn it is made
  canWait: boolean;
  make: () => void;
}

interface Share {
  waiting: Set<Calculation>; // oldest first
  canWait: Set<Calculation>; // oldest first; after the others
  creditMs: number; // processor time; below 0 where a calculation took more than was left
  isCut: boolean; // its turn continues with the next pass
}

/** So much is calculated, in ms of processor time, before timers and sockets are served: orders, prices and the lease wait no longer than that. */
const passMs = 10;

/** What a person may use at each turn, in ms of processor time. */
const turnMs = 5;

/**
 * Whose calculation is made when. As long as there is little to do, each is made at once. Else they wait, and the people take turns: nobody's
 * wait for all of somebody else's, and everybody is given the same processor time, however much each of theirs takes.
 *
 * Source: deficit round robin (Shreedhar and Varghese, 1995), with people in place of flows
 */
export class Turns {
  readonly #now: () => number;
  readonly #processorMs: () => number;
  readonly #shares = new Map<string, Share>(); // of the people for whom anything waits, in the sequence of their turns
  #usedMs = 0; // since timers and sockets were served
  #isToContinue = false;

  /** `now` is in ms and never goes back, `processorMs` the processor time that this thread has used. */
  constructor(now = () => performance.now(), processorMs = threadMs) {
    this.#now = now;
    this.#processorMs = processorMs;
  }

  /** Makes a calculation for `people` at once, or when it is the turn of one of them. One that fails throws, or its answer is rejected. */
  take<T>(
    people: Iterable<string>,
    work: () => T | Promise<T>,
    { patienceMs, late, canWait = false }: Waiting<T>,
  ): { now: T | Promise<T> } | Waits<T> {
    if (this.#shares.size === 0 && this.#usedMs < passMs) {
      const started = this.#processorMs();
      try {
        return { now: work() };
      } finally {
        this.#used(this.#processorMs() - started);
      }
    }
    const until = this.#now() + patienceMs;
    const { promise: answer, resolve, reject } = Promise.withResolvers<T>();
    const make = (): void => {
      try {
        resolve(this.#now() > until ? late() : work());
      } catch (error) {
        reject(error);
      }
    };
    const calculation = { waitingIn: new Set<string>(), canWait, make };
    const alsoFor = (person: string): void => {
      if (calculation.waitingIn.size > 0) this.#wait(calculation, person);
    };
    for (const person of people) this.#wait(calculation, person);
    this.#soon();
    return { answer, alsoFor };
  }

  #wait(calculation: Calculation, person: string): void {
    const share = this.#shares.get(person) ?? { waiting: new Set(), canWait: new Set(), creditMs: 0, isCut: false };
    listOf(share, calculation).add(calculation);
    calculation.waitingIn.add(person);
    this.#shares.set(person, share);
  }

  #used(ms: number): void {
    this.#usedMs += ms;
    this.#soon();
  }

  #soon(): void {
    if (this.#isToContinue) return;
    this.#isToContinue = true;
    setImmediate(() => {
      this.#isToContinue = false;
      this.#usedMs = 0;
      this.#pass();
    });
  }

  #pass(): void {
    for (;;) {
      const [turn] = this.#shares;
      if (turn === undefined) return;
      if (this.#usedMs >= passMs) return this.#soon();
      const [person, share] = turn;
      if (!share.isCut) share.creditMs = Math.min(turnMs, share.creditMs + turnMs);
      this.#turn(share);
      share.isCut = share.creditMs > 0 && this.#shares.has(person);
      // Whoever has more comes back after all others.
      if (share.isCut || !this.#shares.delete(person)) continue;
      this.#shares.set(person, share);
    }
  }

  #turn(share: Share): void {
    while (share.creditMs > 0 && this.#usedMs < passMs) {
      const [calculation = share.canWait.values().next().value] = share.waiting;
      if (calculation === undefined) return;
      for (const person of calculation.waitingIn) this.#leave(person, calculation);
      const started = this.#processorMs();
      calculation.make();
      const ms = this.#processorMs() - started;
      share.creditMs -= ms;
      this.#used(ms);
    }
  }

  #leave(person: string, calculation: Calculation): void {
    const share = this.#shares.get(person);
    calculation.waitingIn.delete(person);
    if (share === undefined) return;
    listOf(share, calculation).delete(calculation);
    if (share.waiting.size + share.canWait.size === 0) this.#shares.delete(person);
  }
}

function listOf(share: Share, { canWait }: Calculation): Set<Calculation> {
  return canWait ? share.canWait : share.waiting;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
