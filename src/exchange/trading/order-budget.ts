import { dayMs, minuteMs, secondMs } from '#engine/market/durations.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import { RequestBudget } from '../request-budget.ts';

/** How many orders an account may place in a time, and the header in which the exchange says how many it has counted. */
export interface OrderLimit {
  windowMs: number;
  most: number;
  header: string;
}

/** Binance's limits of orders for each account. Source: `rateLimits` of exchangeInfo */
export const orderLimits: Readonly<Record<'spot' | 'futures', readonly OrderLimit[]>> = {
  spot: [
    { windowMs: 10 * secondMs, most: 100, header: 'X-Mbx-Order-Count-10s' },
    { windowMs: dayMs, most: 200_000, header: 'X-Mbx-Order-Count-1d' },
  ],
  futures: [
    { windowMs: 10 * secondMs, most: 300, header: 'X-Mbx-Order-Count-10s' },
    { windowMs: minuteMs, most: 1_200, header: 'X-Mbx-Order-Count-1m' },
  ],
};

/** An order that leaves a trade or protects one waits so long for its turn at most, in ms. */
const urgentPatienceMs = 5 * secondMs;

/**
 * The orders that one account may place, shared by all of its bots. A fifth is kept for stops and exits, which go first; entries wait for
 * room. Cancelling is not limited.
 */
export class OrderBudget {
  readonly #windows: readonly { limit: OrderLimit; budget: RequestBudget }[];

  constructor(limits: readonly OrderLimit[]) {
    this.#windows = limits.map((limit) => ({ limit, budget: new RequestBudget(limit.most, limit.windowMs) }));
  }

  /** The budget of an account at a market. */
  static of(marketType: MarketType): OrderBudget {
    return new OrderBudget(orderLimits[marketType === 'futures' ? 'futures' : 'spot']);
  }

  /** Waits until an order may be placed; an entry for `entryPatienceMs` at most. Fails: ExchangeError `temporary` when there is no room in time */
  async take(isEntry: boolean, entryPatienceMs: number): Promise<void> {
    const patienceMs = isEntry ? entryPatienceMs : urgentPatienceMs;
    for (const { budget } of this.#windows) await budget.as(isEntry ? 'entry' : 'order', () => budget.take(1, patienceMs));
  }

  /** Takes over what the exchange has counted, and pauses where it says that a limit is reached. */
  heed(status: number, headers: Readonly<Record<string, string>>, body: string): void {
    for (const { limit, budget } of this.#windows) {
      const counted = Number(headers[limit.header]);
      if (Number.isFinite(counted)) budget.correct(counted);
    }
    if (!saysTooManyOrders(status, body)) return;
    const seconds = Number(headers['Retry-After']);
    this.#windows[0]?.budget.pause((Number.isFinite(seconds) && seconds > 0 ? seconds : 10) * secondMs);
  }
}

/** Whether an answer refuses an order because its account has placed too many: that concerns no other account. */
export function saysTooManyOrders(status: number, body: string): boolean {
  return status >= 400 && /"code":\s*-1015\b/u.test(body);
}
