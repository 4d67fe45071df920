import type { AccountReport, VenueOrder } from '#engine/ports/trading.ts';
import type { AccountClient } from '../account-client.ts';
import type { AlgoOrders } from '../algo-orders.ts';
import { numberOf, type Row, rowOf, textOf } from '../rows/answer-row.ts';
import { madeOrderId, readAlgo } from '../rows/binance-algo.ts';
import { futuresStreamFillNames, readFill } from '../rows/binance-fill.ts';
import { type OrderNames, readOrder, streamNames } from '../rows/binance-order.ts';
import type { OrderMemory } from '../order-memory.ts';
import type { StreamNews } from './user-stream.ts';

/** What is known of the account whose messages are read. */
export interface FuturesContext {
  account: AccountClient;
  memory: OrderMemory;
  algos: AlgoOrders;
  /** The balances have changed: they are read and reported. */
  refreshBalances(): void;
}

/** What a message of a USD-M user stream reports. Fails: Error when it makes no sense */
export function readFuturesEvent(event: Row, context: FuturesContext): StreamNews {
  switch (event['e']) {
    case 'ORDER_TRADE_UPDATE':
      return { reports: [readReport(rowOf(event['o']), context)] };
    case 'ALGO_UPDATE':
      return { reports: readAlgoReport(rowOf(event['o']), numberOf(event, 'T'), context) };
    case 'ACCOUNT_UPDATE':
      context.refreshBalances();
      return { reports: [] };
    case 'listenKeyExpired':
      return 'ended';
    default:
      return { reports: [] };
  }
}

const orderNames: OrderNames = { ...streamNames, stopPrice: 'sp' };

function readReport(row: Row, { account, memory, algos }: FuturesContext): AccountReport {
  const symbol = account.symbolOf(textOf(row, 's'));
  const orderId = textOf(row, 'i');
  const createdTime = memory.of(symbol, orderId)?.createdTime ?? numberOf(row, 'T');
  const read = readOrder(row, orderNames, { symbol, createdTime });
  memory.note(symbol, orderId, read);
  const order: VenueOrder = { ...read, clientOrderId: algos.makerOf(symbol, orderId) ?? read.clientOrderId };
  return { kind: 'order', order, fill: isExecution(row) ? readFill(row, futuresStreamFillNames, order) : null };
}

/** A liquidation is an execution too, under a name of its own. */
function isExecution(row: Row): boolean {
  return row['x'] === 'TRADE' || (row['x'] === 'CALCULATED' && numberOf(row, 'l') > 0);
}

/**
 * A conditional order that waits or has ended is an order like any other. One that has made its order is followed by the reports of
 * that; they may have come before it was known whose they are, so the listener is asked to look.
 */
function readAlgoReport(row: Row, time: number, { account, algos }: FuturesContext): AccountReport[] {
  const symbol = account.symbolOf(textOf(row, 's'));
  const algo: Row = {
    algoId: row['aid'],
    clientAlgoId: row['caid'],
    algoStatus: row['X'],
    actualOrderId: row['ai'],
    side: row['S'],
    quantity: row['q'],
    price: row['p'],
    triggerPrice: row['tp'],
    createTime: algos.createdTime(symbol, textOf(row, 'caid')) ?? time,
  };
  algos.note(symbol, algo);
  if (madeOrderId(algo) !== null) return [{ kind: 'gap' }];
  if (row['X'] === 'TRIGGERING' || row['X'] === 'TRIGGERED' || row['X'] === 'FINISHED') return [];
  return [{ kind: 'order', order: readAlgo(algo, { symbol }, null), fill: null }];
}
