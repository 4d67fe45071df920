import { minuteMs } from '#engine/market/durations.ts';
import type { CcxtClient } from './ccxt-client.ts';

const refreshMs = minuteMs;

/**
 * The exchange's time, as far as it can be known: our clock corrected by the fastest of three measurements.
 *
 * Candles close by the exchange's clock. Where an exchange does not publish its time, our own clock is used.
 */
export class ExchangeClock {
  readonly #client: CcxtClient;
  readonly #now: () => number;
  #offset = 0;
  #measuredAt = -Infinity;

  constructor(client: CcxtClient, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /** Exchange time in ms since the epoch. */
  now(): number {
    return this.#now() + this.#offset;
  }

  /** Measures again when the last measurement is older than a minute. */
  async refresh(): Promise<void> {
    if (this.#client.has['fetchTime'] !== true || performance.now() - this.#measuredAt < refreshMs) return;
    this.#measuredAt = performance.now();
    let shortest = Infinity;
    for (let i = 0; i < 3; i++) {
      try {
        const before = this.#now();
        const time = await this.#client.fetchTime();
        const after = this.#now();
        if (time === undefined || after - before >= shortest) continue;
        shortest = after - before;
        this.#offset = time - (before + after) / 2;
      } catch {
        break; // the known offset stays; requests that need the exchange report the failure
      }
    }
  }
}
