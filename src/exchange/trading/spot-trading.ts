import { dayMs } from '#engine/market/durations.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
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
import { numberOf, type Row, rowOf, rowsOf, textOf } from './rows/answer-row.ts';
import { spotFillNames } from './rows/binance-fill.ts';
import { type OrderNames, readOrder, restNames } from './rows/binance-order.ts';
import { demandAnswerTo, demandId, orderFields } from './order-fields.ts';
import { cancelBy, foundOrNull, unlistedOrder } from './order-lookup.ts';
import { OrderMemory } from './order-memory.ts';
import { readListed } from './rows/listed-orders.ts';
import { type PagedList, rowsSince } from './rows/pages.ts';
import { readSpotEvent } from './stream/spot-events.ts';
import { spotKind } from './spot-order-kind.ts';
import { openSpotStream } from './stream/spot-stream.ts';
import { UserStream } from './stream/user-stream.ts';

/** A spot account at Binance, or at the sandbox. */
export class SpotTrading implements Trading {
  readonly accountId: string;
  readonly #account: AccountClient;
  readonly #memory = new OrderMemory();
  readonly #stream: UserStream;

  constructor(accountId: string, account: AccountClient, log: (message: string) => void) {
    this.accountId = accountId;
    this.#account = account;
    this.#stream = new UserStream({
      client: account.ccxt,
      open: () => openSpotStream(account),
      read: (event) => readSpotEvent(event, account, this.#memory),
      log,
    });
  }

  /** Resolves when the user stream is there, or does not come soon. */
  start(): Promise<void> {
    return this.#stream.start();
  }

  async place(asked: OrderRequest): Promise<VenueOrder> {
    const { ccxt } = this.#account;
    const request = this.#account.timed(asked);
    const { market, fields } = await this.#account.write(request, (listed) => ({
      ...orderFields(ccxt, request, listed),
      ...spotKind(ccxt, listed, request),
    }));
    const own = { newClientOrderId: request.clientOrderId, newOrderRespType: 'RESULT' };
    return await this.#account.place(request, async () => {
      const row = rowOf(await ccxt.privatePostOrder({ ...fields, ...own }));
      return demandAnswerTo(request, this.#read(row, market, 'transactTime'));
    });
  }

  async cancel(symbol: string, clientOrderId: string): Promise<VenueOrder> {
    return await cancelBy({ account: this.#account, trading: this, symbol, clientOrderId }, (market) =>
      this.#cancel(market, clientOrderId),
    );
  }

  async #cancel(market: { id: string; symbol: string }, clientOrderId: string): Promise<VenueOrder> {
    return await this.#account.change(`an answer to the cancelling of ${clientOrderId}`, async () => {
      const row = rowOf(await this.#account.ccxt.privateDeleteOrder({ symbol: market.id, origClientOrderId: clientOrderId }));
      return demandId(clientOrderId, this.#read(row, market, 'transactTime', cancelNames));
    });
  }

  async order(symbol: string, clientOrderId: string): Promise<VenueOrder | null> {
    const market = await this.#account.listed(symbol);
    if (market === null) return await unlistedOrder(this, clientOrderId);
    return await this.#account.read(
      `the order ${clientOrderId}`,
      async () => {
        const parameters = { symbol: market.id, origClientOrderId: clientOrderId };
        const row = await foundOrNull(this.#account.ccxt.privateGetOrder(parameters));
        return row === null ? null : demandId(clientOrderId, this.#read(row, market));
      },
      'order',
    );
  }

  async openOrders(symbol?: string): Promise<VenueOrder[]> {
    const market = symbol === undefined ? undefined : await this.#account.listed(symbol);
    if (market === null) return [];
    const only = market === undefined ? {} : { symbol: market.id };
    return await this.#account.read('its open orders', async () =>
      readListed(rowsOf(await this.#account.ccxt.privateGetOpenOrders(only)), clientIdOf, (row) =>
        this.#read(row, this.#instrumentOf(row)),
      ),
    );
  }

  async ordersSince(symbol: string, since: number): Promise<VenueOrder[]> {
    const market = await this.#account.listed(symbol);
    if (market === null) return [];
    return await this.#account.read(`the orders of ${symbol}`, async () =>
      readListed(await rowsSince(this.#orders(market), since, this.#account.now()), clientIdOf, (row) => this.#read(row, market)),
    );
  }

  async fillsSince(symbol: string, afterId: string | null): Promise<VenueFill[]> {
    const market = await this.#account.market(symbol);
    const fills = {
      account: this.#account,
      memory: this.#memory,
      symbol,
      names: spotFillNames,
      orders: this.#orders(market),
      fetchFills: (range: object) => this.#account.ccxt.privateGetMyTrades({ symbol: market.id, ...range }),
      makerOf: () => null,
      readOrder: (row: Row) => this.#read(row, market),
      refresh: async () => {},
    };
    return await accountFills(fills, afterId);
  }

  /** Nothing is liquidated on spot. */
  async clearances(): Promise<Clearance[]> {
    return [];
  }

  async balances(): Promise<Balance[]> {
    return await this.#account.read('its balances', async () =>
      rowsOf(rowOf(await this.#account.ccxt.privateGetAccount({ omitZeroBalances: 'true' }))['balances']).map((row) => ({
        currency: textOf(row, 'asset'),
        free: numberOf(row, 'free'),
        locked: numberOf(row, 'locked'),
      })),
    );
  }

  async positions(): Promise<Position[]> {
    return [];
  }

  async setLeverage(): Promise<void> {
    throw new ExchangeError('rejected', 'A spot account has no leverage.');
  }

  async setMarginMode(): Promise<void> {
    throw new ExchangeError('rejected', 'A spot account has no margin mode.');
  }

  async marginSettings(): Promise<MarginSettings> {
    throw new ExchangeError('rejected', 'A spot account has no leverage.');
  }

  patiently<Result>(questions: () => Promise<Result>): Promise<Result> {
    return this.#account.patiently(questions);
  }

  watch(listener: (report: AccountReport) => void): () => void {
    return this.#stream.watch(listener);
  }

  async close(): Promise<void> {
    await this.#stream.close();
  }

  /** Reads an order and remembers it. An answer without the time of its making names the time of the change, which is only used when nothing better is known. */
  #read(row: Row, { symbol }: { symbol: string }, timeName = 'time', names: OrderNames = restNames): VenueOrder {
    const known = timeName === 'time' ? null : this.#memory.of(symbol, textOf(row, names.id));
    const order = readOrder(row, names, { symbol, createdTime: known?.createdTime ?? numberOf(row, timeName) });
    this.#memory.note(symbol, order.exchangeOrderId, order);
    return order;
  }

  #instrumentOf(row: Row): { symbol: string } {
    return { symbol: this.#account.symbolOf(textOf(row, 'symbol')) };
  }

  #orders({ id }: AccountMarket): PagedList {
    const fetch = (range: object) => this.#account.ccxt.privateGetAllOrders({ symbol: id, ...range });
    return { idName: 'orderId', idParameter: 'orderId', timeName: 'time', windowMs: dayMs, fetch };
  }
}

const clientIdOf = (row: Row): string => textOf(row, 'clientOrderId');

/** An answer about a cancelled order has a new client id of its own beside that of the order. */
const cancelNames: OrderNames = { ...restNames, clientId: 'origClientOrderId' };
