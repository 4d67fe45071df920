import type { Pair } from '../../market/listings.ts';
import { coin, product } from '../money.ts';
import { isOpen } from '../order-state.ts';
import { bracketOf, maintenanceOf } from './brackets.ts';
import type { FuturesRows } from './futures-rows.ts';
import { absolute, type FuturesPosition, unrealized } from './position.ts';

/** The mark price of a perpetual. */
export type MarkOf = (symbol: string) => bigint;

/** What the margin of an account in one asset is made of. */
export interface MarginSummary {
  wallet: bigint;
  crossWallet: bigint; // without the margin of isolated positions
  unrealized: bigint;
  crossUnrealized: bigint;
  positionMargin: bigint; // initial margin of all positions
  orderMargin: bigint; // of what open orders may open
  maintenance: bigint;
  crossMaintenance: bigint;
  available: bigint; // for new orders; never below 0
}

/** The margin of an account in one asset at the mark prices. */
export function marginSummary(rows: FuturesRows, asset: string, markOf: MarkOf): MarginSummary {
  const wallet = rows.balance(asset).free;
  const positions = rows.held().filter(({ symbol }) => symbol.endsWith(asset));
  const cross = positions.filter(({ marginType }) => marginType === 'cross');
  const sum = (of: readonly FuturesPosition[], part: (position: FuturesPosition) => bigint) =>
    of.reduce((total, position) => total + part(position), 0n);
  const profit = (position: FuturesPosition) => unrealized(position, markOf(position.symbol));
  const initial = (position: FuturesPosition) => initialMargin(position, markOf(position.symbol));
  const maintenance = (position: FuturesPosition) => maintenanceMargin(position, markOf(position.symbol));
  const symbols = new Set([...rows.open.rows()].map(({ symbol }) => symbol).filter((symbol) => symbol.endsWith(asset)));
  const orderMargin = [...symbols].reduce((total, symbol) => total + orderMarginOf(rows, symbol, markOf(symbol)), 0n);
  const crossWallet = wallet - sum(positions, ({ isolated }) => isolated);
  const crossUnrealized = sum(cross, profit);
  const available = crossWallet + crossUnrealized - sum(cross, initial) - orderMargin;
  return {
    wallet,
    crossWallet,
    unrealized: sum(positions, profit),
    crossUnrealized,
    positionMargin: sum(positions, initial),
    orderMargin,
    maintenance: sum(positions, maintenance),
    crossMaintenance: sum(cross, maintenance),
    available: available < 0n ? 0n : available,
  };
}

/** The margin that a position needs to be opened: its value divided by its leverage. */
export function initialMargin({ amount, leverage }: FuturesPosition, mark: bigint): bigint {
  return product(mark, absolute(amount)) / BigInt(leverage);
}

/** The margin below which a position is liquidated. */
export function maintenanceMargin({ amount }: FuturesPosition, mark: bigint): bigint {
  return maintenanceOf(product(mark, absolute(amount)));
}

/**
 * The margin of what the open orders of a symbol may open beyond its position, with one more order if given. A purchase is worth its
 * own price; a sale that or the mark price, whichever is higher; an order at market the mark price.
 */
export function orderMarginOf(
  rows: FuturesRows,
  symbol: string,
  mark: bigint,
  more?: { side: 'BUY' | 'SELL'; amount: bigint; price: bigint },
): bigint {
  const { amount, leverage } = rows.position(symbol);
  let [bids, asks] = [0n, 0n]; // values
  const add = (side: 'BUY' | 'SELL', price: bigint, rest: bigint): void => {
    if (side === 'BUY') bids += product(price === 0n ? mark : price, rest);
    else asks += product(price > mark ? price : mark, rest);
  };
  for (const order of [...rows.open.rows()].filter((each) => each.symbol === symbol && !each.reduceOnly && isOpen(each))) {
    add(order.side, order.price, order.amount - order.filled);
  }
  if (more !== undefined) add(more.side, more.price, more.amount);
  const held = product(mark, amount);
  const widest = [held + bids, held - asks].map(absolute).reduce((a, b) => (a > b ? a : b));
  const beyond = widest - absolute(held);
  return beyond <= 0n ? 0n : beyond / BigInt(leverage);
}

/**
 * The mark price at which a position is liquidated while all others stay as they are; 0 when no price does it.
 *
 * Source: wallet + profit = maintenance margin, solved for the price, within the bracket of today's value
 */
export function liquidationPrice(rows: FuturesRows, pair: Pair, position: FuturesPosition, markOf: MarkOf): bigint {
  const size = absolute(position.amount);
  if (size === 0n) return 0n;
  const mark = markOf(pair.id);
  const value = product(mark, size);
  const own = unrealized(position, mark);
  const summary = marginSummary(rows, pair.quote, markOf);
  const others =
    position.marginType === 'isolated'
      ? position.isolated
      : summary.crossWallet + summary.crossUnrealized - own - (summary.crossMaintenance - maintenanceOf(value));
  const { ratio, deduction } = bracketOf(value);
  const sign = position.amount > 0n ? 1n : -1n;
  // others + sign (price size - cost) = price size ratio - deduction
  const constant = others - sign * position.cost + deduction;
  const slope = (size * (ratio - sign * coin)) / coin;
  const price = slope === 0n ? 0n : (constant * coin) / slope;
  return price > 0n ? price : 0n;
}
