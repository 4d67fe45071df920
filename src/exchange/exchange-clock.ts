import { minuteMs, secondMs } from '#engine/market/durations.ts';
import type { CcxtClient } from './ccxt-client.ts';

const refreshMs = minuteMs;

/** How soon a measurement that failed is repeated, in ms. */
const retryMs = 5 * secondMs;

/** By how much two clocks of this machine may seem to move apart, in ms: a busy machine may pause between the looks at them. */
const jumpMs = 500;

/** The newest measurements of this process, by exchange. */
const offsets = new Map<string, number>();

/** How far the clock of this machine is behind each exchange's, in ms, as measured last. */
export function clockOffsets(): ReadonlyMap<string, number> {
  return offsets;
}

/** The clocks of this machine, in ms; by default its own. */
export interface MachineClock {
  now?: (() => number) | undefined; // since the epoch; somebody may set it at any time
  pace?: (() => number) | undefined; // since any beginning; nobody sets it, but it may stand still while the machine is suspended. By default that of `now`
}

/**
 * The exchange's time, as far as it can be known: the time by the fastest of three measurements, and what has passed since by the steady
 * clock of this machine. Nobody sets that one, so a wall clock that is set ahead closes no candle early, and one that is set back holds
 * nothing up.
 *
 * The steady clock may have stood still while the machine was suspended: the time is late then, never early, until it is measured again. The
 * next `refresh` does that, because the wall clock is further ahead of the steady one than before. One that was set looks the same.
 *
 * Candles close by the exchange's clock. Where that was never measured, and where an exchange does not publish it, our wall clock is used.
 */
export class ExchangeClock {
  readonly #client: CcxtClient;
  readonly #exchangeId: string;
  readonly #now: () => number;
  readonly #pace: () => number;
  #offset: number | null = null; // how far the steady clock is behind the exchange's, in ms, as measured last
  #lead = -Infinity; // how far the wall clock is ahead of the steady one, in ms, since they were last seen to move apart
  #isKnown = false;
  #nextAt = -Infinity; // when it is measured again, in machine time
  #measuring: Promise<void> | null = null;

  constructor(client: CcxtClient, { now = Date.now, pace = paceOf(now) }: MachineClock = {}, exchangeId: string = client.id) {
    this.#exchangeId = exchangeId;
    this.#client = client;
    this.#now = now;
    this.#pace = pace;
  }

  /** Exchange time in whole ms since the epoch. */
  now(): number {
    return this.#offset === null ? this.#now() : Math.floor(this.#pace() + this.#offset);
  }

  /** The time that is known may be wrong: the next refresh measures, however new the last measurement is. */
  distrust(): void {
    this.#isKnown = false;
    this.#nextAt = -Infinity;
  }

  /**
   * Measures again when the last measurement is older than a minute, has failed five seconds ago, or is from before our clock was set or
   * the machine suspended. Who asks while it is measured waits only when the time was not known before.
   */
  async refresh(): Promise<void> {
    if (this.#client.has['fetchTime'] !== true) return;
    this.#noticeJump();
    const isOthers = this.#measuring !== null;
    if (isOthers && this.#isKnown) return;
    if (!isOthers && performance.now() < this.#nextAt) return;
    this.#measuring ??= this.#measure().finally(() => (this.#measuring = null));
    await this.#measuring;
  }

  /** Each jump is noticed once: one that cannot be measured must not be tried with every refresh. */
  #noticeJump(): void {
    if (this.#pace === this.#now) return; // a clock cannot differ from itself, whatever passes between two looks at it
    const lead = this.#now() - this.#pace();
    if (Math.abs(lead - this.#lead) <= jumpMs) return;
    this.#lead = lead;
    this.distrust();
  }

  async #measure(): Promise<void> {
    this.#nextAt = Infinity; // unless it is distrusted meanwhile
    let shortest = Infinity;
    for (let i = 0; i < 3; i++) {
      try {
        const before = this.#pace();
        const time = await this.#client.fetchTime();
        const after = this.#pace();
        if (time === undefined || after - before >= shortest) continue;
        shortest = after - before;
        this.#offset = time - (before + after) / 2;
        offsets.set(this.#exchangeId, after + this.#offset - this.#now());
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

/** The steady clock beside a wall clock. One that is not the machine's is moved on purpose, as in tests: it is its own, and never seems to be set. */
function paceOf(now: () => number): () => number {
  return now === Date.now ? () => performance.now() : now;
}
