import { randomUUID } from 'node:crypto';
import type { FillRow, OrderRow, TradeRow } from '../trades/trade-writes.ts';

let made = 0;

/** An open paper trade in a symbol of its own, except for what is given. A builder for tests. */
export function aTradeRow(botId: string, given: Partial<TradeRow> = {}): TradeRow {
  return {
    id: randomUUID(),
    botId,
    symbol: `S${made++}/USDT`,
    direction: 'long',
    mode: 'paper',
    status: 'open',
    openedAt: new Date(0),
    closedAt: null,
    amount: 1,
    stake: 100,
    leverage: 1,
    entryPrice: 100,
    exitPrice: null,
    stopPrice: null,
    initialStopPrice: null,
    liquidationPrice: null,
    fees: 0,
    funding: 0,
    profit: null,
    profitRatio: null,
    entryTag: null,
    exitReason: null,
    confidence: null,
    engineState: '{}',
    ...given,
  };
}

/** An open entry order of a trade, of a signal of its own, except for what is given. A builder for tests. */
export function anOrderRow(trade: TradeRow, given: Partial<OrderRow> = {}): OrderRow {
  const name = `order-${made++}`;
  return {
    botId: trade.botId,
    tradeId: trade.id,
    epoch: 0,
    clientOrderId: name,
    signalKey: name,
    purpose: 'entry',
    side: 'buy',
    type: 'limit',
    requested: 5,
    price: 100,
    reason: null,
    status: 'open',
    filled: 0,
    averagePrice: null,
    plannedAt: new Date(0),
    sentAt: null,
    acknowledgedAt: null,
    closedAt: null,
    ...given,
  };
}

/** A fill of an order, except for what is given. A builder for tests. */
export function aFillRow(order: OrderRow, given: Partial<FillRow> = {}): FillRow {
  return {
    clientOrderId: order.clientOrderId,
    exchangeFillId: `fill-${made++}`,
    price: 100,
    amount: 1,
    fee: '0.1',
    feeCurrency: 'USDT',
    feeQuote: '0.1',
    isMaker: false,
    filledAt: new Date(0),
    ...given,
  };
}
