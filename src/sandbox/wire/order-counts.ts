import { minuteMs, secondMs } from '#engine/market/durations.ts';
import type { SandboxMarket } from '../market/listings.ts';

/** How many orders an account may send in 10 seconds and in a minute. */
export const orderLimits: Readonly<Record<SandboxMarket, readonly [tenSeconds: number, minute: number]>> = {
  spot: [100, 1200],
  futures: [300, 1200],
};

/** How many orders an account has sent in the running windows of machine time. */
export interface OrderCount {
  tenSeconds: number;
  minute: number;
  retryAfterSeconds: number; // 0 when the order is allowed
}

/** Counts the orders of each account. One over the limit is not counted. */
export class OrderCounts {
  readonly #limits: readonly [number, number];
  readonly #counts = new Map<string, { window: number; sent: number }>();

  constructor(limits: readonly [number, number]) {
    this.#limits = limits;
  }

  count(account: string, now: number): OrderCount {
    const windows = [10 * secondMs, minuteMs].map((length) => this.#entry(account, length, now));
    const full = windows.findLast(({ sent }, i) => sent >= (this.#limits[i] ?? 0));
    if (full === undefined) for (const window of windows) window.sent += 1;
    const [tenSeconds = 0, minute = 0] = windows.map(({ sent }) => sent);
    const wait = full === undefined ? 0 : Math.max(1, Math.ceil(((full.window + 1) * full.length - now) / secondMs));
    return { tenSeconds, minute, retryAfterSeconds: wait };
  }

  #entry(account: string, length: number, now: number): { window: number; length: number; sent: number } {
    const window = Math.floor(now / length);
    const key = `${account} ${length}`;
    const before = this.#counts.get(key);
    const entry = before?.window === window ? before : { window, sent: 0 };
    this.#counts.set(key, entry);
    return Object.assign(entry, { length });
  }
}
