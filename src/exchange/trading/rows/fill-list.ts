import type { VenueFill } from '#engine/ports/trading.ts';
import { hourMs } from '#engine/market/durations.ts';
import { numberOf, type Row, textOf } from './answer-row.ts';
import { type ListedFillNames, readListedFill } from './binance-fill.ts';
import { compareIds, type PagedList, rowsFrom } from './pages.ts';

/** What is needed to list the fills of a symbol. */
export interface FillSource {
  symbol: string;
  fills: PagedList;
  orders: PagedList;
  names: ListedFillNames;
  now: number; // exchange time, ms
  /** The client id of an order that is remembered. */
  clientIdOf: (orderId: string) => string | null;
  /** Remembers an order that was read. */
  note: (row: Row) => void;
  /** Brings what is remembered up to date, when there are fills. */
  refresh: () => Promise<void>;
}

/**
 * The fills after one, or all, in rising ids. A fill names its order by the exchange's id: orders that are not remembered are read
 * as well, from the oldest that is missing on. A fill whose order the exchange has forgotten has an empty client order id.
 */
export async function fillsAfter(source: FillSource, afterId: string | null): Promise<VenueFill[]> {
  const { symbol, names, clientIdOf } = source;
  const rows = await rowsFrom(source.fills, afterId === null ? '1' : String(BigInt(afterId) + 1n));
  if (rows.length > 0) await source.refresh();
  const orderIds = rows.map((row) => textOf(row, 'orderId'));
  const missing = [...new Set(orderIds)].filter((id) => clientIdOf(id) === null).toSorted(compareIds);
  const [first, last] = [missing[0], missing.at(-1)];
  if (first !== undefined && last !== undefined) {
    const isPast = (read: readonly Row[]) => read.some((row) => compareIds(textOf(row, 'orderId'), last) >= 0);
    for (const row of await rowsFrom(source.orders, first, isPast)) source.note(row);
  }
  return rows.map((row) => {
    const clientOrderId = clientIdOf(textOf(row, 'orderId'));
    // The exchange forgets orders sooner than fills. A new fill may be ours, so its order is waited for.
    if (clientOrderId === null && numberOf(row, names.time) > source.now - hourMs)
      throw new Error(`the order ${textOf(row, 'orderId')} of a fill is missing in the list of orders`);
    return readListedFill(row, names, { symbol, clientOrderId: clientOrderId ?? '' });
  });
}
