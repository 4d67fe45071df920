import { AsyncLocalStorage } from 'node:async_hooks';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';

/** What a request is for, most urgent first. */
export const priorities = ['order', 'entry', 'quote', 'start', 'history'] as const;

/** The urgency of a request. */
export type Priority = (typeof priorities)[number];

/**
 * How much of the exchange's limit each urgency may fill. A fifth always stays free for orders that leave a trade or protect it, and some
 * more for entries: the questions of many bots that start must not hold them up until they are too late.
 */
const shares: Record<Priority, number> = { order: 1, entry: 0.8, quote: 0.75, start: 0.7, history: 0.65 };

/** How long a request may wait for its turn before it fails, in ms. */
const patience: Record<Priority, number> = {
  order: 5 * secondMs,
  entry: 5 * secondMs,
  quote: 15 * secondMs,
  start: 10 * minuteMs,
  history: 10 * minuteMs,
};

interface Waiting {
  cost: number;
  priority: Priority;
  until: number;
  go: () => void;
  fail: (error: ExchangeError) => void;
}

/**
 * The requests one address may send to one exchange, shared by all who ask it. The cost of any window, usually sixty seconds, stays
 * within the limit, so it does not matter when the exchange's own begins. Urgent requests go first.
 *
 * Unit: `limit` in the exchange's own cost units per window
 */
export class RequestBudget {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #priority = new AsyncLocalStorage<Priority>();
  #spent: { at: number; cost: number }[] = [];
  #used = 0;
  #waiting: Waiting[] = [];
  #closedUntil = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(limit: number, windowMs = minuteMs) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Runs a task whose requests have this urgency; without it they are quotes. What is a quote elsewhere waits patiently within a `start`. */
  as<Result>(priority: Priority, task: () => Promise<Result>): Promise<Result> {
    const isPartOfStart = priority === 'quote' && this.#priority.getStore() === 'start';
    return this.#priority.run(isPartOfStart ? 'start' : priority, task);
  }

  /**
   * Waits until the request may be sent, as long as its urgency or `patienceMs` allows.
   *
   * Fails: ExchangeError `temporary` when its turn does not come in time
   */
  async take(cost: number, patienceMs?: number): Promise<void> {
    const priority = this.#priority.getStore() ?? 'quote';
    const mostMs = patienceMs ?? patience[priority];
    const now = performance.now();
    const wait = this.#closedUntil - now;
    if (wait > mostMs) throw this.#closed(wait);
    await new Promise<void>((go, fail) => {
      this.#waiting.push({ cost, priority, until: now + mostMs, go, fail });
      this.#serve();
    });
  }

  /** Holds all requests back for a while, as the exchange has asked for. */
  pause(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, performance.now() + ms);
    this.#serve();
  }

  /** How long requests are still held back, in ms; 0 when they are not. */
  closedForMs(): number {
    return Math.max(0, Math.ceil(this.#closedUntil - performance.now()));
  }

  /** How much of the limit of a window is used, as a ratio. */
  usedRatio(): number {
    this.#forgetOld(performance.now());
    return this.#used / this.#limit;
  }

  /** Takes over what the exchange has counted: others may use the same address. */
  correct(usedByExchange: number): void {
    this.#forgetOld(performance.now());
    if (usedByExchange > this.#used) this.#spend(usedByExchange - this.#used);
  }

  #serve(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const now = performance.now();
    this.#forgetOld(now);
    this.#dropImpatient(now);
    let sooner = now + 250;
    for (const priority of priorities) {
      for (const request of this.#waiting.filter((waiting) => waiting.priority === priority)) {
        if (now < this.#closedUntil) sooner = this.#closedUntil;
        else if (this.#fits(request)) {
          this.#waiting.splice(this.#waiting.indexOf(request), 1);
          this.#spend(request.cost);
          request.go();
          continue;
        }
        break; // first come, first served within one urgency
      }
    }
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#serve(), Math.min(secondMs, Math.max(5, sooner - now)));
  }

  /** A request dearer than its whole share may go when nothing else was spent. */
  #fits({ cost, priority }: Waiting): boolean {
    return this.#used === 0 || this.#used + cost <= this.#limit * shares[priority];
  }

  #spend(cost: number): void {
    this.#spent.push({ at: performance.now(), cost });
    this.#used += cost;
  }

  #forgetOld(now: number): void {
    let old = 0;
    while (old < this.#spent.length && this.#spent[old]!.at <= now - this.#windowMs) this.#used -= this.#spent[old++]!.cost;
    if (old > 0) this.#spent.splice(0, old);
    if (this.#spent.length === 0) this.#used = 0; // no rounding is carried on
  }

  #dropImpatient(now: number): void {
    for (const request of this.#waiting.filter(({ until }) => until <= now)) {
      this.#waiting.splice(this.#waiting.indexOf(request), 1);
      request.fail(
        now < this.#closedUntil
          ? this.#closed(this.#closedUntil - now)
          : new ExchangeError('temporary', 'The request budget of the exchange is used up at the moment.', { retryAfterMs: secondMs }),
      );
    }
  }

  #closed(wait: number): ExchangeError {
    const seconds = Math.ceil(wait / secondMs);
    return new ExchangeError('temporary', `The exchange has asked to send nothing for another ${seconds} s.`, {
      retryAfterMs: Math.ceil(wait),
    });
  }
}
