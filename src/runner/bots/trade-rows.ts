import type { Order } from '#engine/account/order.ts';
import type { Trade } from '#engine/account/trade.ts';
import { filledEntries } from '#engine/account/trade.ts';
import { plus, times, toDecimal, toText, zero } from '#engine/market/decimal.ts';
import type { FillRow, OrderRow, TradeRows } from '#storage/trade-writes.ts';
import type { TradeMode } from '#storage/trade-mode.ts';
import { createHash } from 'node:crypto';

/** Whose trade it is, and what the engine's trade does not know. */
export interface TradeContext {
  botId: string;
  mode: TradeMode;
  epoch: string;
  confidence: number | null;
  feeCurrency: string;
  latencyMs?: number; // from sending an order to its acknowledgement
}

/**
 * The id of a bot's trade in the database: always the same for the same trade, so that writing it a second time after a
 * crash changes nothing.
 */
export function tradeIdOf(botId: string, mode: TradeMode, number: number): string {
  const hex = createHash('sha256').update(`${botId} ${mode} ${number}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The rows of a trade, its orders and its fills. */
export function tradeRows(trade: Trade, context: TradeContext): TradeRows {
  const id = tradeIdOf(context.botId, context.mode, trade.id);
  const orders = trade.orders.map((order) => orderRow(order, id, context));
  const fills = trade.orders.flatMap((order) => fillRow(order, trade, context.feeCurrency));
  const isHeld = filledEntries(trade) > 0;
  return {
    orders,
    fills,
    trade: {
      id,
      botId: context.botId,
      symbol: trade.symbol,
      direction: trade.direction,
      mode: context.mode,
      status: trade.isOpen ? 'open' : isHeld ? 'closed' : 'cancelled',
      openedAt: new Date(trade.openTime),
      closedAt: trade.closeTime === null ? null : new Date(trade.closeTime),
      amount: isHeld ? trade.amount : (trade.orders[0]?.amount ?? 0),
      stake: trade.stake,
      leverage: trade.leverage,
      entryPrice: isHeld ? trade.openRate : null,
      exitPrice: trade.closeRate,
      stopPrice: trade.stop === 0 ? null : trade.stop,
      initialStopPrice: trade.initialStop === 0 ? null : trade.initialStop,
      liquidationPrice: trade.liquidationPrice,
      fees: toText(fills.reduce((sum, fill) => plus(sum, toDecimal(fill.fee)), zero)),
      funding: trade.fundingFees,
      profit: trade.isOpen ? null : trade.profit,
      profitRatio: trade.isOpen ? null : trade.profitRatio,
      entryTag: trade.enterTag,
      exitReason: trade.exitReason,
      confidence: context.confidence,
      engineState: JSON.stringify({ ...trade, confidence: context.confidence }),
    },
  };
}

function orderRow(order: Order, tradeId: string, context: TradeContext): OrderRow {
  const isFilled = order.state === 'filled';
  return {
    botId: context.botId,
    tradeId,
    epoch: context.epoch,
    clientOrderId: order.id,
    signalKey: order.id, // a simulated order comes of one decision; its number is the decision's
    purpose: order.purpose,
    side: order.side,
    type: order.type,
    amount: order.amount,
    price: order.price,
    reason: order.tag,
    status: isFilled ? 'filled' : order.state === 'open' ? 'open' : 'cancelled',
    filled: isFilled ? order.amount : 0,
    averagePrice: order.fillPrice,
    plannedAt: new Date(order.createdTime),
    sentAt: new Date(order.createdTime),
    acknowledgedAt: new Date(order.createdTime + (context.latencyMs ?? 0)),
    closedAt: order.filledTime === null ? null : new Date(order.filledTime),
  };
}

function fillRow(order: Order, trade: Trade, feeCurrency: string): FillRow[] {
  if (order.state !== 'filled' || order.fillPrice === null || order.filledTime === null) return [];
  const feeRatio = order.feeRatio ?? (order.purpose === 'entry' ? trade.feeOpen : trade.feeClose);
  return [
    {
      clientOrderId: order.id,
      exchangeFillId: '1', // a simulated order fills in one piece
      price: order.fillPrice,
      amount: order.amount,
      fee: toText(times(times(toDecimal(order.fillPrice), toDecimal(order.amount)), toDecimal(feeRatio))),
      feeCurrency,
      isMaker: order.liquidity === 'maker',
      filledAt: new Date(order.filledTime),
    },
  ];
}
