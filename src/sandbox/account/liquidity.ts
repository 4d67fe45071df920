import type { Pair } from '../market/listings.ts';
import { type Execution, type Market, pairKey } from '../market/market.ts';
import { bookAt, bookDepth } from '../market/order-book.ts';
import { amountUnits, priceUnits } from './money.ts';

/** What may be had at a price. Unit: units */
export interface Offer {
  price: bigint;
  amount: bigint;
}

/**
 * What the market offers one account at a tick: the book, and what is executed. What the account has taken is gone until the
 * next tick.
 */
export class Liquidity {
  readonly #market: Market;
  readonly #taken = new Map<string, { tick: number; amounts: Map<bigint, bigint> }>();

  constructor(market: Market) {
    this.#market = market;
  }

  /** The levels that an order of this side meets, best first. */
  offers(pair: Pair, execution: Execution, side: 'BUY' | 'SELL'): Offer[] {
    const book = bookAt(this.#market, pair, execution, bookDepth);
    return (side === 'BUY' ? book.asks : book.bids)
      .map(([ticks, steps]) => {
        const price = priceUnits(pair, ticks);
        return { price, amount: amountUnits(pair, steps) - this.#takenAt(pair, execution.id, price) };
      })
      .filter(({ amount }) => amount > 0n);
  }

  /** What is executed at this tick, as far as the account has not had it yet. */
  executed(pair: Pair, execution: Execution): bigint {
    return amountUnits(pair, execution.amount) - this.#takenAt(pair, execution.id, 0n);
  }

  /** Notes what the account has taken at a price of the book, or of what is executed: price 0. */
  take(pair: Pair, tick: number, price: bigint, amount: bigint): void {
    this.#amounts(pair, tick).set(price, this.#takenAt(pair, tick, price) + amount);
  }

  #takenAt(pair: Pair, tick: number, price: bigint): bigint {
    return this.#amounts(pair, tick).get(price) ?? 0n;
  }

  #amounts(pair: Pair, tick: number): Map<bigint, bigint> {
    let entry = this.#taken.get(pairKey(pair));
    if (entry?.tick !== tick) {
      entry = { tick, amounts: new Map() };
      this.#taken.set(pairKey(pair), entry);
    }
    return entry.amounts;
  }
}
