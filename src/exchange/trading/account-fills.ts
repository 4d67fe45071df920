import type { VenueFill } from '#engine/ports/trading.ts';
import type { AccountClient } from './account-client.ts';
import type { OrderMemory } from './order-memory.ts';
import { type Row, textOf } from './rows/answer-row.ts';
import type { ListedFillNames } from './rows/binance-fill.ts';
import { fillsAfter } from './rows/fill-list.ts';
import { noteOf, readOurs } from './rows/listed-orders.ts';
import type { PagedList } from './rows/pages.ts';

/** What differs between the markets when the fills of a symbol are listed. */
export interface AccountFills {
  account: AccountClient;
  memory: OrderMemory;
  symbol: string;
  names: ListedFillNames;
  orders: PagedList; // of the symbol
  fetchFills: (range: object) => Promise<unknown>;
  makerOf: (orderId: string) => string | null; // the client id of the conditional order that has made an order
  readOrder: (row: Row) => unknown; // reads an order and remembers it
  refresh: () => Promise<void>; // brings what `makerOf` knows up to date
}

/** The fills of a symbol after one, or all; see `fillsAfter`. An order that cannot be read and is not ours is remembered by its ids. */
export async function accountFills(fills: AccountFills, afterId: string | null): Promise<VenueFill[]> {
  const { account, memory, symbol, names, orders, makerOf, refresh } = fills;
  const ownIdOf = (row: Row): string => makerOf(textOf(row, 'orderId')) ?? textOf(row, 'clientOrderId');
  const source = {
    symbol,
    fills: { ...orders, idName: 'id', idParameter: 'fromId', fetch: fills.fetchFills },
    orders,
    names,
    now: account.now(),
    clientIdOf: (orderId: string) => makerOf(orderId) ?? memory.of(symbol, orderId)?.clientOrderId ?? null,
    note(row: Row) {
      if (readOurs(row, ownIdOf, fills.readOrder) === null) memory.note(symbol, textOf(row, 'orderId'), noteOf(row));
    },
    refresh,
  };
  return await account.read(`the fills of ${symbol}`, () => fillsAfter(source, afterId));
}
