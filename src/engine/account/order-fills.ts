import type { Decimal } from '../market/decimal.ts';
import { dividedBy, minus, plus, times, toDecimal, toNumber, zero } from '../market/decimal.ts';
import type { Fill } from './fill.ts';
import { coinKeptBack } from './fill.ts';
import type { Order } from './order.ts';

/**
 * Adds a fill to its order: filled amount, average price, fee and role follow from all its fills. Returns false, and
 * changes nothing, when the fill is known already: the same twice is once.
 *
 * `knownRatio` is the fee of a simulated fill as it was configured, which a division would give only nearly.
 */
export function addFill(order: Order, fill: Fill, symbol: string, knownRatio: number | null = null): boolean {
  for (const known of order.fills) if (known.id === fill.id) return false;
  order.fills.push(fill);
  if (order.filledTime === null || fill.time > order.filledTime) order.filledTime = fill.time;
  if (order.fills.length === 1 && knownRatio !== null) {
    order.filled = fill.amount;
    order.fillPrice = fill.price;
    order.feeRatio = knownRatio;
    order.liquidity = fill.liquidity;
    return true;
  }
  sumUp(order, symbol);
  return true;
}

/** Works all figures out from all fills, so that they do not depend on the sequence in which these were reported. */
function sumUp(order: Order, symbol: string): void {
  const coin = coinKeptBack(symbol);
  let filled = zero;
  let value = zero;
  let baseFee = zero;
  let fees: Decimal | null = zero;
  for (const fill of order.fills) {
    const amount = toDecimal(fill.amount);
    filled = plus(filled, amount);
    value = plus(value, times(toDecimal(fill.price), amount));
    if (fill.feeCurrency === coin && order.purpose === 'entry' && order.side === 'buy') baseFee = plus(baseFee, toDecimal(fill.fee));
    fees = fees === null || fill.feeInQuote === null ? null : plus(fees, toDecimal(fill.feeInQuote));
  }
  const price = dividedBy(value, filled);
  const received = minus(filled, baseFee);
  order.filled = toNumber(filled);
  order.baseFee = toNumber(baseFee);
  order.fillPrice = toNumber(price);
  // What was paid for is what is received: the price of the coins kept as a fee is in the ratio.
  order.feeRatio = fees === null ? null : toNumber(dividedBy(fees, times(price, received)));
  const [first] = order.fills;
  order.liquidity = order.fills.every(({ liquidity }) => liquidity === first?.liquidity) ? (first?.liquidity ?? null) : null;
}

/** What the fills of an order are worth at their own prices, in quote currency; without the coins that were kept as a fee. */
export function movedValue(order: Order): Decimal {
  const [first] = order.fills;
  if (order.fills.length === 1 && order.baseFee === 0) return times(toDecimal(first.price), toDecimal(first.amount));
  let value = zero;
  for (const { price, amount } of order.fills) value = plus(value, times(toDecimal(price), toDecimal(amount)));
  if (order.baseFee === 0) return value;
  const filled = toDecimal(order.filled);
  return dividedBy(times(value, minus(filled, toDecimal(order.baseFee))), filled);
}

/** The base currency that an order has moved: what was filled, without the fee of an entry that was taken in base currency. */
export function movedAmount(order: Pick<Order, 'filled' | 'baseFee'>): number {
  return order.baseFee === 0 ? order.filled : toNumber(minus(toDecimal(order.filled), toDecimal(order.baseFee)));
}
