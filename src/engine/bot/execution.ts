import { dayMs, minuteMs } from '../market/durations.ts';
import type { Fill } from '../account/fill.ts';
import { simulatedFill } from '../account/fill.ts';
import type { Order } from '../account/order.ts';
import { isWaiting, newOrder } from '../account/order.ts';
import { isFinal, nextOrderState } from '../account/order-life.ts';
import type { Trade } from '../account/trade.ts';
import { closeTrade, dropOrder, filledEntries, hasOpenOrders, openOrder, sellableAmount } from '../account/trade.ts';
import { awaitsFunding } from '../account/refresh-funding.ts';
import { walletOf } from '../account/wallet.ts';
import { minus, plus, toDecimal, toNumber } from '../market/decimal.ts';
import { entrySide, exitSide } from '../market/direction.ts';
import type { Instrument } from '../market/instrument.ts';
import { candleOpenTime, timeframeLengths } from '../market/timeframe.ts';
import { bookFill } from '../risk/book-fill.ts';
import { updateLiquidation } from '../risk/liquidation.ts';
import { nextBoundary, unexpiredLocks } from '../risk/locks.ts';
import { locksAfterExit } from '../risk/protections.ts';
import { parityQuirks } from '../risk/quirks.ts';
import type { Quirks } from '../risk/quirks.ts';
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
export const liveQuirks: Quirks = {
  ...parityQuirks,
  minimumStakeAssumesConstantStop: false,
  fundingCountsTwiceAtAFill: false,
  costLimitsTimesContractSize: false,
};

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
export function placeOrder(step: Step, trade: Trade, intent: OrderIntent, view: MarketView): Order {
  const order = planOrder(step, trade, intent);
  const hasBook = step.context.waitsForBook !== true || view.bids !== undefined;
  if (step.context.execution === 'simulated' && hasBook) tryPaperFill(step, trade, order, view, true);
  return order;
}

/** Makes an order of a trade, which nobody has tried to fill yet. */
export function planOrder(step: Step, trade: Trade, intent: OrderIntent): Order {
  const order = newOrder({
    id: clientOrderId(step.state.botId, step.state.nextOrderNumber++),
    purpose: intent.purpose,
    side: intent.purpose === 'entry' ? entrySide(trade.direction) : exitSide(trade.direction),
    type: intent.type,
    price: intent.price,
    amount: intent.amount,
    tag: intent.tag,
    createdTime: step.time,
    candleTime: decidingCandle(step, trade.symbol, intent),
    action: intent.action,
    follows: intent.follows ?? null,
    ...(intent.isProtective === true ? { isProtective: true } : {}),
    state: step.context.execution === 'simulated' ? 'open' : 'planned',
  });
  trade.orders.push(order);
  step.effects.push({ kind: 'order-created', time: step.time, tradeId: trade.id, symbol: trade.symbol, order: copyOfOrder(order) });
  return order;
}

/** The closed candle an order is decided on: that of its signal, and for all else the newest at this time. */
function decidingCandle({ state, time }: Step, symbol: string, { action }: OrderIntent): number {
  const signal = action === 'enter' ? (state.pairs[symbol]?.signal ?? null) : null;
  return signal?.candleTime ?? candleOpenTime(state.timeframe, time) - timeframeLengths[state.timeframe];
}

/** Tries a simulated order against the market. */
export function tryPaperFill(step: Step, trade: Trade, order: Order, view: MarketView, isNew: boolean): void {
  const moment = { time: step.time, isNew, priceTick: trade.priceTick };
  const execution = simulatePaperOrder(order, view, feesOf(step, trade.symbol), moment);
  if (execution === null) return;
  order.state = nextOrderState(order.state, 'filled');
  takeFill(step, trade, order, simulatedFill(trade.symbol, execution), execution.feeRatio);
}

/** Cancels an order: at once when simulated, else by asking the exchange. Returns whether it is gone. */
export function cancelOrder(step: Step, trade: Trade, order: Order, reason: CancelReason): boolean {
  if (step.context.execution === 'exchange') {
    // One that has ended is only waited for because not all of its fills are known yet.
    if (!order.isCancelWanted && !isFinal(order.state)) {
      order.isCancelWanted = true;
      step.effects.push({ kind: 'cancel-requested', time: step.time, tradeId: trade.id, symbol: trade.symbol, orderId: order.id });
    }
    return false;
  }
  dropOrder(trade, order);
  afterEnd(step, trade, order, reason);
  return true;
}

/** What follows from the end of an order that is not filled in whole; a trade that holds nothing and waits for nothing ends too. */
export function afterEnd(step: Step, trade: Trade, order: Order, reason: CancelReason): void {
  step.effects.push({
    kind: 'order-cancelled',
    time: step.time,
    tradeId: trade.id,
    symbol: trade.symbol,
    order: copyOfOrder(order),
    reason,
  });
  if (hasOpenOrders(trade)) return;
  if (filledEntries(trade) > 0) {
    if (step.context.execution === 'exchange' && sellableAmount(trade) === 0) closeLate(step, trade);
    return;
  }
  trade.isOpen = false;
  trade.closeTime = step.time;
  removeTrade(step, trade);
  step.effects.push({ kind: 'trade-cancelled', time: step.time, trade: copyOf(trade) });
}

/**
 * Takes a new fill of an order of an open trade: books it, and then losses in a row, locks and protections. The strategy's own stop is measured from
 * `stopPrice`, and stays as it is where that is null.
 */
export function takeFill(
  step: Step,
  trade: Trade,
  order: Order,
  fill: Fill,
  feeRatio: number | null,
  stopPrice: number | null = fill.price,
): void {
  const { state, context } = step;
  const outcome = bookFill(trade, order, fill, {
    settings: state.settings,
    callbacks: context.callbacks,
    quirks: liveQuirks,
    feeRatio,
    customStopPrice: stopPrice,
    settlesExitLast: false,
    // An entry that still stands may be filled further: what it brings then must belong to a trade.
    leavesNothing: () => sellableAmount(trade) === 0 && (context.execution === 'simulated' || openOrder(trade, 'entry') === null),
    setLiquidations: () => setLiquidations(step, trade),
  });
  if (outcome === 'known') return;
  const free = state.freeCoins[trade.id];
  // While an exit stands, what it sells is free no more. With its end all of the trade is asked for again: more may be there by then.
  if (order.purpose === 'entry' || !isWaiting(order)) delete state.freeCoins[trade.id];
  else if (free !== undefined) state.freeCoins[trade.id] = toNumber(minus(toDecimal(free), toDecimal(fill.amount)));
  step.effects.push({
    kind: 'order-filled',
    time: step.time,
    tradeId: trade.id,
    symbol: trade.symbol,
    order: copyOfOrder(order),
    fee: fill.feeInQuote ?? fill.price * fill.amount * trade.feeClose,
  });
  if (order.purpose === 'entry') noteEntry(state, trade, order);
  if (outcome === 'closed') {
    trade.exitReason = order.tag;
    afterClose(step, trade);
    return;
  }
  if (order.purpose === 'exit') protect(step, trade);
  if (order.purpose === 'exit' && sellableAmount(trade) === 0) awaitEntry(step, trade);
  step.effects.push({ kind: 'trade-updated', time: step.time, trade: copyOf(trade) });
}

/** Everything held is left, and an entry still stands: it is cancelled, and the trade closes with its end. */
function awaitEntry(step: Step, trade: Trade): void {
  trade.amount = 0;
  trade.stake = 0;
  setLiquidations(step, trade);
  for (const order of trade.orders) if (order.purpose === 'entry' && isWaiting(order)) cancelOrder(step, trade, order, 'replaced');
}

/** A signal that has led to a fill leads to no other entry. */
function noteEntry(state: BotState, { symbol }: Trade, { candleTime }: Order): void {
  state.enteredCandleTimes[symbol] = Math.max(candleTime, state.enteredCandleTimes[symbol] ?? candleTime);
}

/** A copy of an order that later steps do not change. */
export function copyOfOrder(order: Order): Order {
  return { ...order, fills: order.fills.map((fill) => ({ ...fill })) };
}

/** A copy that later steps do not change. */
export function copyOf(trade: Trade): Trade {
  return {
    ...trade,
    orders: trade.orders.map(copyOfOrder),
    interest: trade.interest === null ? null : { ...trade.interest },
  };
}

/** Sets liquidation prices again after a fill; with cross margin those of the other trades too, which are then written. */
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

/** Closes a trade whose last exit was filled before its entry had ended. */
function closeLate(step: Step, trade: Trade): void {
  const exit = trade.orders.findLast(({ purpose, filled }) => purpose === 'exit' && filled > 0);
  if (exit === undefined) return;
  trade.exitReason = exit.tag;
  closeTrade(trade, exit.fillPrice ?? trade.openRate, exit.filledTime ?? step.time);
  afterClose(step, trade);
}

/** The reason of an end for want of anything that could be sold. */
export const tooSmallToSell = 'too_small_to_sell';

/** Closes a trade whose rest cannot be sold: the rest stays in the account, and is neither profit nor loss. */
export function closeWithRest(step: Step, trade: Trade): void {
  const exit = trade.orders.findLast(({ purpose, filled }) => purpose === 'exit' && filled > 0);
  const held = toNumber(plus(toDecimal(trade.amount), toDecimal(exit?.filled ?? 0)));
  trade.exitReason = exit?.tag ?? tooSmallToSell;
  // What has become known since the last fill was paid for what was held until then.
  if (exit !== undefined) exit.fundingFee += trade.fundingRunning;
  trade.fundingRunning = 0;
  closeTrade(trade, exit?.fillPrice ?? trade.openRate, exit?.filledTime ?? step.time);
  // As after any last exit, amount and stake are those of before it.
  trade.stake = trade.amount > 0 ? (trade.stake / trade.amount) * held : trade.stake;
  trade.amount = held;
  afterClose(step, trade);
}

function afterClose(step: Step, trade: Trade): void {
  const { state } = step;
  removeTrade(step, trade);
  state.closedProfit += trade.profit ?? 0;
  // In closing order, in which protections look back: the end of another one may have been reported before this one's.
  const place = state.recentTrades.findLastIndex(({ closeTime }) => (closeTime ?? 0) <= (trade.closeTime ?? 0)) + 1;
  state.recentTrades.splice(place, 0, copyOf(trade));
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
  setLiquidations(step, trade);
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

/** Closed trades older than any protection counts are dropped. */
function forgetOldTrades(state: BotState, time: number, timeframeMs: number): void {
  let longest = 0;
  for (const { lookbackCandles, lookbackMinutes } of state.settings.protections) {
    longest = Math.max(longest, lookbackCandles === undefined ? (lookbackMinutes ?? 60) * minuteMs : lookbackCandles * timeframeMs);
  }
  state.recentTrades = state.recentTrades.filter((trade) => (trade.closeTime ?? 0) > time - longest);
}

/** How long what becomes known late of a trade that is over is waited for: fills and payments of funding. */
export const lateMs: number = dayMs;

function removeTrade(step: Step, trade: Trade): void {
  const isAtExchange = step.context.execution === 'exchange';
  if (isAtExchange) for (const order of trade.orders) if (isWaiting(order)) cancelOrder(step, trade, order, 'replaced');
  const former = [...step.state.formerTrades.filter(({ closeTime }) => (closeTime ?? 0) > step.time - lateMs), trade];
  // Simulated fills are never late.
  step.state.formerTrades = isAtExchange ? former : former.filter(awaitsFunding);
  step.state.trades = step.state.trades.filter((open) => open !== trade);
  delete step.state.exitTimeouts[trade.id];
  delete step.state.adjustAskedAt[trade.id];
  delete step.state.partsToLeave[trade.id];
  delete step.state.exitRetryTimes[trade.id];
  delete step.state.freeCoins[trade.id];
  step.state.closeAsked = step.state.closeAsked.filter((id) => id !== trade.id);
}
