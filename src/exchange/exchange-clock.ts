import { minuteMs, secondMs } from '#engine/market/durations.ts';
import type { CcxtClient } from './ccxt-client.ts';

const refreshMs = minuteMs;

/** How soon a measurement that failed is repeated, in ms. */
const retryMs = 5 * secondMs;

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
  #isKnown = false;
  #nextAt = -Infinity; // when it is measured again, in machine time
  #measuring: Promise<void> | null = null;

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
    this.#isKnown = false;
    this.#nextAt = -Infinity;
  }

  /**
   * Measures again when the last measurement is older than a minute, or has failed five seconds ago. Who asks while it is measured waits
   * only when the time was not known before.
   */
  async refresh(): Promise<void> {
    if (this.#client.has['fetchTime'] !== true) return;
    const isOthers = this.#measuring !== null;
    if (isOthers && this.#isKnown) return;
    if (!isOthers && performance.now() < this.#nextAt) return;
    this.#measuring ??= this.#measure().finally(() => (this.#measuring = null));
    await this.#measuring;
  }

  async #measure(): Promise<void> {
    this.#nextAt = Infinity; // unless it is distrusted meanwhile
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
    const isMeasured = shortest < Infinity;
    const isDistrusted = this.#nextAt === -Infinity;
    if (isDistrusted) return;
    this.#isKnown ||= isMeasured;
    this.#nextAt = performance.now() + (isMeasured ? refreshMs : retryMs);
  }
}
