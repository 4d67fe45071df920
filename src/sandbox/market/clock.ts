/** The clock of the simulated market. */
export interface SandboxClock {
  /** Market time in ms since the epoch. */
  now(): number;
  /** How many milliseconds of market pass in a millisecond. */
  readonly factor: number;
  /** Lets the market run faster or slower from now on; 0 freezes it. */
  setFactor(factor: number): void;
  /** Moves the market forward at once. */
  advance(ms: number): void;
}

/**
 * A clock that starts at `startTime` and runs `factor` times as fast as the machine's.
 *
 * Without a start time it shows the machine's time. It reads a clock that never jumps, so a correction of the
 * machine's time does not tear the market.
 */
export function sandboxClock(options: { startTime?: number | undefined; factor?: number | undefined } = {}): SandboxClock {
  let base = options.startTime ?? Date.now();
  let since = performance.now();
  let factor = options.factor ?? 1;
  const now = () => Math.floor(base + (performance.now() - since) * factor);
  const rebase = (time: number) => {
    base = time;
    since = performance.now();
  };
  return {
    now,
    get factor() {
      return factor;
    },
    setFactor(next) {
      rebase(now());
      factor = next;
    },
    advance: (ms) => rebase(now() + ms),
  };
}
