import { minuteMs } from '#engine/market/durations.ts';
import type { CcxtClient } from './ccxt-client.ts';

const refreshMs = minuteMs;

/** The newest measurements of this process, by exchange. */
const offsets = new Map<string, number>();

/** How far the clock of this machine is behind each exchange's, in ms, as measured last. */
export function clockOffsets(): ReadonlyMap<string, number> {
  return offsets;
}

/**
 * The exchange's time, as far as it can be known: our clock corrected by the fastest of three measurements.
 *
 * Candles close by the exchange's clock. Where an exchange does not publish its time, our own clock is used.
 */
export class ExchangeClock {
  readonly #client: CcxtClient;
  readonly #exchangeId: string;
  readonly #now: () => number;
  #offset = 0;
  #measuredAt = -Infinity;

  constructor(client: CcxtClient, now: () => number, exchangeId: string = client.id) {
    this.#exchangeId = exchangeId;
    this.#client = client;
    this.#now = now;
  }

  /** Exchange time in ms since the epoch. */
  now(): number {
    return this.#now() + this.#offset;
  }

  /** The exchange has refused a request for its time: the next refresh measures, however new the last measurement is. */
  distrust(): void {
    this.#measuredAt = -Infinity;
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
        offsets.set(this.#exchangeId, this.#offset);
      } catch {
        break; // the known offset stays; requests that need the exchange report the failure
      }
    }
  }
}
