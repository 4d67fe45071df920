import type { Order } from '../account/order.ts';
import type { OrderFill, Trade } from '../account/trade.ts';
import { closeTrade, dropOrder, fillOrder, filledEntries } from '../account/trade.ts';
import { walletOf } from '../account/wallet.ts';
import { entrySide, exitSide } from '../market/direction.ts';
import type { Instrument } from '../market/instrument.ts';
import { timeframeLengths } from '../market/timeframe.ts';
import { updateLiquidation } from '../risk/liquidation.ts';
import { nextBoundary, unexpiredLocks } from '../risk/locks.ts';
import { locksAfterExit } from '../risk/protections.ts';
import { parityQuirks } from '../risk/quirks.ts';
import type { Quirks } from '../risk/quirks.ts';
import { customStopAfterFill, stopAfterFill } from '../risk/stops.ts';
import type { BotEffect, CancelReason, OrderIntent } from './effect.ts';
import type { MarketView } from './event.ts';
import type { FeeRatios } from './paper-fill.ts';
import { simulatePaperOrder } from './paper-fill.ts';
import type { BotContext, BotState } from './state.ts';
import { clientOrderId } from './state.ts';

/** One step of a bot while it is being taken. */
export interface Step {
  state: BotState;
  context: BotContext;
  time: number;
  effects: BotEffect[];
}

/**
 * The quirks of a running bot: those that decide. What the reference does only inside a candle or only in a backtest is
 * off; the minimum stake is made for the real stop, as the reference does live, and limits of the cost are what they are.
 */
export const liveQuirks: Quirks = { ...parityQuirks, Q16: false, Q17: false, Q25: false };

/** The instrument of a symbol. Fails: RangeError when the bot's exchange does not have it */
export function instrumentOf(step: Step, symbol: string): Instrument {
  const instrument = step.context.instruments.get(symbol);
  if (instrument === undefined) throw new RangeError(`The instrument ${symbol} is not known to bot ${step.state.botId}.`);
  return instrument;
}

/** What fills cost: the configured fee, or the market's. */
export function feesOf(step: Step, symbol: string): FeeRatios {
  const { fee } = step.state.settings;
  const { makerFee, takerFee } = instrumentOf(step, symbol);
  return fee === null ? { maker: makerFee, taker: takerFee } : { maker: fee, taker: fee };
}

/** Makes an order of a trade; a simulated one is tried against the market at once. */
export function placeOrder(step: Step, trade: Trade, intent: OrderIntent, view: MarketView): void {
  const order: Order = {
    id: clientOrderId(step.state.botId, step.state.nextOrderNumber++),
    purpose: intent.purpose,
    side: intent.purpose === 'entry' ? entrySide(trade.direction) : exitSide(trade.direction),
    type: intent.type,
    price: intent.price,
    amount: intent.amount,
    tag: intent.tag,
    createdTime: step.time,
    state: 'open',
    fillPrice: null,
    filledTime: null,
    feeRatio: null,
    liquidity: null,
    fundingFee: 0,
  };
  trade.orders.push(order);
  step.effects.push({ kind: 'order-created', time: step.time, tradeId: trade.id, symbol: trade.symbol, order: { ...order } });
  if (step.context.execution === 'simulated' && !(step.context.waitsForBook === true && view.bids === undefined))
    tryPaperFill(step, trade, order, view, true);
}

/** Tries a simulated order against the market. */
export function tryPaperFill(step: Step, trade: Trade, order: Order, view: MarketView, isNew: boolean): void {
  const moment = { time: step.time, isNew, priceTick: trade.priceTick };
  const fill = simulatePaperOrder(order, view, feesOf(step, trade.symbol), moment);
  if (fill !== null) bookFill(step, trade, order, fill);
}

/** Takes an order back: at once when simulated, else by asking the exchange. Returns whether it is gone. */
export function cancelOrder(step: Step, trade: Trade, order: Order, reason: CancelReason): boolean {
  if (step.context.execution === 'exchange') {
    if (!step.state.cancelling.includes(order.id)) {
      step.state.cancelling.push(order.id);
      step.effects.push({ kind: 'cancel-requested', time: step.time, tradeId: trade.id, symbol: trade.symbol, orderId: order.id });
    }
    return false;
  }
  forgetOrder(step, trade, order, reason);
  return true;
}

/** Removes an order that will not fill any more; a trade that holds nothing and waits for nothing goes with it. */
export function forgetOrder(step: Step, trade: Trade, order: Order, reason: CancelReason): void {
  step.state.cancelling = step.state.cancelling.filter((id) => id !== order.id);
  dropOrder(trade, order);
  step.effects.push({ kind: 'order-cancelled', time: step.time, tradeId: trade.id, symbol: trade.symbol, order: { ...order }, reason });
  if (filledEntries(trade) > 0 || trade.orders.length > 0) return;
  trade.isOpen = false;
  trade.closeTime = step.time;
  removeTrade(step, trade);
  step.effects.push({ kind: 'trade-cancelled', time: step.time, trade: copyOf(trade) });
}

/** Books a fill: stop, liquidation, locks, losses in a row; an exit of everything closes the trade. */
export function bookFill(step: Step, trade: Trade, order: Order, fill: OrderFill): void {
  const { state, context } = step;
  const isExit = order.purpose === 'exit';
  const isWhole = isExit && fill.amount >= trade.amount;
  state.cancelling = state.cancelling.filter((id) => id !== order.id);
  fillOrder(trade, order, fill);
  step.effects.push({
    kind: 'order-filled',
    time: step.time,
    tradeId: trade.id,
    symbol: trade.symbol,
    order: { ...order },
    fee: fill.price * fill.amount * fill.feeRatio,
  });
  context.callbacks.orderFilled?.({ trade, order, time: fill.time });
  if (isWhole) {
    closeTrade(trade, fill.price, fill.time);
    trade.exitReason = order.tag;
    afterClose(step, trade);
    setLiquidations(step, trade);
    return;
  }
  if (!isExit) {
    const isFirst = filledEntries(trade) === 1;
    stopAfterFill(trade, isFirst, liveQuirks);
    if (isFirst) trade.minRate = trade.maxRate = trade.openRate;
  }
  setLiquidations(step, trade);
  customStopAfterFill(trade, fill.price, fill.time, state.settings, context.callbacks, liveQuirks);
  if (isExit) protect(step, trade);
  step.effects.push({ kind: 'trade-updated', time: step.time, trade: copyOf(trade) });
}

/** A copy that later steps do not change. */
export function copyOf(trade: Trade): Trade {
  return {
    ...trade,
    orders: trade.orders.map((order) => ({ ...order })),
    interest: trade.interest === null ? null : { ...trade.interest },
  };
}

/** Sets liquidation prices anew after a fill; with cross margin those of the other trades too, which are then written. */
function setLiquidations(step: Step, filled: Trade): void {
  const { settings, closedProfit, trades } = step.state;
  const before = trades.map(({ liquidationPrice }) => liquidationPrice);
  const { free } = walletOf(settings, closedProfit, trades);
  updateLiquidation(filled, trades, free, settings, (symbol) => step.context.instruments.get(symbol), liveQuirks);
  trades.forEach((trade, i) => {
    if (trade === filled || trade.liquidationPrice === before[i]) return;
    step.effects.push({ kind: 'trade-updated', time: step.time, trade: copyOf(trade) });
  });
}

function afterClose(step: Step, trade: Trade): void {
  const { state } = step;
  removeTrade(step, trade);
  state.closedProfit += trade.profit ?? 0;
  state.recentTrades.push(copyOf(trade));
  step.effects.push({ kind: 'trade-closed', time: step.time, trade: copyOf(trade) });

  // The pair rests in this direction until the next candle, so that the same signal does not enter again.
  const timeframeMs = timeframeLengths[state.timeframe];
  const endTime = nextBoundary(step.time, timeframeMs);
  state.locks = [
    ...unexpiredLocks(state.locks, step.time),
    { symbol: trade.symbol, side: trade.direction, endTime, reason: 'closed in this candle' },
  ];
  protect(step, trade);
  forgetOldTrades(state, step.time, timeframeMs);

  const profit = trade.profit ?? 0;
  if (profit > 0) state.consecutiveLosses = 0;
  else if (profit < 0) state.consecutiveLosses += 1;
  const limit = state.settings.maxConsecutiveLosses;
  if (limit > 0 && state.consecutiveLosses >= limit && state.status === 'active') {
    state.status = 'paused';
    step.effects.push({ kind: 'bot-paused', time: step.time, reason: 'max-consecutive-losses', losses: state.consecutiveLosses });
  }
}

function protect(step: Step, trade: Trade): void {
  const { state } = step;
  const view = {
    settings: state.settings,
    timeframeMs: timeframeLengths[state.timeframe],
    closedTrades: state.recentTrades,
    closedProfit: state.closedProfit,
    locks: state.locks,
  };
  state.locks = [...state.locks, ...locksAfterExit(view, trade.symbol, trade.direction, step.time)];
}

/** Closed trades older than any protection looks back are dropped. */
function forgetOldTrades(state: BotState, time: number, timeframeMs: number): void {
  let longest = 0;
  for (const { lookbackCandles, lookbackMinutes } of state.settings.protections) {
    longest = Math.max(longest, lookbackCandles === undefined ? (lookbackMinutes ?? 60) * 60_000 : lookbackCandles * timeframeMs);
  }
  state.recentTrades = state.recentTrades.filter((trade) => (trade.closeTime ?? 0) > time - longest);
}

function removeTrade(step: Step, trade: Trade): void {
  step.state.trades = step.state.trades.filter((open) => open !== trade);
  delete step.state.exitTimeouts[trade.id];
  delete step.state.exitRetryTimes[trade.id];
}
