import type { AlgoOrder } from '../account/futures/algo-order.ts';
import { textOf } from '../account/money.ts';
import type { AccountFill, Order } from '../account/order.ts';
import type { Pair } from '../market/listings.ts';

/** How prices, amounts and averages of a perpetual are written. */
export function writerOf(pair: Pair) {
  return {
    price: (units: bigint) => textOf(units, Math.max(2, pair.decimals)),
    amount: (units: bigint) => textOf(units, pair.amountDecimals),
    average: (order: Pick<Order, 'filled' | 'filledQuote'>) =>
      textOf(order.filled === 0n ? 0n : (order.filledQuote * 100_000_000n) / order.filled, 5),
  };
}

/** The answer about an order of USD-M that was made or cancelled. */
export function futuresOrderAnswer(pair: Pair, order: Order) {
  const { price, amount, average } = writerOf(pair);
  return {
    orderId: order.id,
    symbol: order.symbol,
    status: order.status,
    clientOrderId: order.clientOrderId,
    price: price(order.price),
    avgPrice: average(order),
    origQty: amount(order.amount),
    executedQty: amount(order.filled),
    cumQty: amount(order.filled),
    cumQuote: textOf(order.filledQuote, 5),
    timeInForce: order.timeInForce,
    type: order.type,
    reduceOnly: order.reduceOnly,
    closePosition: false,
    side: order.side,
    positionSide: 'BOTH',
    stopPrice: price(0n),
    workingType: 'CONTRACT_PRICE',
    priceProtect: false,
    origType: order.type,
    priceMatch: 'NONE',
    selfTradePreventionMode: 'NONE',
    goodTillDate: 0,
    updateTime: order.updateTime,
  };
}

/** The answer about an order of USD-M that exists. */
export function futuresOrderRow(pair: Pair, order: Order) {
  const { cumQty: _cumQty, ...answer } = futuresOrderAnswer(pair, order);
  return { ...answer, time: order.time };
}

/** The answer about a conditional order. */
export function algoAnswer(pair: Pair, algo: AlgoOrder, isQuery: boolean) {
  const { price, amount } = writerOf(pair);
  const isTrailing = algo.type === 'TRAILING_STOP_MARKET';
  return {
    algoId: algo.id,
    clientAlgoId: algo.clientAlgoId,
    algoType: 'CONDITIONAL',
    orderType: algo.type,
    symbol: algo.symbol,
    side: algo.side,
    positionSide: 'BOTH',
    timeInForce: algo.timeInForce,
    quantity: amount(algo.amount),
    algoStatus: algo.status,
    ...(isQuery ? { actualOrderId: algo.actualOrderId === 0 ? '' : String(algo.actualOrderId), actualPrice: price(0n) } : {}),
    triggerPrice: price(isTrailing ? 0n : algo.triggerPrice),
    price: price(algo.price),
    icebergQuantity: null,
    selfTradePreventionMode: 'EXPIRE_MAKER',
    workingType: algo.workingType,
    priceMatch: 'NONE',
    closePosition: algo.closePosition,
    priceProtect: false,
    reduceOnly: algo.reduceOnly,
    ...(isTrailing ? { activatePrice: price(algo.triggerPrice), callbackRate: textOf(algo.callback * 100n, 1) } : {}),
    createTime: algo.time,
    updateTime: algo.updateTime,
    triggerTime: algo.triggerTime,
    goodTillDate: 0,
  };
}

/** A row of `userTrades`. */
export function futuresFillRow(pair: Pair, fill: AccountFill) {
  const { price, amount } = writerOf(pair);
  return {
    symbol: fill.symbol,
    id: fill.id,
    orderId: fill.orderId,
    side: fill.side,
    price: price(fill.price),
    qty: amount(fill.amount),
    realizedPnl: textOf(fill.realized),
    quoteQty: textOf(fill.quote),
    commission: textOf(fill.fee),
    commissionAsset: fill.feeAsset,
    time: fill.time,
    positionSide: 'BOTH',
    buyer: fill.side === 'BUY',
    maker: fill.isMaker,
    marginAsset: pair.quote,
  };
}
