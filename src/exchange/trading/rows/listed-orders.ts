import { isOwnOrderId } from '#engine/bot/state.ts';
import { type Row, textOf } from './answer-row.ts';

/**
 * Reads a list of orders. Somebody may trade on the account in ways that we cannot read: what is not ours is left out then.
 *
 * Fails: what `read` fails with, for an order of ours, and for one without a client id, because nobody can say whose it is
 */
export function readListed<Order>(rows: readonly Row[], clientIdOf: (row: Row) => string, read: (row: Row) => Order): Order[] {
  return rows.flatMap((row) => readOurs(row, clientIdOf, read) ?? []);
}

/** Reads an order, or null where it cannot be read and is not ours. Fails: as `readListed` */
export function readOurs<Order>(row: Row, clientIdOf: (row: Row) => string, read: (row: Row) => Order): Order | null {
  try {
    return read(row);
  } catch (error) {
    if (isOwnOrderId(clientIdOf(row))) throw error;
    return null;
  }
}

/** What is remembered of an order that cannot be read otherwise, so that its fills are known to be somebody else's. */
export function noteOf(row: Row): { clientOrderId: string; createdTime: number } {
  return { clientOrderId: textOf(row, 'clientOrderId'), createdTime: Number(row['time'] ?? 0) };
}
