import { dayMs, minuteMs } from '#engine/market/durations.ts';
import type { OrderRequest, VenueOrder } from '#engine/ports/trading.ts';
import type { AccountMarket } from './account-ccxt.ts';
import type { AccountClient } from './account-client.ts';
import { numberOf, positiveOf, type Row, rowsOf, textOf } from './rows/answer-row.ts';
import { hasEndedUnmade, isAlgoOpen, madeOrderId, mayBeForgotten, orderOfFills, readAlgo } from './rows/binance-algo.ts';
import { demandId, orderFields, priceText } from './order-fields.ts';
import type { TimedRequest } from './order-fields.ts';
import { foundOrNull } from './order-lookup.ts';
import { OrderMemory } from './order-memory.ts';
import { readListed, readOurs } from './rows/listed-orders.ts';
import { futuresOrdersKeptMs, type PagedList, rowsFrom, rowsSince } from './rows/pages.ts';

/**
 * The conditional orders of USD-M, which are kept apart from the others: they have lists and ids of their own, and make a real order
 * when their price has come. Here both are one order, with the client id it was placed with.
 */
export class AlgoOrders {
  readonly #account: AccountClient;
  readonly #made = new OrderMemory(); // conditional orders, by the id of the order that each has made
  readonly #seen = new OrderMemory(); // conditional orders, by client id
  readonly #unfinished = new Map<string, string>(); // by symbol: no conditional order below this id changes any more

  constructor(account: AccountClient) {
    this.#account = account;
  }

  /** A stop at market as it is sent. It watches the last price, as the strategies do. Fails: as `orderFields` */
  fields(request: TimedRequest, market: AccountMarket): object {
    const { ccxt } = this.#account;
    return {
      ...orderFields(ccxt, request, market),
      algoType: 'CONDITIONAL',
      type: 'STOP_MARKET',
      triggerPrice: priceText(ccxt, request, 'stopPrice'),
      reduceOnly: String(request.reduceOnly),
      workingType: 'CONTRACT_PRICE',
      clientAlgoId: request.clientOrderId,
    };
  }

  /** Places a stop as `fields` has written it. */
  async place(request: OrderRequest, fields: object): Promise<VenueOrder> {
    return this.#read(await this.#account.ccxt.fapiPrivatePostAlgoOrder(fields), request);
  }

  /** The conditional order of a client id as the exchange lists it; null when there is none. */
  find(clientOrderId: string): Promise<Row | null> {
    return foundOrNull(this.#account.ccxt.fapiPrivateGetAlgoOrder({ clientAlgoId: clientOrderId }));
  }

  /** Cancels one that waits; what it was stays as it was read before. */
  async cancel(symbol: string, algo: Row): Promise<VenueOrder> {
    const before = this.#read(algo, { symbol });
    const answer = await this.#account.ccxt.fapiPrivateDeleteAlgoOrder({ clientAlgoId: before.clientOrderId });
    demandId(before.clientOrderId, { ...before, clientOrderId: textOf(answer as Row, 'clientAlgoId') });
    return { ...before, state: 'cancelled' };
  }

  /**
   * A conditional order as one: what became of the order that it has made is what became of it. Where the exchange has forgotten that, its fills
   * say it.
   */
  async whole(symbol: string, id: string, algo: Row): Promise<VenueOrder> {
    this.note(symbol, algo);
    const orderId = madeOrderId(algo);
    if (orderId === null || hasEndedUnmade(algo)) return readAlgo(algo, { symbol }, null);
    const made = await foundOrNull(this.#account.ccxt.fapiPrivateGetOrder({ symbol: id, orderId }));
    if (made !== null || !mayBeForgotten(algo, this.#account.now())) return readAlgo(algo, { symbol }, made);
    return readAlgo(algo, { symbol }, orderOfFills(algo, await this.#fillsOf(id, orderId, algo)));
  }

  /** The fills of the order that a conditional one has made. They are asked for by time: by the order alone those of the last week are listed. */
  async #fillsOf(id: string, orderId: string, algo: Row): Promise<Row[]> {
    const fetch = (range: object) => this.#account.ccxt.fapiPrivateGetUserTrades({ symbol: id, ...range });
    const list: PagedList = { idName: 'id', idParameter: 'fromId', timeName: 'time', windowMs: 7 * dayMs, fetch };
    const triggeredAt = positiveOf(algo, 'triggerTime') ?? numberOf(algo, 'createTime');
    const rows = await rowsSince(list, triggeredAt - minuteMs, this.#account.now()); // whenever the exchange notes that it has triggered
    return rows.filter((row) => textOf(row, 'orderId') === orderId);
  }

  /** The conditional orders that wait. */
  async open(only: { symbol?: string }): Promise<VenueOrder[]> {
    const rows = rowsOf(await this.#account.ccxt.fapiPrivateGetOpenAlgoOrders(only));
    const read = (row: Row): VenueOrder | null =>
      isAlgoOpen(row) ? this.#read(row, { symbol: this.#account.symbolOf(textOf(row, 'symbol')) }) : null;
    return readListed(rows, clientIdOf, read).filter((order) => order !== null);
  }

  /** The conditional orders that were made at a time or later; each with the order it has made, if it did. */
  async since(market: AccountMarket, since: number): Promise<VenueOrder[]> {
    const rows = await this.#rowsSince(market, since);
    const orders: VenueOrder[] = [];
    for (const row of rows) {
      // One that cannot be read and is not ours is left out before the order it has made is asked for.
      if (readOurs(row, clientIdOf, (each) => readAlgo(each, market, null)) === null) continue;
      orders.push(await this.whole(market.symbol, market.id, row));
    }
    return orders;
  }

  /** Learns which orders were made by conditional ones, as far as that may have changed. */
  async refresh(market: AccountMarket): Promise<void> {
    await this.#newRows(market);
  }

  /** All rows from a time on. What changes no more was read before, and is asked for again only when it is wanted. */
  async #rowsSince(market: AccountMarket, since: number): Promise<Row[]> {
    const isFirst = !this.#unfinished.has(market.symbol);
    const rows = await this.#newRows(market);
    const later = rows.filter((row) => numberOf(row, 'createTime') >= since);
    if (isFirst || later.length < rows.length) return later;
    return await rowsSince(this.#list(market), since, this.#account.now());
  }

  /** Reads the rows that are new or may have changed. */
  async #newRows(market: AccountMarket): Promise<Row[]> {
    const rows = await rowsFrom(this.#list(market), this.#unfinished.get(market.symbol) ?? '1');
    readListed(rows, clientIdOf, (row) => this.note(market.symbol, row));
    const waiting = readListed(rows, clientIdOf, (row) => (isAlgoOpen(row) ? row : null)).find((row) => row !== null) ?? rows.at(-1);
    if (waiting !== undefined) this.#unfinished.set(market.symbol, textOf(waiting, 'algoId'));
    return rows;
  }

  /** Remembers which order a conditional one has made. */
  note(symbol: string, algo: Row): void {
    const orderId = madeOrderId(algo);
    if (orderId !== null) this.#made.note(symbol, orderId, this.#read(algo, { symbol }));
  }

  /** When a conditional order was made, as far as it is remembered. */
  createdTime(symbol: string, clientOrderId: string): number | null {
    return this.#seen.of(symbol, clientOrderId)?.createdTime ?? null;
  }

  /** The client id of the conditional order that has made an order; null when none has. */
  makerOf(symbol: string, orderId: string): string | null {
    return this.#made.of(symbol, orderId)?.clientOrderId ?? null;
  }

  #read(algo: unknown, { symbol }: { symbol: string }): VenueOrder {
    const order = readAlgo(algo, { symbol }, null);
    this.#seen.note(symbol, order.clientOrderId, order);
    return order;
  }

  #list({ id }: AccountMarket): PagedList {
    const fetch = (range: object) => this.#account.ccxt.fapiPrivateGetAllAlgoOrders({ symbol: id, ...range });
    return { idName: 'algoId', idParameter: 'algoId', timeName: 'createTime', windowMs: 7 * dayMs, keptMs: futuresOrdersKeptMs, fetch };
  }
}

const clientIdOf = (row: Row): string => textOf(row, 'clientAlgoId');
