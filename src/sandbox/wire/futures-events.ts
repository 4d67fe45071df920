import type { AccountEvent } from '../account/account-event.ts';
import type { FuturesPosition } from '../account/futures/position.ts';
import { textOf } from '../account/money.ts';
import type { Pair } from '../market/listings.ts';
import { writerOf } from './futures-shapes.ts';
import { entryPrice } from './position-shapes.ts';

/** A message of the USD-M user stream; null for what it does not report. */
export function futuresUserEvent(event: AccountEvent, pairOf: (symbol: string) => Pair, now: number): object | null {
  switch (event.kind) {
    case 'order':
      return { e: 'ORDER_TRADE_UPDATE', T: event.time, E: now, o: orderPart(event, pairOf(event.order.symbol)) };
    case 'account':
      return {
        e: 'ACCOUNT_UPDATE',
        T: event.time,
        E: now,
        a: {
          B: event.wallets.map(({ asset, wallet, cross }) => ({ a: asset, wb: textOf(wallet), cw: textOf(cross), bc: '0' })),
          P: event.positions.map((position) => positionPart(position, pairOf(position.symbol))),
          m: event.reason,
        },
      };
    case 'algo':
      return { e: 'ALGO_UPDATE', T: event.time, E: now, o: algoPart(event, pairOf(event.algo.symbol)) };
    case 'balances':
    case 'list':
      return null;
  }
}

function orderPart({ order, fill, what, time }: Extract<AccountEvent, { kind: 'order' }>, pair: Pair) {
  const { price, amount, average } = writerOf(pair);
  return {
    s: order.symbol,
    c: order.clientOrderId,
    S: order.side,
    o: order.type,
    f: order.timeInForce,
    q: amount(order.amount),
    p: price(order.price),
    ap: average(order),
    sp: '0',
    x: what,
    X: order.status,
    i: order.id,
    l: amount(fill?.amount ?? 0n),
    z: amount(order.filled),
    L: price(fill?.price ?? 0n),
    ...(fill === null || fill.fee === 0n ? {} : { n: textOf(fill.fee), N: fill.feeAsset }), // the exchange leaves out no commission
    T: time,
    t: fill?.id ?? 0,
    b: '0',
    a: '0',
    m: fill?.isMaker ?? false,
    R: order.reduceOnly,
    wt: 'CONTRACT_PRICE',
    ot: order.type,
    ps: 'BOTH',
    cp: false,
    rp: textOf(fill?.realized ?? 0n),
    pP: false,
    si: 0,
    ss: 0,
    V: 'NONE',
    pm: 'NONE',
    gtd: 0,
  };
}

function positionPart(position: FuturesPosition, pair: Pair) {
  const entry = textOf(entryPrice(position));
  return {
    s: position.symbol,
    pa: textOf(position.amount, pair.amountDecimals),
    ep: entry,
    cr: '0',
    up: '0',
    mt: position.marginType,
    iw: textOf(position.isolated),
    ps: 'BOTH',
    ma: pair.quote,
    bep: entry,
  };
}

function algoPart({ algo }: Extract<AccountEvent, { kind: 'algo' }>, pair: Pair) {
  const { price, amount } = writerOf(pair);
  return {
    caid: algo.clientAlgoId,
    aid: algo.id,
    at: 'CONDITIONAL',
    o: algo.type,
    s: algo.symbol,
    S: algo.side,
    ps: 'BOTH',
    f: algo.timeInForce,
    q: amount(algo.amount),
    X: algo.status,
    ai: algo.actualOrderId === 0 ? '' : String(algo.actualOrderId),
    ap: '0.00000',
    aq: '0.00000',
    act: algo.actualOrderId === 0 ? '0' : algo.price === 0n ? 'MARKET' : 'LIMIT',
    tp: price(algo.triggerPrice),
    p: price(algo.price),
    V: 'EXPIRE_MAKER',
    wt: algo.workingType,
    pm: 'NONE',
    cp: algo.closePosition,
    pP: false,
    R: algo.reduceOnly,
    tt: algo.triggerTime,
    gtd: 0,
    rm: algo.reason,
  };
}
