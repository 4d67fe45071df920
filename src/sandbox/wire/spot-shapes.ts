import { textOf } from '../account/money.ts';
import type { AccountEvent } from '../account/account-event.ts';
import type { AccountFill, Order, OrderList } from '../account/order.ts';

/** The id that the exchange gives to the cancelling of an order. */
const cancelIdOf = (order: Order): string => `cancel${order.id}`;

const isStop = ({ type }: Order): boolean => type.startsWith('STOP') || type.startsWith('TAKE');

/** What every answer about an order says. */
function orderBody(order: Order) {
  return {
    price: textOf(order.price),
    origQty: textOf(order.amount),
    executedQty: textOf(order.filled),
    origQuoteOrderQty: textOf(order.quoteAmount),
    cummulativeQuoteQty: textOf(order.filledQuote),
    status: order.status,
    timeInForce: order.timeInForce,
    type: order.type,
    side: order.side,
  };
}

/** The answer to a new order, as long as `newOrderRespType` wants it. */
export function newOrderAnswer(order: Order, fills: readonly AccountFill[], length: string) {
  const short = {
    symbol: order.symbol,
    orderId: order.id,
    orderListId: order.listId,
    clientOrderId: order.clientOrderId,
    transactTime: order.updateTime,
  };
  if (length === 'ACK') return short;
  return {
    ...short,
    ...orderBody(order),
    ...(isStop(order) ? { stopPrice: textOf(order.stopPrice) } : {}),
    workingTime: order.isWorking ? order.time : -1,
    ...(length === 'FULL' ? { fills: fills.map(fillPart) } : {}),
    selfTradePreventionMode: 'EXPIRE_MAKER',
  };
}

function fillPart(fill: AccountFill) {
  return {
    price: textOf(fill.price),
    qty: textOf(fill.amount),
    commission: textOf(fill.fee),
    commissionAsset: fill.feeAsset,
    tradeId: fill.id,
  };
}

/** The answer about an order that exists. */
export function orderAnswer(order: Order) {
  const { origQuoteOrderQty, ...body } = orderBody(order);
  return {
    symbol: order.symbol,
    orderId: order.id,
    orderListId: order.listId,
    clientOrderId: order.clientOrderId,
    ...body,
    stopPrice: textOf(order.stopPrice),
    icebergQty: '0.00000000',
    time: order.time,
    updateTime: order.updateTime,
    isWorking: order.isWorking,
    workingTime: order.isWorking ? order.time : -1,
    origQuoteOrderQty,
    selfTradePreventionMode: 'EXPIRE_MAKER',
  };
}

/** The answer to a cancelled order. */
export function cancelAnswer(order: Order) {
  return {
    symbol: order.symbol,
    origClientOrderId: order.clientOrderId,
    orderId: order.id,
    orderListId: order.listId,
    clientOrderId: cancelIdOf(order),
    transactTime: order.updateTime,
    ...orderBody(order),
    ...(isStop(order) ? { stopPrice: textOf(order.stopPrice) } : {}),
    selfTradePreventionMode: 'EXPIRE_MAKER',
  };
}

/** A row of `myTrades`. */
export function fillAnswer(fill: AccountFill) {
  return {
    symbol: fill.symbol,
    id: fill.id,
    orderId: fill.orderId,
    orderListId: -1,
    price: textOf(fill.price),
    qty: textOf(fill.amount),
    quoteQty: textOf(fill.quote),
    commission: textOf(fill.fee),
    commissionAsset: fill.feeAsset,
    time: fill.time,
    isBuyer: fill.side === 'BUY',
    isMaker: fill.isMaker,
    isBestMatch: true,
  };
}

function listState({ isDone }: OrderList): [listStatusType: string, listOrderStatus: string] {
  return isDone ? ['ALL_DONE', 'ALL_DONE'] : ['EXEC_STARTED', 'EXECUTING'];
}

/** The answer about a pair of orders. */
export function listAnswer(list: OrderList) {
  const [listStatusType, listOrderStatus] = listState(list);
  return {
    orderListId: list.id,
    contingencyType: 'OCO',
    listStatusType,
    listOrderStatus,
    listClientOrderId: list.clientListId,
    transactionTime: list.time,
    symbol: list.symbol,
    orders: list.orders.map(({ id, clientOrderId }) => ({ symbol: list.symbol, orderId: id, clientOrderId })),
  };
}

function listStatus(list: OrderList, time: number, now: number) {
  const [l, L] = listState(list);
  return {
    e: 'listStatus',
    E: now,
    s: list.symbol,
    g: list.id,
    c: 'OCO',
    l,
    L,
    r: 'NONE',
    C: list.clientListId,
    T: time,
    O: list.orders.map(({ id, clientOrderId }) => ({ s: list.symbol, i: id, c: clientOrderId })),
  };
}

/** A message of the spot user stream. */
export function spotUserEvent(event: AccountEvent, now: number): object | null {
  if (event.kind === 'balances')
    return {
      e: 'outboundAccountPosition',
      E: now,
      u: event.time,
      B: event.assets.map(({ asset, free, locked }) => ({ a: asset, f: textOf(free), l: textOf(locked) })),
    };
  if (event.kind === 'list') return listStatus(event.list, event.time, now);
  if (event.kind !== 'order') return null;
  const { order, fill, what } = event;
  const isCancel = what === 'CANCELED';
  return {
    e: 'executionReport',
    E: now,
    s: order.symbol,
    c: isCancel ? cancelIdOf(order) : order.clientOrderId,
    S: order.side,
    o: order.type,
    f: order.timeInForce,
    q: textOf(order.amount),
    p: textOf(order.price),
    P: textOf(order.stopPrice),
    F: '0.00000000',
    g: order.listId,
    C: isCancel ? order.clientOrderId : '',
    x: what,
    X: order.status,
    r: 'NONE',
    i: order.id,
    l: textOf(fill?.amount ?? 0n),
    z: textOf(order.filled),
    L: textOf(fill?.price ?? 0n),
    n: fill === null ? '0' : textOf(fill.fee),
    N: fill?.feeAsset ?? null,
    T: event.time,
    t: fill?.id ?? -1,
    I: event.number,
    w: order.isWorking && (order.status === 'NEW' || order.status === 'PARTIALLY_FILLED'),
    m: fill?.isMaker ?? false,
    M: fill !== null,
    O: order.time,
    Z: textOf(order.filledQuote),
    Y: textOf(fill?.quote ?? 0n),
    Q: textOf(order.quoteAmount),
    ...(order.isWorking ? { W: order.time } : {}),
    V: 'EXPIRE_MAKER',
  };
}
