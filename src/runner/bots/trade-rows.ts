import { toStoredTrade } from '#engine/bot/stored-state.ts';
import { coinKeptBack } from '#engine/account/fill.ts';
import type { Order } from '#engine/account/order.ts';
import { movedAmount, movedValue } from '#engine/account/order-fills.ts';
import { isFinal } from '#engine/account/order-life.ts';
import type { Trade } from '#engine/account/trade.ts';
import { filledEntries } from '#engine/account/trade.ts';
import { dividedBy, plus, times, toDecimal, toNumber, toText, zero } from '#engine/market/decimal.ts';
import { roundPrice } from '#engine/market/rounding.ts';
import type { FillRow, OrderRow, TradeRows } from '#storage/trades/trade-writes.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import type { TimesInForce } from '../orders/planned-orders.ts';
import { timeInForceOf } from '../orders/planned-orders.ts';
import { createHash } from 'node:crypto';

/** Whose trade it is, and what the engine's trade does not know. */
export interface TradeContext {
  botId: string;
  mode: TradeMode;
  epoch: string;
  confidence: number | null;
  versions?: { bot: number; strategy: number }; // of the settings in force
  timeInForce?: TimesInForce; // of the strategy's limit orders
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
  const orders = trade.orders.map((order) => orderRow(order, trade, id, context));
  const fills = trade.orders.flatMap(fillRows);
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
      ...(isClosedInParts(trade) ? wholeTrade(trade) : {}),
      stopPrice: trade.stop === 0 ? null : trade.stop,
      initialStopPrice: trade.initialStop === 0 ? null : trade.initialStop,
      liquidationPrice: trade.liquidationPrice,
      fees: feesOf(trade),
      funding: trade.fundingFees,
      profit: trade.isOpen ? null : trade.profit,
      profitRatio: trade.isOpen ? null : trade.profitRatio,
      entryTag: trade.enterTag,
      exitReason: trade.exitReason,
      confidence: context.confidence,
      engineState: JSON.stringify({ ...toStoredTrade(trade), confidence: context.confidence }),
      botVersion: context.versions?.bot ?? null,
      strategyVersion: context.versions?.strategy ?? null,
    },
  };
}

/** For the engine such a trade is what its last exit has sold, and has that exit's price. */
function isClosedInParts({ isOpen, orders }: Trade): boolean {
  return !isOpen && orders.filter(({ purpose, filled }) => purpose === 'exit' && filled > 0).length > 1;
}

/** A trade as people know it: one that was closed in parts is all that was entered, at the average prices of its entries and of its exits. */
export function asPeopleKnow(trade: Trade): Trade {
  if (!isClosedInParts(trade)) return trade;
  const { amount, stake, entryPrice, exitPrice } = wholeTrade(trade);
  return { ...trade, amount, stake, openRate: entryPrice, closeRate: exitPrice };
}

/** What a trade was in all: what was entered, and the average prices of its entries and of its exits. */
function wholeTrade({ orders, stakeMax, priceTick }: Trade) {
  const averagePrice = (purpose: Order['purpose']): { amount: number; price: number } => {
    let [amount, value] = [zero, zero];
    for (const order of orders) {
      if (order.purpose !== purpose || !(order.filled > 0)) continue;
      amount = plus(amount, toDecimal(movedAmount(order)));
      value = plus(value, movedValue(order));
    }
    return { amount: toNumber(amount), price: roundPrice(toNumber(dividedBy(value, amount)), priceTick) };
  };
  const entered = averagePrice('entry');
  return { amount: entered.amount, stake: stakeMax, entryPrice: entered.price, exitPrice: averagePrice('exit').price };
}

function orderRow(order: Order, trade: Trade, tradeId: string, context: TradeContext): OrderRow {
  const isPlanned = order.state === 'planned';
  return {
    botId: context.botId,
    tradeId,
    epoch: context.epoch,
    clientOrderId: order.id,
    signalKey: signalKey(order, trade, context.mode),
    purpose: order.type === 'stop' ? 'stop' : order.purpose,
    side: order.side,
    type: order.type,
    timeInForce: timeInForceOf(order, context.timeInForce ?? {}),
    requested: order.amount,
    price: order.price,
    stopPrice: order.type === 'stop' ? order.price : null,
    reason: order.tag,
    status: order.state,
    filled: order.filled,
    averagePrice: order.fillPrice,
    plannedAt: new Date(order.createdTime),
    sentAt: isPlanned ? null : new Date(order.createdTime),
    acknowledgedAt: isPlanned ? null : new Date(order.createdTime + (context.latencyMs ?? 0)),
    closedAt: order.filledTime === null || !isFinal(order.state) ? null : new Date(order.filledTime),
  };
}

/**
 * The signal an order comes of: the same for the same decision, however often it is taken. The database has one order for
 * each, and another only when that one has ended without a fill.
 */
function signalKey({ action, candleTime, follows }: Order, { id, symbol }: Trade, mode: TradeMode): string {
  const what = action === 'enter' ? action : `${action} of trade ${id}${follows === null ? '' : ` after ${follows}`}`;
  return `${mode} ${symbol} ${new Date(candleTime).toISOString()} ${what}`;
}

function fillRows(order: Order): FillRow[] {
  return order.fills.map((fill) => ({
    clientOrderId: order.id,
    exchangeFillId: fill.id,
    price: fill.price,
    amount: fill.amount,
    fee: fill.fee,
    feeCurrency: fill.feeCurrency,
    feeQuote: fill.feeInQuote,
    isMaker: fill.liquidity === 'maker',
    filledAt: new Date(fill.time),
  }));
}

/**
 * What the fills of a trade cost in quote currency, as its profit counts them: one whose value is not known makes its order cost what
 * is usual, beside the coins that were kept.
 */
function feesOf(trade: Trade): string {
  const usual = toDecimal(trade.feeClose);
  let sum = zero;
  for (const order of trade.orders) {
    const coin = coinKeptBack(trade.symbol);
    const isKnown = order.fills.every(({ feeInQuote }) => feeInQuote !== null);
    for (const { feeInQuote, feeCurrency } of order.fills)
      if (feeInQuote !== null && (isKnown || feeCurrency === coin)) sum = plus(sum, toDecimal(feeInQuote));
    if (!isKnown) sum = plus(sum, times(movedValue(order), usual));
  }
  return toText(sum);
}
