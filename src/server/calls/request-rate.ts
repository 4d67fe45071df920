import { minuteMs } from '#engine/market/durations.ts';
import { texts } from '#contract/errors.ts';
import { HttpError } from '../http/http-error.ts';

const mostReads = 1_200;
const mostWrites = 120;

/** Counts the calls of each signed-in person in the current minute, in this process. */
export class RequestRate {
  #minute = 0;
  #counts = new Map<string, number>();

  /** Counts a call; fails with 429 when it is one too many. */
  spend(userId: string, isWrite: boolean, nowMs: number): void {
    const current = Math.floor(nowMs / minuteMs);
    if (current !== this.#minute) {
      this.#minute = current;
      this.#counts = new Map();
    }
    const key = `${isWrite ? 'write' : 'read'} ${userId}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count > (isWrite ? mostWrites : mostReads)) {
      throw new HttpError(429, texts.tooManyRequests, { retryAfterSeconds: Math.ceil(((current + 1) * minuteMs - nowMs) / 1000) });
    }
  }
}
