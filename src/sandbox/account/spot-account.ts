import type { Pair } from '../market/listings.ts';
import { lastExecution } from '../market/last-execution.ts';
import { type Execution, type Market, tickMs } from '../market/market.ts';
import type { AccountRows } from './account-rows.ts';
import type { Liquidity } from './liquidity.ts';
import { least, priceUnits, product } from './money.ts';
import type { Order, OrderList } from './order.ts';
import { isOpen } from './order-state.ts';
import { Refusal } from './refusal.ts';
import { checkFilters, type OrderWish } from './spot-checks.ts';
import { settleSpotFill } from './spot-settlement.ts';
import { isTriggered, reaches, takesOf } from './taking.ts';
import { walk } from './walk.ts';

/** How an account is set up that tests and drills may change. */
export interface AccountRules {
  remembersIds: 'while-open' | 'always'; // whether the client id of a finished order may be used again
  readDelayMs: number; // how long after its making an order is missing in what is read
  madeOrderIds: 'same' | 'new'; // whether the order that a conditional one makes has its client id, or one of its own
}

const funds = () => new Refusal(-2010, 'Account has insufficient balance for requested action.');

/** The spot account of a key: its orders meet the prices of the market, and nobody else's orders. */
export class SpotAccount {
  readonly rows: AccountRows;
  readonly #market: Market;
  readonly #liquidity: Liquidity;
  readonly #rules: AccountRules;

  constructor(rows: AccountRows, market: Market, liquidity: Liquidity, rules: AccountRules) {
    this.rows = rows;
    this.#market = market;
    this.#liquidity = liquidity;
    this.#rules = rules;
  }

  /** Lets its orders meet all ticks up to this one. */
  advance(tick: number): void {
    const from = this.rows.state.tick;
    if (tick <= from) return;
    walk(this.#market, from, tick, {
      pairs: () => this.#pairs(),
      isReached: (pair, low, high) => this.#openOf(pair).some((order) => isReachedBetween(pair, order, low, high)),
      isDue: () => false,
      passed: () => {},
      meet: (at) => this.#meet(at),
    });
    this.rows.setTick(tick);
  }

  /** Fails: Refusal in the words of the exchange; nothing was done then */
  place(pair: Pair, wish: OrderWish, time: number, reserve?: (order: Order) => bigint): Order {
    const execution = lastExecution(this.#market, pair, this.rows.state.tick);
    if (execution === null) throw new Refusal(-1013, 'Market is closed.');
    const marketPrice = priceUnits(pair, execution.price);
    checkFilters(pair, wish, marketPrice, this.#openOf(pair).length);
    const named = this.rows.orderByClientId(pair.id, wish.clientOrderId);
    if (named !== undefined && (this.#rules.remembersIds === 'always' || isOpen(named))) throw new Refusal(-2010, 'Duplicate order sent.');
    const isWorking = wish.stopPrice === 0n;
    if (!isWorking && isTriggered(wish, marketPrice)) throw new Refusal(-2010, 'Stop price would trigger immediately.');
    const wanted = newOrder(pair, wish, this.rows.state.orders + 1, time, isWorking);
    const takes = isWorking ? takesOf(pair, wanted, this.#liquidity.offers(pair, execution, wish.side)) : [];
    const order = wish.quoteAmount === 0n ? wanted : { ...wanted, amount: takes.reduce((sum, { amount }) => sum + amount, 0n) };
    if (wish.type === 'LIMIT_MAKER' && takes.length > 0) throw new Refusal(-2010, 'Order would immediately match and take.');
    const reserved = reserve?.(order) ?? this.#reservation(pair, order, takes);
    if (reserved > this.rows.balance(wish.side === 'BUY' ? pair.quote : pair.base).free) throw funds();
    if (wish.price === 0n && isWorking && takes.length === 0) throw new Refusal(-2010, 'Market order was rejected: the book is empty.');
    const placed: Order = { ...order, reserved };
    this.rows.next('orders');
    this.rows.putOrder(placed);
    const reservedIn = pair[wish.side === 'BUY' ? 'quote' : 'base'];
    this.rows.move(reservedIn, -reserved, reserved);
    this.rows.reportOrder('NEW', placed, null, time);
    if (reserved > 0n) this.rows.reportBalances([reservedIn], time);
    return isWorking ? this.#take(pair, placed, execution, time) : placed;
  }

  /** Fails: Refusal -2011 when no such order is open */
  cancel(order: Order | undefined, time: number): Order {
    if (order === undefined || !isOpen(order)) throw new Refusal(-2011, 'Unknown order sent.');
    this.#endPartner(order, 'CANCELED', time);
    return this.#end(order, 'CANCELED', time);
  }

  /**
   * Places a limit order and a stop of which one ends when the other is executed. They share what is set aside.
   *
   * Fails: Refusal in the words of the exchange; nothing was done then
   */
  placePair(pair: Pair, wishes: { limit: OrderWish; stop: OrderWish; clientListId: string }, time: number): OrderList {
    const { limit, stop, clientListId } = wishes;
    const named = [...this.rows.lists.rows()].some((list) => list.clientListId === clientListId && !list.isDone);
    if (named) throw new Refusal(-2010, 'Duplicate order sent.');
    if (reaches(limit, stop.stopPrice) || limit.clientOrderId === stop.clientOrderId)
      throw new Refusal(-2010, 'The relationship of the prices for the orders is not correct.');
    const first = this.place(pair, limit, time, (order) => this.#pairReservation(order, stop));
    const second = this.place(pair, stop, time, () => 0n);
    const id = this.rows.next('lists');
    for (const order of [first, second]) this.rows.putOrder({ ...order, listId: id });
    const orders = [first, second].map((order) => ({ id: order.id, clientOrderId: order.clientOrderId }));
    const list: OrderList = { id, clientListId, symbol: pair.id, orders, isDone: false, time };
    this.rows.lists.put(String(id), list);
    this.rows.reportList(list, time);
    return list;
  }

  /** The most that either of a pair may need; the limit order holds it. */
  #pairReservation(limit: Order, stop: OrderWish): bigint {
    if (limit.side === 'SELL') return limit.amount;
    const [own, other] = [product(limit.price, limit.amount), product(stop.price, stop.amount)];
    return own > other ? own : other;
  }

  /** Ends the other order of a pair, because this one is executed, reached or cancelled. */
  #endPartner({ id, listId }: Order, what: 'CANCELED' | 'EXPIRED', time: number): void {
    const list = listId < 0 ? undefined : this.rows.lists.get(String(listId));
    if (list === undefined || list.isDone) return;
    const done: OrderList = { ...list, isDone: true };
    this.rows.lists.put(String(listId), done);
    for (const other of list.orders) {
      const partner = other.id === id ? undefined : this.rows.open.get(String(other.id));
      if (partner !== undefined) this.#end(partner, what, time);
    }
    this.rows.reportList(done, time);
  }

  /** What must be set aside for an order. Fails: Refusal when there is not so much */
  #reservation(pair: Pair, order: Order, takes: readonly { price: bigint; amount: bigint }[]): bigint {
    const isBuy = order.side === 'BUY';
    const isMarketBuy = isBuy && order.price === 0n;
    const cost = takes.reduce((sum, { price, amount }) => sum + product(price, amount), 0n);
    const wanted = isMarketBuy ? cost : isBuy ? product(order.price, order.amount) : order.amount;
    const { free } = this.rows.balance(isBuy ? pair.quote : pair.base);
    if (wanted > free || (isBuy && order.quoteAmount > free)) throw funds();
    return isMarketBuy ? 0n : wanted;
  }

  /** Takes of the book what the order reaches; what is left rests or ends, as its time in force says. */
  #take(pair: Pair, order: Order, execution: Execution, time: number): Order {
    const takes = takesOf(pair, order, this.#liquidity.offers(pair, execution, order.side));
    const sum = takes.reduce((total, { amount }) => total + amount, 0n);
    if (order.timeInForce === 'FOK' && sum < order.amount) return this.#end(order, 'EXPIRED', time);
    let current = order;
    for (const { price, amount } of takes) {
      if (order.price === 0n && order.side === 'BUY' && product(price, amount) > this.rows.balance(pair.quote).free) break; // a stop at market
      this.#liquidity.take(pair, execution.id, price, amount);
      current = this.#settle(pair, current, { price, amount, isMaker: false, time });
    }
    const ends = order.price === 0n || order.timeInForce === 'IOC';
    return ends && isOpen(current) ? this.#end(current, 'EXPIRED', time) : current;
  }

  #meet(tick: number): void {
    const time = tick * tickMs;
    for (const pair of this.#pairs()) {
      const execution = this.#market.execution(pair, tick);
      if (execution === null) continue;
      const price = priceUnits(pair, execution.price);
      for (const { id } of this.#openOf(pair).sort(byPrice)) {
        const order = this.rows.open.get(String(id));
        if (order === undefined) continue; // its partner has ended it at this tick
        if (!order.isWorking) {
          if (!isTriggered(order, price)) continue;
          const working = this.#setWorking(pair, order, time);
          this.rows.reportOrder('NEW', working, null, time);
          this.#take(pair, working, execution, time);
        } else if (reaches(order, price)) this.#fillResting(pair, order, execution, price, time);
      }
    }
  }

  /** A stop that was reached. One of a pair takes over what the pair has set aside. */
  #setWorking(pair: Pair, order: Order, time: number): Order {
    this.#endPartner(order, 'EXPIRED', time);
    const isBuy = order.side === 'BUY';
    const wanted = order.listId < 0 ? order.reserved : isBuy ? product(order.price, order.amount) : order.amount;
    this.rows.move(isBuy ? pair.quote : pair.base, order.reserved - wanted, wanted - order.reserved);
    const working: Order = { ...order, reserved: wanted, isWorking: true, updateTime: time };
    this.rows.putOrder(working);
    return working;
  }

  /** A resting order gets what is executed at its price, and all that is offered when the price has passed it. */
  #fillResting(pair: Pair, order: Order, execution: Execution, price: bigint, time: number): void {
    const executed = { at: 0n, amount: this.#liquidity.executed(pair, execution) };
    const passed = price === order.price ? [] : takesOf(pair, order, this.#liquidity.offers(pair, execution, order.side));
    let current = order;
    if (executed.amount > 0n || passed.length > 0) this.#endPartner(order, 'EXPIRED', time);
    for (const { at, amount } of [executed, ...passed.map((offer) => ({ at: offer.price, amount: offer.amount }))]) {
      const got = least(amount, current.amount - current.filled);
      if (got <= 0n) continue;
      this.#liquidity.take(pair, execution.id, at, got);
      current = this.#settle(pair, current, { price: order.price, amount: got, isMaker: true, time });
    }
  }

  #settle(pair: Pair, order: Order, fill: { price: bigint; amount: bigint; isMaker: boolean; time: number }): Order {
    return settleSpotFill(this.rows, pair, order, { ...fill, bnbPrice: this.#bnbPrice(pair, fill.time) });
  }

  #bnbPrice({ quote }: Pair, time: number): bigint | null {
    const pair = this.rows.state.paysFeesInBnb ? this.#market.pair('spot', `BNB${quote}`) : undefined;
    const execution = pair === undefined ? null : lastExecution(this.#market, pair, Math.floor(time / tickMs));
    return pair === undefined || execution === null ? null : priceUnits(pair, execution.price);
  }

  #end(order: Order, what: 'CANCELED' | 'EXPIRED', time: number): Order {
    const ended: Order = { ...order, status: what, reserved: 0n, updateTime: time };
    const pair = this.#pair(order.symbol);
    const asset = order.side === 'BUY' ? pair.quote : pair.base;
    this.rows.move(asset, order.reserved, -order.reserved);
    this.rows.putOrder(ended);
    this.rows.reportOrder(what, ended, null, time);
    if (order.reserved > 0n) this.rows.reportBalances([asset], time);
    return ended;
  }

  #pairs(): Pair[] {
    return [...new Set([...this.rows.open.rows()].map(({ symbol }) => symbol))].map((symbol) => this.#pair(symbol));
  }

  #openOf(pair: Pair): Order[] {
    return [...this.rows.open.rows()].filter(({ symbol }) => symbol === pair.id);
  }

  #pair(symbol: string): Pair {
    const pair = this.#market.pair('spot', symbol);
    if (pair === undefined) throw new Error(`The pair ${symbol} of an order is not listed any more.`);
    return pair;
  }
}

function newOrder(pair: Pair, wish: OrderWish, id: number, time: number, isWorking: boolean): Order {
  const state = { filled: 0n, filledQuote: 0n, reserved: 0n, status: 'NEW' as const, listId: -1 };
  return { ...wish, ...state, id, symbol: pair.id, isWorking, time, updateTime: time };
}

function isReachedBetween(pair: Pair, order: Order, low: number, high: number): boolean {
  const [lowest, highest] = [priceUnits(pair, low), priceUnits(pair, high)];
  if (!order.isWorking) return isTriggered(order, lowest) || isTriggered(order, highest);
  return reaches(order, lowest) || reaches(order, highest);
}

/** The best price first, of two alike the older one. */
function byPrice(a: Order, b: Order): number {
  if (a.price === b.price || a.side !== b.side) return a.id - b.id;
  return a.price < b.price === (a.side === 'SELL') ? -1 : 1;
}
