import { coinKeptBack } from '#engine/account/fill.ts';
import { dividedBy, minus, plus, times, toDecimal, toText, zero } from '#engine/market/decimal.ts';
import { raiseAlarm } from '#storage/alarms/alarms.ts';
import type { Database } from '#storage/database.ts';
import type { FoundOrder, KeyAccount } from '#storage/differences/unrecorded-orders.ts';
import {
  claimsOf,
  endedOrders,
  newestAccountFill,
  noteOrderSearch,
  noteUnrecorded,
  noteVanished,
  recordedOrders,
  searchedBots,
  standingUnrecorded,
} from '#storage/differences/unrecorded-orders.ts';
import { readServerStart } from '#storage/server-start.ts';
import { orderTimes } from './order-times.ts';
import type { AccountRecords, UnrecordedOrder } from './unrecorded-orders.ts';

/** What PostgreSQL knows of the orders of an account. */
export function databaseRecords(db: Database, account: KeyAccount): AccountRecords {
  return {
    bots: () => searchedBots(db, account),
    claims: () => claimsOf(db, account),
    recorded: (ids) => recordedOrders(db, ids),
    ended: (ids) => endedOrders(db, ids),
    fillBefore: (symbol, time) => newestAccountFill(db, account, symbol, time),
    standing: () => standingUnrecorded(db, account),
    note: (orders, areAll) => noteUnrecorded(db, account, orders.map(foundOrder), areAll),
    vanished: (ids) => noteVanished(db, ids),
    start: () => readServerStart(db, orderTimes.expiry + orderTimes.margin),
    passed: (search) => noteOrderSearch(db, account, search),
    async marginDiffers({ botId, symbol, wanted, actual, refusal }) {
      await raiseAlarm(db, {
        kind: 'margin-differs',
        target: { level: 'bot', id: botId },
        detail: symbol,
        facts: {
          symbol,
          leverage: actual.leverage,
          margin: actual.marginMode,
          wantedLeverage: wanted.leverage,
          wantedMargin: wanted.marginMode,
          refusal,
        },
      });
    },
  };
}

function foundOrder({ botId, order, fills }: UnrecordedOrder): FoundOrder {
  const { clientOrderId, exchangeOrderId, symbol, side, type, state, requested, filled, price, stopPrice, createdTime } = order;
  const coin = coinKeptBack(symbol);
  let [amount, value, baseFees] = [zero, zero, zero];
  let fees: typeof zero | null = zero;
  for (const fill of fills) {
    amount = plus(amount, toDecimal(fill.amount));
    value = plus(value, times(toDecimal(fill.amount), toDecimal(fill.price)));
    if (fill.feeCurrency === coin) baseFees = plus(baseFees, toDecimal(fill.fee));
    fees = fees === null || fill.feeInQuote === null ? null : plus(fees, toDecimal(fill.feeInQuote));
  }
  return {
    botId,
    clientOrderId,
    exchangeOrderId,
    symbol,
    side,
    type,
    state,
    requested,
    filled,
    price: stopPrice ?? price,
    net: toText(minus(side === 'buy' ? amount : minus(zero, amount), baseFees)),
    averagePrice: fills.length === 0 ? null : toText(dividedBy(value, amount)),
    feeQuote: fees === null ? null : toText(fees),
    madeAt: new Date(createdTime),
  };
}
