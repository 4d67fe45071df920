import { fundingMs } from '../../market/funding.ts';
import { lastExecution } from '../../market/last-execution.ts';
import type { Pair } from '../../market/listings.ts';
import { type Market, tickMs } from '../../market/market.ts';
import type { Liquidity } from '../liquidity.ts';
import { priceUnits, product } from '../money.ts';
import type { Order } from '../order.ts';
import { isOpen } from '../order-state.ts';
import { Refusal } from '../refusal.ts';
import type { AccountRules } from '../spot-account.ts';
import type { OrderWish } from '../spot-checks.ts';
import { reaches, takesOf } from '../taking.ts';
import { walk } from '../walk.ts';
import { afterPrice, type AlgoOrder, isSetOff } from './algo-order.ts';
import { trigger } from './algo-trigger.ts';
import { largestAt } from './brackets.ts';
import { FuturesFollower } from './follower.ts';
import { payFunding } from './funding-payments.ts';
import { checkFuturesFilters, endFutures, fillable, fillFrom, takeFutures } from './futures-orders.ts';
import { futuresFee } from './futures-fill.ts';
import type { FuturesRows } from './futures-rows.ts';
import { liquidate, marginBuffer } from './liquidation.ts';
import { marginSummary, orderMarginOf } from './margin.ts';
import { absolute } from './position.ts';

/** The USD-M account of a key: one position for each perpetual, with cross or isolated margin. */
export class FuturesAccount {
  readonly rows: FuturesRows;
  readonly #market: Market;
  readonly #liquidity: Liquidity;
  readonly #rules: AccountRules;

  constructor(rows: FuturesRows, market: Market, liquidity: Liquidity, rules: AccountRules) {
    this.rows = rows;
    this.#market = market;
    this.#liquidity = liquidity;
    this.#rules = rules;
  }

  /** Lets orders and positions meet all ticks up to this one. */
  advance(tick: number): void {
    const from = this.rows.state.tick;
    if (tick <= from) return;
    const follower = new FuturesFollower(
      this.rows,
      this.#market,
      (symbol) => this.mark(symbol),
      (at) => this.#meet(at),
    );
    walk(this.#market, from, tick, follower);
    this.rows.setTick(tick);
  }

  /** The mark price of a perpetual at the tick that was met last: that of the same pair on spot. */
  mark(symbol: string): bigint {
    const pair = this.#market.pair('spot', symbol) ?? this.pair(symbol);
    const execution = lastExecution(this.#market, pair, this.rows.state.tick);
    if (execution === null) throw new Refusal(-1013, 'Market is closed.');
    return priceUnits(pair, execution.price);
  }

  /** Fails: Refusal in the words of the exchange; nothing was done then */
  place(pair: Pair, wish: OrderWish, time: number): Order {
    const execution = lastExecution(this.#market, pair, this.rows.state.tick);
    if (execution === null) throw new Refusal(-1013, 'Market is closed.');
    checkFuturesFilters(pair, wish, this.mark(pair.id));
    const named = this.rows.orderByClientId(pair.id, wish.clientOrderId);
    if (named !== undefined && (this.#rules.remembersIds === 'always' || isOpen(named)))
      throw new Refusal(-4116, 'ClientOrderId is duplicated.');
    const state = { filled: 0n, filledQuote: 0n, reserved: 0n, status: 'NEW' as const, isWorking: true, listId: -1 };
    const order: Order = { ...wish, ...state, id: this.rows.state.orders + 1, symbol: pair.id, time, updateTime: time };
    if (wish.reduceOnly && fillable(this.rows, order) === 0n) throw new Refusal(-2022, 'ReduceOnly Order is rejected.');
    const takes = takesOf(pair, order, this.#liquidity.offers(pair, execution, wish.side));
    if (wish.timeInForce === 'GTX' && takes.length > 0) throw new Refusal(-5022, postOnlyText);
    const offered = takes.reduce((sum, { amount }) => sum + amount, 0n);
    if (wish.timeInForce === 'FOK' && offered < fillable(this.rows, order)) throw new Refusal(-5021, fillOrKillText);
    if (!wish.reduceOnly) this.#checkMargin(pair, wish);
    this.rows.next('orders');
    this.rows.putOrder(order);
    this.rows.reportOrder('NEW', order, null, time);
    const after = takeFutures(this.rows, this.#liquidity, pair, order, execution, time);
    this.#tidy(pair, time);
    return after;
  }

  /** Fails: Refusal -2011 when no such order is open */
  cancel(order: Order | undefined, time: number): Order {
    if (order === undefined || !isOpen(order)) throw new Refusal(-2011, 'Unknown order sent.');
    return endFutures(this.rows, order, 'CANCELED', time);
  }

  /** Fails: Refusal in the words of the exchange */
  placeAlgo(pair: Pair, wish: Omit<AlgoOrder, 'id' | 'symbol' | 'time'>, time: number): AlgoOrder {
    const named = this.rows.algoByClientId(wish.clientAlgoId);
    if (named !== undefined && (this.#rules.remembersIds === 'always' || named.status === 'NEW'))
      throw new Refusal(-4116, 'ClientOrderId is duplicated.');
    if (wish.closePosition) {
      const same = [...this.rows.algos.rows()].some(
        (each) => each.symbol === pair.id && each.closePosition && each.side === wish.side && each.type === wish.type,
      );
      if (same) throw new Refusal(-4130, 'An open stop or take profit order with GTE and closePosition in the direction is existing.');
    } else {
      const price = wish.price !== 0n ? wish.price : wish.triggerPrice !== 0n ? wish.triggerPrice : this.mark(pair.id);
      checkFuturesFilters(pair, { ...wish, type: 'MARKET', price, stopPrice: 0n, quoteAmount: 0n, clientOrderId: '' }, price);
    }
    if (wish.triggerPrice % priceUnits(pair, 1) !== 0n) throw new Refusal(-4014, 'Price not increased by tick size.');
    const price = this.#workingPrice(pair, wish.workingType);
    const algo = afterPrice({ ...wish, id: this.rows.state.orders + 1, symbol: pair.id, time }, price);
    if (isSetOff(algo, price)) throw new Refusal(-2021, 'Order would immediately trigger.');
    this.rows.next('orders');
    this.rows.putAlgo(algo);
    this.rows.reportAlgo(algo, time);
    return algo;
  }

  /** Fails: Refusal -2011 when no such conditional order waits */
  cancelAlgo(algo: AlgoOrder | undefined, time: number): AlgoOrder {
    if (algo === undefined || algo.status !== 'NEW') throw new Refusal(-2011, 'Unknown order sent.');
    const cancelled: AlgoOrder = { ...algo, status: 'CANCELED', updateTime: time };
    this.rows.putAlgo(cancelled);
    this.rows.reportAlgo(cancelled, time);
    return cancelled;
  }

  /** The perpetual of this id. */
  pair(symbol: string): Pair {
    const pair = this.#market.pair('futures', symbol);
    if (pair === undefined) throw new Error(`The perpetual ${symbol} of an account is not listed any more.`);
    return pair;
  }

  #checkMargin(pair: Pair, wish: OrderWish): void {
    const mark = this.mark(pair.id);
    const price = wish.price > mark ? wish.price : mark;
    const needed = orderMarginOf(this.rows, pair.id, mark, wish) - orderMarginOf(this.rows, pair.id, mark);
    const { available } = marginSummary(this.rows, pair.quote, (symbol) => this.mark(symbol));
    if (needed > 0n && needed + futuresFee(product(price, wish.amount), false) > available)
      throw new Refusal(-2019, 'Margin is insufficient.');
    const { amount, leverage } = this.rows.position(pair.id);
    const after = absolute(amount + (wish.side === 'BUY' ? wish.amount : -wish.amount));
    if (product(mark, after) > largestAt(leverage))
      throw new Refusal(-2027, 'Exceeded the maximum allowable position at current leverage.');
  }

  #workingPrice(pair: Pair, workingType: AlgoOrder['workingType']): bigint {
    if (workingType === 'MARK_PRICE') return this.mark(pair.id);
    const execution = lastExecution(this.#market, pair, this.rows.state.tick);
    return execution === null ? this.mark(pair.id) : priceUnits(pair, execution.price);
  }

  /** One tick: funding, conditional orders, resting orders, and then whether the margin still suffices. */
  #meet(tick: number): void {
    const time = tick * tickMs;
    this.rows.setTick(tick);
    if (time % fundingMs === 0) payFunding(this.rows, this.#market, (symbol) => this.mark(symbol), time);
    for (const algo of [...this.rows.algos.rows()].sort((a, b) => a.id - b.id)) this.#meetAlgo(algo, time);
    for (const order of [...this.rows.open.rows()].sort((a, b) => a.id - b.id)) this.#meetOrder(order, tick);
    for (const { symbol } of this.rows.held()) {
      const pair = this.pair(symbol);
      const execution = lastExecution(this.#market, pair, tick);
      const position = this.rows.position(symbol);
      if (execution === null || position.amount === 0n) continue;
      if (marginBuffer(this.rows, position, pair.quote, (each) => this.mark(each)) >= 0n) continue;
      liquidate(this.rows, this.#liquidity, pair, execution, time);
      this.#tidy(pair, time);
    }
  }

  #meetAlgo(before: AlgoOrder, time: number): void {
    const current = this.rows.algos.get(String(before.id));
    if (current === undefined) return; // another order of this tick has ended it
    const pair = this.pair(current.symbol);
    const price = this.#workingPrice(pair, current.workingType);
    const algo = afterPrice(current, price);
    if (algo !== current) this.rows.putAlgo(algo);
    if (isSetOff(algo, price))
      trigger({ rows: this.rows, place: (...wish) => this.place(...wish), madeOrderIds: this.#rules.madeOrderIds }, pair, algo, time);
  }

  #meetOrder(before: Order, tick: number): void {
    const order = this.rows.open.get(String(before.id));
    const pair = this.pair(before.symbol);
    const execution = this.#market.execution(pair, tick);
    if (order === undefined || execution === null || order.time >= tick * tickMs) return;
    const price = priceUnits(pair, execution.price);
    if (!reaches(order, price)) return;
    const executed = { price: 0n, amount: this.#liquidity.executed(pair, execution) };
    const passed = price === order.price ? [] : takesOf(pair, order, this.#liquidity.offers(pair, execution, order.side));
    const takes = [executed, ...passed].filter(({ amount }) => amount > 0n);
    fillFrom(this.rows, this.#liquidity, pair, order, { takes, tick, price: order.price, time: tick * tickMs });
    this.#tidy(pair, tick * tickMs);
  }

  /** Ends what has nothing left to reduce or to close. */
  #tidy(pair: Pair, time: number): void {
    for (const order of [...this.rows.open.rows()].filter(({ symbol, reduceOnly }) => symbol === pair.id && reduceOnly))
      if (fillable(this.rows, order) === 0n) endFutures(this.rows, order, 'EXPIRED', time);
    if (this.rows.position(pair.id).amount !== 0n) return;
    for (const algo of [...this.rows.algos.rows()].filter(({ symbol, closePosition }) => symbol === pair.id && closePosition)) {
      const ended: AlgoOrder = { ...algo, status: 'EXPIRED', reason: 'The position is closed.', updateTime: time };
      this.rows.putAlgo(ended);
      this.rows.reportAlgo(ended, time);
    }
  }
}

const postOnlyText =
  'Due to the order could not be executed as maker, the Post Only order will be rejected. The order will not be recorded in the order history';
const fillOrKillText =
  'Due to the order could not be filled immediately, the FOK order has been rejected. The order will not be recorded in the order history';
