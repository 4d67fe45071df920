import { minuteMs } from '#engine/market/durations.ts';

const pausesMs = [1_000, 2_000, 5_000, 10_000, 30_000, minuteMs] as const;

/** How long a bot must have run without a failure before its earlier failures are forgotten. */
const provenMs = 10 * minuteMs;

/**
 * The failures of a runner's bots, in a row. A bot that has failed rests before it is started again, longer after each
 * failure. That it could be started proves nothing: one whose every write fails starts well each time.
 */
export class Failures {
  readonly #now: () => number;
  readonly #byBot = new Map<string, { count: number; failedAt: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a failure; returns how many there were in a row. */
  add(botId: string): number {
    const earlier = this.#byBot.get(botId);
    const isProven = earlier === undefined || this.#now() - earlier.failedAt >= provenMs;
    const count = isProven ? 1 : earlier.count + 1;
    this.#byBot.set(botId, { count, failedAt: this.#now() });
    return count;
  }

  /** Whether a bot is not to be started now. */
  isResting(botId: string): boolean {
    const failure = this.#byBot.get(botId);
    return failure !== undefined && this.#now() < failure.failedAt + pauseAfter(failure.count);
  }

  /** The bots that are not to be started now; what no longer counts is forgotten. */
  resting(): string[] {
    for (const [id, { failedAt }] of this.#byBot) if (this.#now() - failedAt >= provenMs) this.#byBot.delete(id);
    return [...this.#byBot.keys()].filter((id) => this.isResting(id));
  }
}

/** How long to wait before what has failed `failures` times in a row is tried again, in ms: longer each time, a minute at most. */
export function pauseAfter(failures: number): number {
  return pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0;
}
