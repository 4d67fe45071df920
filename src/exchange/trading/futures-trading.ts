import { MarginModeAlreadySet } from 'ccxt';
import { dayMs } from '#engine/market/durations.ts';
import type {
  AccountReport,
  Balance,
  Clearance,
  MarginSettings,
  OrderRequest,
  Position,
  Trading,
  VenueFill,
  VenueOrder,
} from '#engine/ports/trading.ts';
import type { AccountMarket } from './account-ccxt.ts';
import type { AccountClient } from './account-client.ts';
import { accountFills } from './account-fills.ts';
import { AlgoOrders } from './algo-orders.ts';
import { numberOf, type Row, rowOf, rowsOf, textOf } from './rows/answer-row.ts';
import { futuresFillNames } from './rows/binance-fill.ts';
import { madeOrderId } from './rows/binance-algo.ts';
import { readOrder, restNames } from './rows/binance-order.ts';
import { FuturesBalances } from './futures-balances.ts';
import { readClearances } from './clearances.ts';
import { readFuturesEvent } from './stream/futures-events.ts';
import { readMarginSettings, readPositions } from './futures-positions.ts';
import { openFuturesStream } from './stream/futures-stream.ts';
import { demandAnswerTo, demandId, orderFields, priceText } from './order-fields.ts';
import type { TimedRequest } from './order-fields.ts';
import { cancelBy, foundOrNull, unlistedOrder } from './order-lookup.ts';
import { OrderMemory } from './order-memory.ts';
import { readListed } from './rows/listed-orders.ts';
import { futuresOrdersKeptMs, type PagedList, rowsSince } from './rows/pages.ts';
import { UserStream } from './stream/user-stream.ts';

/** A USD-M account at Binance, or at the sandbox, in one-way mode. Stops are conditional orders. */
export class FuturesTrading implements Trading {
  readonly accountId: string;
  readonly #account: AccountClient;
  readonly #memory = new OrderMemory();
  readonly #algos: AlgoOrders;
  readonly #balances: FuturesBalances;
  readonly #stream: UserStream;

  constructor(accountId: string, account: AccountClient, log: (message: string) => void) {
    this.accountId = accountId;
    this.#account = account;
    this.#algos = new AlgoOrders(account);
    const context = { account, memory: this.#memory, algos: this.#algos, refreshBalances: () => this.#balances.reportSoon() };
    this.#stream = new UserStream({
      client: account.ccxt,
      open: (lost) => openFuturesStream(account, lost),
      read: (event) => readFuturesEvent(event, context),
      log,
    });
    this.#balances = new FuturesBalances(account, (balance) => this.#stream.report({ kind: 'balance', balance }), log);
  }

  /** Resolves when the user stream is there, or does not come soon. */
  start(): Promise<void> {
    return this.#stream.start();
  }

  async place(asked: OrderRequest): Promise<VenueOrder> {
    const request = this.#account.timed(asked);
    const isStop = request.type === 'stop';
    const { market, fields } = await this.#account.write(request, (listed) =>
      isStop ? this.#algos.fields(request, listed) : this.#fields(request, listed),
    );
    return await this.#account.place(request, async () => {
      if (isStop) return demandAnswerTo(request, await this.#algos.place(request, fields));
      return demandAnswerTo(request, this.#read(rowOf(await this.#account.ccxt.fapiPrivatePostOrder(fields)), market));
    });
  }

  async cancel(symbol: string, clientOrderId: string): Promise<VenueOrder> {
    return await cancelBy({ account: this.#account, trading: this, symbol, clientOrderId }, (market) =>
      this.#cancel(market, clientOrderId),
    );
  }

  async #cancel(market: { id: string; symbol: string }, clientOrderId: string): Promise<VenueOrder> {
    const { symbol } = market;
    const isPlain = this.#memory.hasClientId(symbol, clientOrderId);
    const algo = isPlain ? null : await this.#account.read(`the order ${clientOrderId}`, () => this.#algos.find(clientOrderId), 'order');
    const made = algo === null ? null : madeOrderId(algo);
    return await this.#account.change(`an answer to the cancelling of ${clientOrderId}`, async () => {
      if (algo !== null && made === null) return await this.#algos.cancel(symbol, algo);
      const which = made === null ? { origClientOrderId: clientOrderId } : { orderId: made };
      const row = rowOf(await this.#account.ccxt.fapiPrivateDeleteOrder({ symbol: market.id, ...which }));
      if (algo !== null) return await this.#algos.whole(symbol, market.id, algo);
      return demandId(clientOrderId, this.#read(row, market));
    });
  }

  async order(symbol: string, clientOrderId: string): Promise<VenueOrder | null> {
    const market = await this.#account.listed(symbol);
    if (market === null) return await unlistedOrder(this, clientOrderId);
    const find = async () => {
      const parameters = { symbol: market.id, origClientOrderId: clientOrderId };
      const [algo, row] = await Promise.all([
        this.#algos.find(clientOrderId),
        foundOrNull(this.#account.ccxt.fapiPrivateGetOrder(parameters)),
      ]);
      if (algo !== null) return await this.#algos.whole(symbol, market.id, algo);
      return row === null ? null : demandId(clientOrderId, this.#read(row, market));
    };
    return await this.#account.read(`the order ${clientOrderId}`, find, 'order');
  }

  async openOrders(symbol?: string): Promise<VenueOrder[]> {
    const market = symbol === undefined ? undefined : await this.#account.listed(symbol);
    if (market === null) return [];
    const only = market === undefined ? {} : { symbol: market.id };
    return await this.#account.read('its open orders', async () => {
      const [rows, algos] = await Promise.all([this.#account.ccxt.fapiPrivateGetOpenOrders(only), this.#algos.open(only)]);
      const instrumentOf = (row: Row) => ({ symbol: this.#account.symbolOf(textOf(row, 'symbol')) });
      const idOf = (row: Row): string => this.#ownIdOf(instrumentOf(row).symbol, row);
      const orders = readListed(rowsOf(rows), idOf, (row) => this.#read(row, instrumentOf(row)));
      return [...orders, ...algos].toSorted(byTime);
    });
  }

  async ordersSince(symbol: string, since: number): Promise<VenueOrder[]> {
    const market = await this.#account.listed(symbol);
    if (market === null) return [];
    return await this.#account.read(`the orders of ${symbol}`, async () => {
      const rows = await rowsSince(this.#orders(market), since, this.#account.now());
      const algos = await this.#algos.since(market, since); // after them, so that it is known which of them were made by conditional ones
      const own = rows.filter((row) => this.#algos.makerOf(symbol, textOf(row, 'orderId')) === null);
      const orders = readListed(
        own,
        (row) => this.#ownIdOf(symbol, row),
        (row) => this.#read(row, market),
      );
      return [...orders, ...algos].toSorted(byTime);
    });
  }

  async fillsSince(symbol: string, afterId: string | null): Promise<VenueFill[]> {
    const market = await this.#account.market(symbol);
    const fills = {
      account: this.#account,
      memory: this.#memory,
      symbol,
      names: futuresFillNames,
      orders: this.#orders(market),
      fetchFills: (range: object) => this.#account.ccxt.fapiPrivateGetUserTrades({ symbol: market.id, ...range }),
      makerOf: (orderId: string) => this.#algos.makerOf(symbol, orderId),
      readOrder: (row: Row) => this.#read(row, market),
      refresh: () => this.#algos.refresh(market),
    };
    return await accountFills(fills, afterId);
  }

  async clearances(symbol: string, since: number): Promise<Clearance[]> {
    const { id } = await this.#account.market(symbol);
    return await this.#account.read(`what liquidations of ${symbol} have cost`, () => readClearances(this.#account, id, since));
  }

  balances(): Promise<Balance[]> {
    return this.#balances.read();
  }

  async positions(): Promise<Position[]> {
    return await this.#account.read('its positions', () => readPositions(this.#account));
  }

  async setLeverage(symbol: string, leverage: number): Promise<void> {
    await this.#forEntry(symbol, 'leverage', async (id) => {
      const row = rowOf(await this.#account.ccxt.fapiPrivatePostLeverage({ symbol: id, leverage }));
      if (numberOf(row, 'leverage') !== leverage) throw new Error(`the answer says ${textOf(row, 'leverage')} instead of ${leverage}`);
    });
  }

  async setMarginMode(symbol: string, mode: Position['marginMode']): Promise<void> {
    const marginType = mode === 'isolated' ? 'ISOLATED' : 'CROSSED';
    await this.#forEntry(symbol, 'margin mode', async (id) => {
      try {
        await this.#account.ccxt.fapiPrivatePostMarginType({ symbol: id, marginType });
      } catch (error) {
        if (!(error instanceof MarginModeAlreadySet)) throw error;
      }
    });
  }

  /** Changes what an entry needs. Neither this nor the question below takes what is kept for orders that leave or protect. */
  async #forEntry(symbol: string, what: string, task: (id: string) => Promise<void>): Promise<void> {
    const { id } = await this.#account.market(symbol);
    await this.#account.change(`an answer to the ${what} of ${symbol}`, () => task(id), 'entry');
  }

  async marginSettings(symbol: string): Promise<MarginSettings> {
    const market = await this.#account.market(symbol);
    return await this.#account.read(`the leverage of ${symbol}`, () => readMarginSettings(this.#account, market.id), 'entry');
  }

  patiently<Result>(questions: () => Promise<Result>): Promise<Result> {
    return this.#account.patiently(questions);
  }

  watch(listener: (report: AccountReport) => void): () => void {
    return this.#stream.watch(listener);
  }

  async close(): Promise<void> {
    this.#balances.end();
    await this.#stream.close();
  }

  /** An order other than a stop, as it is sent. */
  #fields(request: TimedRequest, market: AccountMarket): object {
    const { ccxt } = this.#account;
    const kind =
      request.type === 'market'
        ? { type: 'MARKET' }
        : { type: 'LIMIT', timeInForce: request.timeInForce ?? 'GTC', price: priceText(ccxt, request, 'price') };
    return {
      ...orderFields(ccxt, request, market),
      ...kind,
      reduceOnly: String(request.reduceOnly),
      newClientOrderId: request.clientOrderId,
      newOrderRespType: 'RESULT',
    };
  }

  /** The client id of an order, or of the conditional order that has made it. */
  #ownIdOf(symbol: string, row: Row): string {
    return this.#algos.makerOf(symbol, textOf(row, 'orderId')) ?? textOf(row, 'clientOrderId');
  }

  /** Reads an order and remembers it. Answers about a change have no time of the making. */
  #read(row: Row, { symbol }: { symbol: string }): VenueOrder {
    const known = row['time'] === undefined ? this.#memory.of(symbol, textOf(row, 'orderId')) : null;
    const createdTime = known?.createdTime ?? numberOf(row, row['time'] === undefined ? 'updateTime' : 'time');
    const order = readOrder(row, restNames, { symbol, createdTime });
    this.#memory.note(symbol, order.exchangeOrderId, order);
    return { ...order, clientOrderId: this.#algos.makerOf(symbol, order.exchangeOrderId) ?? order.clientOrderId };
  }

  #orders({ id }: AccountMarket): PagedList {
    const fetch = (range: object) => this.#account.ccxt.fapiPrivateGetAllOrders({ symbol: id, ...range });
    return { idName: 'orderId', idParameter: 'orderId', timeName: 'time', windowMs: 7 * dayMs, keptMs: futuresOrdersKeptMs, fetch };
  }
}

function byTime(a: VenueOrder, b: VenueOrder): number {
  return a.createdTime - b.createdTime;
}
