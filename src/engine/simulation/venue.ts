import { feeInQuote } from '../account/fill.ts';
import type { FundingEvent } from '../account/funding.ts';
import { nextOrderState } from '../account/order-life.ts';
import type { Decimal } from '../market/decimal.ts';
import { compare, dividedBy, minus, plus, times, toDecimal, toNumber, wholeSteps, zero } from '../market/decimal.ts';
import type { Instrument } from '../market/instrument.ts';
import { ExchangeError } from '../ports/exchange-error.ts';
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
} from '../ports/trading.ts';
import { Ledger } from './ledger.ts';

/** The best prices of a symbol, and how much may be had at them. */
export interface VenuePrices {
  bid: number;
  ask: number;
  bidAmount?: number; // base currency; as much as anybody wants without it
  askAmount?: number;
}

/** What an in-memory exchange is made of. */
export interface VenueSetUp {
  accountId: string;
  instruments: readonly Instrument[]; // all of one market type
  balances: Readonly<Record<string, number>>;
  time: number; // ms
  remembersIds: 'always' | 'while-open'; // whether the client id of an order that has ended may be used again
  feeCurrency: 'quote' | 'received'; // on spot: whether a buyer pays in what he receives
  feeDiscount?: { currency: string; price: number }; // fees are paid in this currency, at its price in quote currency, as long as the account has enough of it
  funding?: readonly (FundingEvent & { symbol: string })[]; // payments by those who hold perpetuals when it is time, oldest first
}

/**
 * One account at an exchange that lives in memory: exact, without a clock, the same for the same calls. Time and prices are
 * given; orders are matched when they are placed and whenever prices are given.
 */
export class InMemoryVenue implements Trading {
  readonly accountId: string;
  readonly #setUp: VenueSetUp;
  readonly #instruments: ReadonlyMap<string, Instrument>;
  readonly #ledger: Ledger;
  readonly #prices = new Map<string, { bid: Decimal; ask: Decimal; bidAmount: Decimal | null; askAmount: Decimal | null }>();
  readonly #orders: VenueOrder[] = []; // in the sequence they were made
  readonly #reducing = new Set<VenueOrder>();
  readonly #immediate = new Map<VenueOrder, 'IOC' | 'FOK'>(); // limit orders that do not stand
  readonly #fills: VenueFill[] = [];
  readonly #leverages = new Map<string, number>();
  readonly #marginModes = new Map<string, Position['marginMode']>();
  readonly #listeners = new Set<(report: AccountReport) => void>();
  #time: number;

  constructor(setUp: VenueSetUp) {
    this.accountId = setUp.accountId;
    this.#setUp = setUp;
    this.#instruments = new Map(setUp.instruments.map((instrument) => [instrument.symbol, instrument]));
    this.#ledger = new Ledger(setUp.balances);
    this.#time = setUp.time;
  }

  /** Sets the time. Fails: RangeError when it would run backwards */
  setTime(time: number): void {
    if (time < this.#time) throw new RangeError(`Time runs forwards, from ${this.#time}, and was set to ${time}.`);
    for (const payment of this.#setUp.funding ?? []) if (payment.time > this.#time && payment.time <= time) this.#pay(payment);
    this.#time = time;
  }

  /** Sets the prices of a symbol and fills what they reach, oldest order first. */
  setPrices(symbol: string, { bid, ask, bidAmount, askAmount }: VenuePrices): void {
    this.#instrument(symbol);
    const depth = (amount: number | undefined): Decimal | null => (amount === undefined ? null : toDecimal(amount));
    this.#prices.set(symbol, { bid: toDecimal(bid), ask: toDecimal(ask), bidAmount: depth(bidAmount), askAmount: depth(askAmount) });
    for (const order of this.#orders) if (order.symbol === symbol && order.state === 'open') this.#match(order, 'maker');
  }

  async place(request: OrderRequest): Promise<VenueOrder> {
    const order: VenueOrder = {
      clientOrderId: request.clientOrderId,
      exchangeOrderId: String(this.#orders.length + 1),
      symbol: request.symbol,
      side: request.side,
      type: request.type,
      state: 'open',
      requested: request.amount,
      filled: 0,
      price: request.price,
      stopPrice: request.stopPrice,
      createdTime: this.#time,
    };
    const fault = this.#faultOf(request);
    if (fault !== null) throw new ExchangeError('rejected', `${request.clientOrderId}: ${fault}`);
    this.#orders.push(order);
    if (request.reduceOnly && this.#instrument(order.symbol).marketType === 'futures') this.#reducing.add(order);
    const { timeInForce = 'GTC' } = request;
    if (request.type === 'limit' && timeInForce !== 'GTC') this.#immediate.set(order, timeInForce);
    this.#lock(order);
    this.#report(order, null);
    this.#match(order, 'taker');
    if (order.state === 'open' && this.#immediate.has(order)) this.#end(order, 'expired');
    return { ...order };
  }

  async cancel(symbol: string, clientOrderId: string): Promise<VenueOrder> {
    const order = this.#newest(symbol, clientOrderId);
    if (order?.state !== 'open') throw new ExchangeError('rejected', `${clientOrderId}: no such order is open.`);
    this.#end(order, 'cancelled');
    return { ...order };
  }

  async order(symbol: string, clientOrderId: string): Promise<VenueOrder | null> {
    const order = this.#newest(symbol, clientOrderId);
    return order === undefined ? null : { ...order };
  }

  async openOrders(symbol?: string): Promise<VenueOrder[]> {
    return this.#orders
      .filter((order) => order.state === 'open' && (symbol ?? order.symbol) === order.symbol)
      .map((order) => ({ ...order }));
  }

  async ordersSince(symbol: string, since: number): Promise<VenueOrder[]> {
    return this.#orders.filter((order) => order.symbol === symbol && order.createdTime >= since).map((order) => ({ ...order }));
  }

  async fillsSince(symbol: string, afterId: string | null): Promise<VenueFill[]> {
    const after = afterId === null ? 0 : Number(afterId);
    return this.#fills.filter((fill) => fill.symbol === symbol && Number(fill.id) > after).map((fill) => ({ ...fill }));
  }

  /** Nothing is liquidated here. */
  async clearances(): Promise<Clearance[]> {
    return [];
  }

  async balances(): Promise<Balance[]> {
    return this.#ledger.balances();
  }

  async positions(): Promise<Position[]> {
    return this.#ledger.positions().map((position) => ({
      ...position,
      leverage: this.#leverageOf(position.symbol),
      marginMode: this.#marginModes.get(position.symbol) ?? 'cross',
    }));
  }

  async setLeverage(symbol: string, leverage: number): Promise<void> {
    const { marketType, maxLeverage } = this.#instrument(symbol);
    if (marketType !== 'futures') throw new ExchangeError('rejected', `${symbol} has no leverage.`);
    if (!(leverage >= 1 && leverage <= maxLeverage))
      throw new ExchangeError('rejected', `${symbol} allows a leverage of 1 to ${maxLeverage}.`);
    this.#leverages.set(symbol, leverage);
  }

  async setMarginMode(symbol: string, mode: Position['marginMode']): Promise<void> {
    if (this.#instrument(symbol).marketType !== 'futures') throw new ExchangeError('rejected', `${symbol} has no margin mode.`);
    if ((this.#marginModes.get(symbol) ?? 'cross') === mode) return;
    const isUsed = compare(this.#ledger.held(symbol), zero) !== 0 || (await this.openOrders(symbol)).length > 0;
    if (isUsed) throw new ExchangeError('rejected', `${symbol} has a position or open orders, and keeps its margin mode.`);
    this.#marginModes.set(symbol, mode);
  }

  async marginSettings(symbol: string): Promise<MarginSettings> {
    if (this.#instrument(symbol).marketType !== 'futures') throw new ExchangeError('rejected', `${symbol} has no leverage.`);
    return { leverage: this.#leverageOf(symbol), marginMode: this.#marginModes.get(symbol) ?? 'cross' };
  }

  patiently<Result>(questions: () => Promise<Result>): Promise<Result> {
    return questions();
  }

  watch(listener: (report: AccountReport) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
  }

  /** Why a request is refused, checked in this sequence; null when it is not. */
  #faultOf(request: OrderRequest): string | null {
    const instrument = this.#instruments.get(request.symbol);
    if (instrument === undefined) return `there is no ${request.symbol}.`;
    if (request.expiresAt < this.#time) return 'the request has expired.';
    const prices = this.#prices.get(request.symbol);
    if (prices === undefined) return `${request.symbol} has no price yet.`;
    const named = this.#newest(request.symbol, request.clientOrderId);
    if (named !== undefined && (this.#setUp.remembersIds === 'always' || named.state === 'open')) return 'Duplicate order sent.';
    if (!isMultiple(request.amount, instrument.amountStep * instrument.contractSize)) return 'the amount is not a multiple of the step.';
    if (request.amount < instrument.minAmount) return 'the amount is too small.';
    if (request.type === 'limit' && !(request.price !== null && isMultiple(request.price, instrument.priceTick)))
      return 'the price is not a multiple of the tick.';
    if (request.type === 'stop' && !(request.stopPrice !== null && request.stopPrice > 0)) return 'a stop needs its price.';
    if (request.type === 'stop' && this.#isTriggered(request)) return 'the stop would trigger at once.';
    const expected = this.#spends(request);
    const isReducing = request.reduceOnly && instrument.marketType === 'futures'; // the rest of a position may be as small as it is
    if (!isReducing && request.amount * toNumber(expected.price) < instrument.minCost) return 'the value is too small.';
    if (isReducing) {
      const held = this.#ledger.held(request.symbol);
      return compare(held, zero) === (request.side === 'sell' ? 1 : -1) ? null : 'nothing is held that it could reduce.';
    }
    return compare(expected.amount, this.#ledger.free(expected.currency)) > 0 ? `not enough ${expected.currency} is free.` : null;
  }

  /** What the rest of an order may spend at most, at its own price or else the best one. */
  #spends(order: Pick<VenueOrder, 'symbol' | 'side' | 'price' | 'stopPrice'> & { amount: number }): {
    currency: string;
    amount: Decimal;
    price: Decimal;
  } {
    const { base, quote, marketType } = this.#instrument(order.symbol);
    const prices = this.#prices.get(order.symbol);
    const own = order.price ?? order.stopPrice;
    const best = order.side === 'buy' ? prices?.ask : prices?.bid;
    const price = own === null ? (best ?? zero) : toDecimal(own);
    const amount = toDecimal(order.amount);
    const value = times(price, amount);
    if (marketType === 'futures') return { currency: quote, amount: dividedBy(value, toDecimal(this.#leverageOf(order.symbol))), price };
    return order.side === 'buy' ? { currency: quote, amount: value, price } : { currency: base, amount, price };
  }

  #lock(order: VenueOrder): void {
    const rest = order.state === 'open' && !this.#reducing.has(order) ? restOf(order) : 0;
    const { currency, amount } = this.#spends({ ...order, amount: rest });
    this.#ledger.lock(order.exchangeOrderId, currency, amount);
  }

  /** Fills of an order what the prices give. */
  #match(order: VenueOrder, liquidity: 'maker' | 'taker'): void {
    const prices = this.#prices.get(order.symbol);
    if (prices === undefined) return;
    if (order.type === 'stop' && !this.#isTriggered(order)) return;
    const best = order.side === 'buy' ? prices.ask : prices.bid;
    if (order.type === 'limit') {
      const gap = compare(toDecimal(order.price ?? 0), best) * (order.side === 'buy' ? 1 : -1);
      if (gap < 0) return;
    }
    const isMaker = order.type === 'limit' && liquidity === 'maker';
    const price = isMaker ? toDecimal(order.price ?? 0) : best;
    const depth = order.side === 'buy' ? prices.askAmount : prices.bidAmount;
    let amount = toDecimal(restOf(order));
    if (this.#reducing.has(order)) amount = smaller(amount, this.#reducible(order));
    // The position has been left, or turned, since it was placed.
    if (compare(amount, zero) <= 0) return this.#end(order, 'expired');
    const wanted = amount;
    if (depth !== null) amount = smaller(amount, depth);
    if (this.#immediate.get(order) === 'FOK' && compare(amount, wanted) < 0) return;
    if (compare(amount, zero) > 0) {
      if (depth !== null) prices[order.side === 'buy' ? 'askAmount' : 'bidAmount'] = minus(depth, amount);
      this.#fill(order, amount, price, isMaker ? 'maker' : 'taker');
    }
    if (order.state === 'open' && order.type !== 'limit') this.#end(order, 'expired'); // what a market order does not get at once it never gets
  }

  /** How much of a position an order of its opposite side could leave; less than zero where it would add to it. */
  #reducible({ side, symbol }: VenueOrder): Decimal {
    const held = this.#ledger.held(symbol);
    return side === 'sell' ? held : minus(zero, held);
  }

  #fill(order: VenueOrder, amount: Decimal, price: Decimal, liquidity: 'maker' | 'taker'): void {
    const instrument = this.#instrument(order.symbol);
    const { base, quote, marketType } = instrument;
    const value = times(amount, price);
    const ratio = toDecimal(liquidity === 'maker' ? instrument.makerFee : instrument.takerFee);
    const { fee, feeCurrency } = this.#feeOf(order, instrument, amount, value, ratio);
    if (marketType === 'futures') this.#ledger.add(quote, this.#ledger.move(order.symbol, order.side, amount, price));
    else {
      const sign = order.side === 'buy' ? 1 : -1;
      this.#ledger.add(base, sign === 1 ? amount : minus(zero, amount));
      this.#ledger.add(quote, sign === 1 ? minus(zero, value) : value);
    }
    this.#ledger.add(feeCurrency, minus(zero, fee));
    order.filled = toNumber(plus(toDecimal(order.filled), amount));
    const paid = { price: toNumber(price), fee: toNumber(fee), feeCurrency };
    const fill: VenueFill = {
      ...paid,
      id: String(this.#fills.length + 1),
      clientOrderId: order.clientOrderId,
      symbol: order.symbol,
      side: order.side,
      amount: toNumber(amount),
      feeInQuote: feeInQuote(paid, order.symbol),
      liquidity,
      time: this.#time,
    };
    this.#fills.push(fill);
    order.state = nextOrderState(order.state, restOf(order) === 0 ? 'filled' : 'part-filled') as VenueOrder['state'];
    this.#lock(order);
    this.#report(order, fill);
  }

  /** What a fill costs and in which currency. */
  #feeOf(
    order: VenueOrder,
    { base, quote, marketType }: Instrument,
    amount: Decimal,
    value: Decimal,
    ratio: Decimal,
  ): { fee: Decimal; feeCurrency: string } {
    const { feeCurrency, feeDiscount } = this.#setUp;
    if (feeDiscount !== undefined) {
      const fee = rounded(dividedBy(times(value, ratio), toDecimal(feeDiscount.price)));
      if (compare(fee, this.#ledger.free(feeDiscount.currency)) <= 0) return { fee, feeCurrency: feeDiscount.currency };
    }
    const isPaidInBase = marketType !== 'futures' && order.side === 'buy' && feeCurrency === 'received';
    return { fee: times(isPaidInBase ? amount : value, ratio), feeCurrency: isPaidInBase ? base : quote };
  }

  /** At a positive rate who is long pays; who is short holds a negative amount. */
  #pay({ symbol, rate, mark }: FundingEvent & { symbol: string }): void {
    const value = times(times(this.#ledger.held(symbol), toDecimal(mark)), toDecimal(rate));
    this.#ledger.add(this.#instrument(symbol).quote, minus(zero, value));
  }

  #end(order: VenueOrder, event: 'cancelled' | 'expired'): void {
    order.state = nextOrderState(order.state, event) as VenueOrder['state'];
    this.#lock(order);
    this.#report(order, null);
  }

  #isTriggered({ symbol, side, stopPrice }: Pick<VenueOrder, 'symbol' | 'side' | 'stopPrice'>): boolean {
    const prices = this.#prices.get(symbol);
    if (prices === undefined || stopPrice === null) return false;
    return side === 'sell' ? compare(prices.bid, toDecimal(stopPrice)) <= 0 : compare(prices.ask, toDecimal(stopPrice)) >= 0;
  }

  #newest(symbol: string, clientOrderId: string): VenueOrder | undefined {
    return this.#orders.findLast((order) => order.symbol === symbol && order.clientOrderId === clientOrderId);
  }

  #leverageOf(symbol: string): number {
    return this.#leverages.get(symbol) ?? 1;
  }

  #instrument(symbol: string): Instrument {
    const instrument = this.#instruments.get(symbol);
    if (instrument === undefined) throw new ExchangeError('rejected', `There is no ${symbol}.`);
    return instrument;
  }

  #report(order: VenueOrder, fill: VenueFill | null): void {
    for (const listener of this.#listeners) listener({ kind: 'order', order: { ...order }, fill: fill === null ? null : { ...fill } });
    if (fill === null) return;
    for (const balance of this.#ledger.balances()) for (const listener of this.#listeners) listener({ kind: 'balance', balance });
  }
}

function restOf({ requested, filled }: Pick<VenueOrder, 'requested' | 'filled'>): number {
  return toNumber(minus(toDecimal(requested), toDecimal(filled)));
}

/** To the eight decimals of a balance. */
function rounded(value: Decimal): Decimal {
  const unit = { digits: 1n, scale: 8 };
  return times({ digits: wholeSteps(value, unit), scale: 0 }, unit);
}

function isMultiple(value: number, step: number): boolean {
  if (!(value > 0)) return false;
  const [exact, unit] = [toDecimal(value), toDecimal(step)];
  return compare(times({ digits: wholeSteps(exact, unit), scale: 0 }, unit), exact) === 0;
}

function smaller(a: Decimal, b: Decimal): Decimal {
  return compare(a, b) < 0 ? a : b;
}
