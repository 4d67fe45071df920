import type { World } from './world.ts';

/** A process that can be killed, and frozen for a while. */
export class SimProcess {
  readonly #world: World;
  #isAlive = true;
  #frozenUntil = 0;

  constructor(world: World) {
    this.#world = world;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Ends it, as kill -9 does. */
  kill(): void {
    this.#isAlive = false;
  }

  /** Stops it, as SIGSTOP does, until a time. */
  freeze(until: number): void {
    this.#frozenUntil = until;
  }

  /** Does something in this process: later when it is frozen, never when it is dead. */
  do(what: () => void): void {
    if (!this.#isAlive) return;
    const rest = this.#frozenUntil - this.#world.now;
    if (rest > 0) this.#world.after(rest, () => this.do(what));
    else what();
  }

  /** Does something in this process after a while, in ms. */
  after(ms: number, what: () => void): void {
    this.#world.after(ms, () => this.do(what));
  }
}
