import type { OrderState } from '#engine/account/order-life.ts';
import type { Database } from '#storage/database.ts';
import type { EntryRefusal, OrderChange, Sending, SendPermit, StoredOrder } from '#storage/orders/order-outbox.ts';
import type { OrderClock } from '#storage/orders/order-outbox.ts';
import { changeOrder, entryRefusal, markSent, markSentTogether, newestFillBefore, readOrders } from '#storage/orders/order-outbox.ts';
import type { Holder } from '#storage/bots/runners.ts';
import { Together } from '../together.ts';

/**
 * The orders of one bot in a durable store. Each write is one transaction that first makes sure that the bot is still this
 * runner's; it is on the disk when the promise settles.
 *
 * Fails: `Fenced` when the bot is another runner's
 */
export interface OrderStore {
  /** All orders that have not ended, and those of these ids. */
  orders(ids: readonly string[]): Promise<StoredOrder[]>;
  /** Marks a planned order as sent, with an expiry that ends before the bot can be another runner's. */
  send(clientOrderId: string, isEntry: boolean, expiryMs: number): Promise<SendPermit>;
  /** Why a planned entry would not be marked as sent now; null when nothing stands against it. */
  entryRefusal(clientOrderId: string): Promise<EntryRefusal | null>;
  /** Changes an order's row; false when it is no longer in the state it was in. */
  change(clientOrderId: string, change: OrderChange): Promise<boolean>;
  /** The newest fill of a symbol before a time, in ms, and of another order than this one; null when there is none. */
  fillBefore(clientOrderId: string, symbol: string, time: number): Promise<string | null>;
}

/** The permits to send orders that the bots of a runner ask for. */
export interface Permits {
  /** Fails: as `markSent` */
  ask(sending: Sending): Promise<SendPermit>;
}

/** Gives permits from the database, those of the same moment in one transaction; exits and stops never wait for entries, which heed the kill switch. */
export function databasePermits(db: Database): Permits {
  const permits = (): Together<Sending, SendPermit> =>
    new Together({ all: (sendings) => markSentTogether(db, sendings), one: (sending) => markSent(db, sending), mostAtOnce: 64 });
  const [ofEntries, ofOthers] = [permits(), permits()];
  return { ask: (sending) => (sending.isEntry ? ofEntries : ofOthers).do(sending) };
}

/**
 * The orders of a bot in PostgreSQL, with their times on the clock of the market. `onState` is called with each state that an
 * order has come to, once that is on the disk.
 */
export function databaseOrders(
  db: Database,
  permits: Permits,
  holder: Holder,
  clock: OrderClock,
  onState: (state: OrderState) => void,
): OrderStore {
  const { pace } = clock;
  return {
    orders: (ids) => readOrders(db, holder.id, ids, clock),
    async send(clientOrderId, isEntry, expiryMs) {
      const permit = await permits.ask({ holder, clientOrderId, isEntry, expiryMs: expiryMs / pace });
      if (permit.kind !== 'sent') return permit;
      onState('sent');
      return { ...permit, expiresInMs: permit.expiresInMs * pace };
    },
    entryRefusal: (clientOrderId) => entryRefusal(db, holder.id, clientOrderId),
    async change(clientOrderId, change) {
      const isDone = await changeOrder(db, holder, clientOrderId, change);
      if (isDone) change.path.forEach(onState);
      return isDone;
    },
    fillBefore: (clientOrderId, symbol, time) => newestFillBefore(db, holder.id, { clientOrderId, symbol, time }),
  };
}
