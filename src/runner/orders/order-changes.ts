import { follows, isFinal } from '#engine/account/order-life.ts';
import type { OrderState } from '#engine/account/order-life.ts';
import { ExchangeError, NotListed } from '#engine/ports/exchange-error.ts';
import type { Trading, VenueOrder } from '#engine/ports/trading.ts';
import type { OrderChange } from '#storage/orders/order-outbox.ts';
import type { LiveOrder } from './live-order.ts';
import { fillOf } from './live-order.ts';
import type { OrderTimes } from './order-times.ts';

/** What noting the changes of an order needs. */
export interface ChangeDependencies {
  trading: Trading;
  times: OrderTimes;
  now: () => number;
  /** Something about the order is new: its state, or its fills. */
  onNews: (order: LiveOrder) => void;
  /** The exchange refuses what is asked about the order, or the key that asks; once for each reason. */
  onRefused: (order: LiveOrder, error: ExchangeError) => void;
}

/** What becomes known of an order: taken in from the exchange, written to the disk, and only then reported to its bot. */
export class OrderChanges {
  readonly #on: ChangeDependencies;

  constructor(dependencies: ChangeDependencies) {
    this.#on = dependencies;
  }

  /** Takes in what the exchange says of the order: its state where that is not an old one, and its fills. */
  async take(order: LiveOrder, reported: VenueOrder): Promise<void> {
    const { stored } = order;
    const { now, times } = this.#on;
    order.confirm(now());
    let failure: unknown = null;
    // First its fills, so that their average price is written with what they came to.
    if (order.lacks(reported.filled)) {
      try {
        await this.fetchFills(order);
      } catch (error) {
        if (kindOf(error) === null) throw error;
        failure = error;
      }
    }
    const path = pathTo(stored.state, reported.state);
    if (path.length > 0 || reported.filled > stored.filled)
      await this.write(order, path, { exchangeOrderId: reported.exchangeOrderId, filled: Math.max(reported.filled, stored.filled) }, false);
    const isDue = isFinal(stored.state) || order.isToCancel(now()) || order.isDoubtful;
    order.dueAt = isDue ? now() : now() + times.checkOpen;
    if (failure !== null) this.postpone(order, failure);
    this.#on.onNews(order);
  }

  /** Takes in the fills that the exchange lists of the order. Fails: ExchangeError */
  async fetchFills(order: LiveOrder): Promise<void> {
    const { trading, times } = this.#on;
    const { stored } = order;
    if (order.fillCursor === undefined) {
      // A fill well before the order was decided on belongs to another; that time is this machine's, the fills have the exchange's.
      order.fillCursor = await order.store.fillBefore(order.id, stored.symbol, stored.plannedAt - times.clockOff);
    }
    for (const fill of await trading.fillsSince(stored.symbol, order.fillCursor))
      if (fill.clientOrderId === order.id) order.fills.set(fill.id, fillOf(fill));
  }

  /** Writes the states an order passes, with what is known of it then; what is on the disk already is read instead. */
  async write(order: LiveOrder, path: readonly OrderState[], facts: Partial<OrderChange>, tellsBot = true): Promise<void> {
    const { stored } = order;
    const isWritten = await order.store.change(order.id, { ...facts, path, from: stored.state, averagePrice: order.averagePrice() });
    if (!isWritten) return await this.reload(order);
    stored.state = path.at(-1) ?? stored.state;
    if (isFinal(stored.state)) stored.endedAt ??= this.#on.now();
    stored.filled = facts.filled ?? stored.filled;
    if (tellsBot) this.#on.onNews(order);
  }

  /** The disk knows better: a write of which no answer came was done after all. */
  async reload(order: LiveOrder): Promise<void> {
    const found = (await order.store.orders([order.id])).find(({ clientOrderId }) => clientOrderId === order.id);
    const { now, times } = this.#on;
    const { plannedAt } = order.stored; // the disk may have times of a clock that was set back since
    if (found !== undefined)
      Object.assign(order.stored, found, {
        plannedAt,
        expiresAt: found.expiresAt === null ? null : Math.min(found.expiresAt, now() + times.expiry),
      });
    order.dueAt = now();
  }

  /**
   * What an exchange has failed to do is tried again later, not before it said. What it refuses, and what is asked with a key that it
   * refuses, is asked less often: of an order that only stands, or cannot be asked about at all, as seldom as an open order is
   * checked. A trade that waits for the answer is not left alone for so long. A failure of our own is thrown on.
   */
  postpone(order: LiveOrder, error: unknown = null): void {
    const { now, times, onRefused } = this.#on;
    order.dueAt = now() + times.retry;
    if (error === null) return;
    if (!(error instanceof ExchangeError)) throw error;
    const isRefused = error.kind === 'rejected' || error.kind === 'unauthorised';
    const pause = order.isQuiet || error instanceof NotListed ? times.checkOpen : times.retryRefused;
    order.dueAt = now() + Math.max(error.retryAfterMs ?? 0, isRefused ? pause : times.retry);
    if (isRefused && order.failure?.error.message !== error.message) onRefused(order, error);
    order.failure = { error };
  }
}

/** The states between where an order is and where the exchange says it is; none when that is where it was before. */
function pathTo(from: OrderState, to: VenueOrder['state']): OrderState[] {
  // The exchange lists as refused what it had taken before: for us it was cancelled.
  const end = to === 'refused' && from !== 'sent' ? 'cancelled' : to;
  if (from === end || isFinal(from) || (from === 'cancel-pending' && end === 'open')) return [];
  if (from === 'planned') return ['sent', ...pathTo('sent', end)];
  return follows(from, end) ? [end] : ['open', end];
}

/** What an exchange's failure means; null for a failure of our own. */
export function kindOf(error: unknown): ExchangeError['kind'] | null {
  return error instanceof ExchangeError ? error.kind : null;
}
