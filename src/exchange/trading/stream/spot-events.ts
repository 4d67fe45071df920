import type { AccountReport } from '#engine/ports/trading.ts';
import type { AccountClient } from '../account-client.ts';
import { numberOf, type Row, rowsOf, textOf } from '../rows/answer-row.ts';
import { readFill, streamFillNames } from '../rows/binance-fill.ts';
import { readOrder, streamNames } from '../rows/binance-order.ts';
import type { OrderMemory } from '../order-memory.ts';
import type { StreamNews } from './user-stream.ts';

/** What a message of a spot user stream reports. Fails: Error when it makes no sense */
export function readSpotEvent(event: Row, account: AccountClient, memory: OrderMemory): StreamNews {
  switch (event['e']) {
    case 'executionReport':
      return { reports: [readReport(event, account, memory)] };
    case 'outboundAccountPosition':
      return {
        reports: rowsOf(event['B']).map((row) => ({
          kind: 'balance',
          balance: { currency: textOf(row, 'a'), free: numberOf(row, 'f'), locked: numberOf(row, 'l') },
        })),
      };
    case 'eventStreamTerminated':
    case 'serverShutdown':
      return 'ended';
    default:
      return { reports: [] };
  }
}

function readReport(event: Row, account: AccountClient, memory: OrderMemory): AccountReport {
  const symbol = account.symbolOf(textOf(event, 's'));
  // The report of a cancelling has a client id of its own, and names that of the order beside it.
  const names = typeof event['C'] === 'string' && event['C'] !== '' ? { ...streamNames, clientId: 'C' } : streamNames;
  const order = readOrder(event, names, { symbol, createdTime: numberOf(event, 'O') });
  memory.note(symbol, order.exchangeOrderId, order);
  const fill = event['x'] === 'TRADE' ? readFill(event, streamFillNames, order) : null;
  return { kind: 'order', order, fill };
}
