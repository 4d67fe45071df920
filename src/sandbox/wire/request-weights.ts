import { minuteMs, secondMs } from '#engine/market/durations.ts';
import type { SandboxMarket } from '../market/listings.ts';

/** The state of an address's budget after a request. */
export interface WeightVerdict {
  used: number; // in the running minute
  status: 200 | 429 | 418;
  retryAfterSeconds: number; // 0 when allowed
}

/**
 * The weight that one address may use up per minute on each market: ten times that of the real exchange, because all
 * programs of this machine are one address, and a year of candles is loaded in seconds and not in minutes.
 */
export const defaultWeightLimits: Record<SandboxMarket, number> = { spot: 60_000, futures: 24_000 };

/**
 * Counts request weight per minute of machine time. Over the limit the answer is 429; an address that keeps
 * sending is banned with 418.
 */
export class RequestWeights {
  readonly #limit: number;
  #minute = 0;
  #used = 0;
  #refused = 0;
  #bannedUntil = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a request at machine time `now` (ms). */
  count(weight: number, now: number): WeightVerdict {
    const minute = Math.floor(now / minuteMs);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#used = 0;
      this.#refused = 0;
    }
    if (now < this.#bannedUntil) return this.#refuse(418, this.#bannedUntil, now);
    this.#used += weight;
    if (this.#used <= this.#limit) return { used: this.#used, status: 200, retryAfterSeconds: 0 };
    this.#refused += 1;
    if (this.#refused > 20) {
      this.#bannedUntil = now + 2 * minuteMs;
      return this.#refuse(418, this.#bannedUntil, now);
    }
    return this.#refuse(429, (minute + 1) * minuteMs, now);
  }

  /** Adds the work that an answer has taken, known only afterwards; gives what is used in the running minute. */
  charge(weight: number, now: number): number {
    if (Math.floor(now / minuteMs) === this.#minute) this.#used += weight;
    return this.#used;
  }

  #refuse(status: 429 | 418, until: number, now: number): WeightVerdict {
    return { used: this.#used, status, retryAfterSeconds: Math.max(1, Math.ceil((until - now) / secondMs)) };
  }
}
