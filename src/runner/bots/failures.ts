import { minuteMs, secondMs } from '#engine/market/durations.ts';

const pausesMs = [1_000, 2_000, 5_000, 10_000, 30_000, minuteMs] as const;

/** How long a bot must have run without a failure before its earlier failures are forgotten. */
const provenMs = 10 * minuteMs;

/** How long a bot rests after a failure that was not its own. */
const notItsOwnMs = secondMs;

interface Failure {
  count: number; // in a row
  failedAt: number; // the newest that counts
  restsFrom: number;
  restsMs: number;
  changedAt: string; // when people had last changed the bot that failed, and its strategy
  isChanged: boolean; // since then
}

/**
 * The failures of a runner's bots, in a row. A bot that has failed rests before it is started again, longer after each
 * failure. That it could be started proves nothing: one whose every write fails starts well each time. One that people change
 * rests no longer: what made it fail may be mended, and a stop must not wait.
 */
export class Failures {
  readonly #now: () => number;
  readonly #byBot = new Map<string, Failure>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a failure of a bot as people had last changed it at `changedAt`; returns how many there were in a row. */
  add(botId: string, changedAt: string): number {
    const earlier = this.#byBot.get(botId);
    const isProven = earlier === undefined || this.#now() - earlier.failedAt >= provenMs;
    const count = isProven ? 1 : earlier.count + 1;
    this.#rest(botId, pauseAfter(count), { count, failedAt: this.#now(), changedAt });
    return count;
  }

  /** Has a bot rest for a moment after a failure that was not its own and does not count: the database was away. */
  rest(botId: string, changedAt: string): void {
    const { count, failedAt } = this.#byBot.get(botId) ?? { count: 0, failedAt: -Infinity };
    if (!this.isResting(botId)) this.#rest(botId, notItsOwnMs, { count, failedAt, changedAt });
  }

  #rest(botId: string, restsMs: number, failure: Pick<Failure, 'count' | 'failedAt' | 'changedAt'>): void {
    this.#byBot.set(botId, { ...failure, restsFrom: this.#now(), restsMs, isChanged: false });
  }

  /** Whether a bot is not to be started now. */
  isResting(botId: string): boolean {
    const failure = this.#byBot.get(botId);
    if (failure === undefined || failure.isChanged) return false;
    const since = this.#now() - failure.restsFrom;
    return since >= 0 && since < failure.restsMs; // a clock that was set back ends the rest
  }

  /** Ends the rest of a bot that people have changed since it failed; the failures still count. */
  noteChange(botId: string, changedAt: string): void {
    const failure = this.#byBot.get(botId);
    if (failure !== undefined && failure.changedAt !== changedAt) failure.isChanged = true;
  }

  /** The bots that are not to be started now. */
  resting(): string[] {
    return [...this.#byBot.keys()].filter((id) => this.isResting(id));
  }
}

/** How long to wait before what has failed `failures` times in a row is tried again, in ms: longer each time, a minute at most. */
export function pauseAfter(failures: number): number {
  return pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0;
}
