import { BadSymbol, InvalidNonce } from 'ccxt';
import type { MarketType } from '#engine/market/instrument.ts';
import type { Credentials } from '#engine/ports/credentials.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { ExchangeError, NotListed } from '#engine/ports/exchange-error.ts';
import { toExchangeError } from '../ccxt-errors.ts';
import { connect } from '../connect.ts';
import type { ExchangeClock } from '../exchange-clock.ts';
import type { Priority, RequestBudget } from '../request-budget.ts';
import { withoutSecrets } from '../without-secrets.ts';
import type { AccountCcxt, AccountMarket } from './account-ccxt.ts';
import type { OrderRequest } from '#engine/ports/trading.ts';
import { hardenAccount } from './harden-account.ts';
import { OrderBudget } from './order-budget.ts';
import type { TimedRequest } from './order-fields.ts';
import { sharedClock } from './shared-clock.ts';
import { marketsMaxAgeMs, type SharedMarkets, sharedMarkets } from './shared-markets.ts';

/** Which account, where, and how it is reached. */
export interface AccountOptions {
  exchangeId: string; // 'binance', 'sandbox'
  marketType: MarketType;
  credentials: Credentials;
  sandboxUrl?: string | undefined; // needed for the id 'sandbox'
  budget?: RequestBudget | undefined; // by default the one that all connections of this process to this exchange share
  orderBudget?: OrderBudget | undefined; // of the account; its exchange's limits by default
  timeoutMs?: number | undefined; // for an answer with its body; 5 s by default
  now?: (() => number) | undefined; // ms; the clock that `expiresAt` of a request is read on, the machine's by default
  pace?: (() => number) | undefined; // ms; a steady clock beside it: see `MachineClock`
  log?: ((message: string) => void) | undefined; // failures that were handled; without secrets
}

/** From a list of instruments that could not be loaded to the next try for an order that it decides about, in ms. */
const nextListMs = 5_000;

/** The connection of one account: signs, pays from the budget, and makes every failure an `ExchangeError` without secrets. */
export class AccountClient {
  readonly ccxt: AccountCcxt;
  readonly #options: AccountOptions;
  readonly #budget: RequestBudget;
  readonly #orders: OrderBudget;
  readonly #now: () => number;
  readonly #clock: ExchangeClock;
  readonly #shared: SharedMarkets;
  #marketsAt = -Infinity; // when the list of instruments was asked for; machine time
  #symbols = new Map<string, string>(); // by the exchange's id of the instrument

  constructor(options: AccountOptions) {
    const { exchangeId, marketType, sandboxUrl, credentials, budget, timeoutMs = 5_000 } = options;
    const connection = connect({ exchangeId, marketType, sandboxUrl, credentials, budget, timeoutMs });
    const now = options.now ?? Date.now;
    this.ccxt = connection.client as AccountCcxt;
    this.#options = options;
    const market = { exchangeId, marketType, sandboxUrl, budget, timeoutMs };
    this.#shared = sharedMarkets(market);
    this.#budget = connection.budget;
    this.#clock = sharedClock(market, now, options.pace);
    this.#now = now;
    this.#orders = options.orderBudget ?? OrderBudget.of(marketType);
    heedOrderCounts(this.ccxt, this.#orders);
    hardenAccount(this.ccxt, { now, exchangeNow: () => this.#clock.now() });
  }

  /** Loads what every call needs: instruments and the exchange's time. Fails: ExchangeError */
  async prepare(): Promise<void> {
    await this.#ask('quote', 'its instruments', false, async () => {
      await this.#loadMarkets();
      await this.ccxt.loadHttpProxyAgent(); // ccxt refuses ws:// addresses without it
      await this.#clock.refresh();
    });
  }

  /** Exchange time in ms. */
  now(): number {
    return this.#clock.now();
  }

  /** Asks something that changes nothing. Fails: ExchangeError, never `unknown`; `NotListed` where the exchange does not have the instrument */
  read<Result>(action: string, task: () => Promise<Result>, priority: Priority = 'quote'): Promise<Result> {
    return this.#ask(priority, action, false, task);
  }

  /** Runs questions that may wait for minutes while the budget is used up. */
  patiently<Result>(questions: () => Promise<Result>): Promise<Result> {
    return this.#budget.as('start', questions);
  }

  /** Asks for a change. Fails: ExchangeError, `unknown` when it may have happened */
  change<Result>(action: string, task: () => Promise<Result>, priority: Priority = 'order'): Promise<Result> {
    return this.#ask(priority, action, true, task);
  }

  /** A request with its end by both clocks, as they are now: ours may be set while it waits for its turn. */
  timed(request: OrderRequest): TimedRequest {
    const left = request.expiresAt - this.#now();
    return { ...request, expiry: { ours: request.expiresAt, theirs: this.#clock.now() + left } };
  }

  /** Places an order when its account may place one more. Fails: as `change`; `temporary` when there is no room in time */
  async place<Result>({ clientOrderId, isEntry = false, expiresAt }: OrderRequest, task: () => Promise<Result>): Promise<Result> {
    await this.#orders.take(isEntry, expiresAt - this.#now());
    return await this.#ask(isEntry ? 'entry' : 'order', `an answer to the order ${clientOrderId}`, true, task);
  }

  /** The instrument of a symbol. Fails: ExchangeError; `NotListed` when a list that is new does not have it */
  async market(symbol: string): Promise<AccountMarket> {
    const market = await this.listed(symbol);
    if (market === null) throw new NotListed(`${this.#options.exchangeId} has no instrument ${symbol}.`);
    return market;
  }

  /** The instrument of a symbol; null when a list that is new does not have it. Fails: ExchangeError */
  async listed(symbol: string): Promise<AccountMarket | null> {
    if (this.ccxt.markets?.[symbol] === undefined && this.#isListOld) await this.read('its instruments', () => this.#loadMarkets());
    return (this.ccxt.markets?.[symbol] as AccountMarket | undefined) ?? null;
  }

  /**
   * Writes an order as its instrument wants it. What a list of instruments refuses that is not new is decided by a new one: trading
   * in it may have begun again, and its steps may have become finer.
   *
   * Fails: ExchangeError `rejected` for what the newest list refuses; `temporary` when that could not be loaded
   */
  async write<Fields>(
    request: TimedRequest,
    fieldsOf: (market: AccountMarket) => Fields,
  ): Promise<{ market: AccountMarket; fields: Fields }> {
    const market = await this.market(request.symbol);
    try {
      return { market, fields: fieldsOf(market) };
    } catch (refusal) {
      if (!this.#isListOld) throw refusal;
    }
    await this.#renewList(request.isEntry === true ? 'entry' : 'order');
    const renewed = await this.market(request.symbol);
    return { market: renewed, fields: fieldsOf(renewed) };
  }

  /** The symbol of the exchange's id of an instrument; the id itself when the instrument is not listed any more. */
  symbolOf(id: string): string {
    return this.#symbols.get(id) ?? id;
  }

  get #isListOld(): boolean {
    return performance.now() - this.#marketsAt > marketsMaxAgeMs;
  }

  async #renewList(priority: Priority): Promise<void> {
    try {
      await this.read('its instruments', () => this.#loadMarkets(), priority);
    } catch (error) {
      // Nothing was sent, and nobody has refused anything yet.
      const retryAfterMs = Math.max(error instanceof ExchangeError ? (error.retryAfterMs ?? 0) : 0, nextListMs);
      throw new ExchangeError('temporary', errorText(error), { cause: error, retryAfterMs });
    }
  }

  async #loadMarkets(): Promise<void> {
    const { markets, at } = await this.#shared.give(this.ccxt);
    this.#marketsAt = at;
    this.#symbols = new Map(Object.values(markets).map((market) => [String(market?.id), String(market?.symbol)]));
  }

  async #ask<Result>(priority: Priority, action: string, changes: boolean, task: () => Promise<Result>): Promise<Result> {
    const { exchangeId, credentials } = this.#options;
    void this.#clock.refresh();
    try {
      return await this.#budget.as(priority, task);
    } catch (error) {
      if (error instanceof InvalidNonce) this.#clock.distrust();
      const retryAfterMs = this.#budget.closedForMs() || null;
      const failure = withoutSecrets(toExchangeError(error, { exchangeId, action, changes, retryAfterMs }), credentials);
      // Who asks for orders must be able to distinguish an instrument that is gone from any other refusal: then there are none.
      throw !changes && error instanceof BadSymbol ? new NotListed(failure.message) : failure;
    }
  }
}

/** The exchange says with each answer how many orders of the account it has counted. */
function heedOrderCounts(client: AccountCcxt, orders: OrderBudget): void {
  const pass = client.onRestResponse.bind(client);
  client.onRestResponse = (...details) => {
    const [status, , , , headers, body] = details;
    orders.heed(status, headers, body);
    return pass(...details);
  };
}
