import { addFunding } from '../account/refresh-funding.ts';
import type { Order } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import { openOrder } from '../account/trade.ts';
import { timeframeLengths } from '../market/timeframe.ts';
import { entryDirection } from '../risk/entry-direction.ts';
import { nextBoundary, unexpiredLocks } from '../risk/locks.ts';
import type { BotEffect, Decision, DecisionAction, Gate } from './effect.ts';
import type { BotEvent, MarketView, OrderOutcome } from './event.ts';
import type { Step } from './execution.ts';
import { bookFill, cancelOrder, copyOf, forgetOrder, tryPaperFill } from './execution.ts';
import { closeAtMarket, manageTrade } from './manage-trade.ts';
import { currentRate } from './pricing.ts';
import type { BotContext, BotState, PairMemory } from './state.ts';
import { pairMemory } from './state.ts';
import { tryEnter } from './try-enter.ts';

/**
 * One step of a bot: what it does on hearing an event. Changes the state and returns what came of it, in order.
 *
 * The state knows no clock: time is that of the events. Events of the same symbol must come in order of time; those of
 * funding among themselves.
 * For every symbol and closed candle there is exactly one decision among the effects: when the first prices after the
 * candle's close are looked at, or, if none came, when the next candle closes.
 */
export function step(state: BotState, event: BotEvent, context: BotContext): BotEffect[] {
  const time = event.kind === 'market' || event.kind === 'book' ? event.view.time : event.time;
  const current: Step = { state, context, time, effects: [] };
  switch (event.kind) {
    case 'candle-closed':
      hearCandle(current, event);
      break;
    case 'market':
      look(current, event.view);
      break;
    case 'book':
      fillNewOrders(current, event.view, event.orderIds);
      break;
    case 'status-changed':
      hearStatus(current, event.status);
      break;
    case 'settings-changed':
      state.settings = event.settings;
      break;
    case 'funding':
      hearFunding(current, event);
      break;
    case 'order-update':
      hearOrder(current, event.orderId, event.outcome);
      break;
  }
  return current.effects;
}

/** Prices this old are not acted upon when a candle closes; the next ones are waited for. */
const viewMaxAgeMs = 10_000;

function hearCandle(current: Step, event: Extract<BotEvent, { kind: 'candle-closed' }>): void {
  const memory = pairMemory(current.state, event.symbol);
  if (memory.signal !== null && event.candleTime < memory.signal.candleTime) return;
  const isWaiting = memory.signal !== null && memory.signal.candleTime > memory.decidedCandleTime;
  if (isWaiting && memory.signal !== null && event.candleTime > memory.signal.candleTime) {
    decide(current, memory, event.symbol, 'none', 'no-price', null);
  }
  memory.signal = { ...event.row, candleTime: event.candleTime };
  const view = event.view ?? memory.view;
  if (view !== null && event.time - view.time <= viewMaxAgeMs) look(current, { ...view, time: event.time });
}

/** Tries the simulated orders that have waited for the order book of their symbol. */
function fillNewOrders(current: Step, view: MarketView, orderIds: readonly string[]): void {
  pairMemory(current.state, view.symbol).view = view;
  for (const id of orderIds) {
    const found = findOrder(current.state, id);
    if (found !== null) tryPaperFill(current, found.trade, found.order, view, true);
  }
}

/** Everything that follows from new prices of a symbol: its trade first, then an entry. */
function look(current: Step, view: MarketView): void {
  const { state } = current;
  const memory = pairMemory(state, view.symbol);
  memory.view = view;
  const { signal } = memory;
  const trade = state.trades.find(({ symbol }) => symbol === view.symbol) ?? null;

  let action: DecisionAction = 'none';
  let gate: Gate | null = null;
  let price: number | null = null;
  if (trade !== null) {
    price = currentRate('exit', trade.direction, state.settings.orderTypes.exit, view, state.settings);
    const managed = manageTrade(current, trade, view, signal);
    action = managed.hasLeft ? 'exit' : 'hold';
    gate = managed.gate;
  }
  const isFree = !state.trades.some(({ symbol }) => symbol === view.symbol);
  if (isFree) {
    const entry = tryEnter(current, view, signal);
    // A trade that was left and one the other way may fall on the same prices: the record tells of the exit.
    if (action !== 'exit') {
      action = entry.gate === null ? 'enter' : 'none';
      gate = entry.gate;
      price = entry.price ?? price;
    }
  }
  if (signal !== null && signal.candleTime > memory.decidedCandleTime) decide(current, memory, view.symbol, action, gate, price);
}

function decide(current: Step, memory: PairMemory, symbol: string, action: DecisionAction, gate: Gate | null, price: number | null): void {
  const { signal } = memory;
  if (signal === null) return;
  memory.decidedCandleTime = signal.candleTime;
  const { enterLong, exitLong, enterShort, exitShort, confidence } = signal;
  const direction = entryDirection(signal, current.state.settings.canShort);
  const decision: Decision = {
    symbol,
    candleTime: signal.candleTime,
    action,
    gate,
    seen: {
      enterLong,
      exitLong,
      enterShort,
      exitShort,
      tag: direction === null ? signal.exitTag : signal.enterTag,
      confidence,
      price,
    },
  };
  current.effects.push({ kind: 'decision', time: current.time, decision });
}

/**
 * Active starts from anything and forgets the losses in a row. Paused makes no entries. Stopped takes back all orders and
 * closes all trades at market; where there is no price yet, as soon as there is one.
 */
function hearStatus(current: Step, status: BotState['status']): void {
  const { state } = current;
  if (status === 'active') state.consecutiveLosses = 0;
  state.status = status;
  if (status !== 'stopped') return;
  for (const trade of state.trades) {
    for (const order of trade.orders.filter((each) => each.state === 'open')) cancelOrder(current, trade, order, 'stopped');
    const { view } = pairMemory(state, trade.symbol);
    if (view !== null && trade.isOpen && current.time - view.time <= viewMaxAgeMs)
      closeAtMarket(current, trade, { ...view, time: current.time });
  }
}

/** A payment may be told late, and more than once: it counts once, for what was held at its time. */
function hearFunding(current: Step, event: Extract<BotEvent, { kind: 'funding' }>): void {
  for (const trade of current.state.trades) {
    if (trade.symbol !== event.symbol || trade.marketType !== 'futures' || !(trade.amount > 0)) continue;
    if (addFunding(trade, event)) current.effects.push({ kind: 'trade-updated', time: current.time, trade: copyOf(trade) });
  }
}

/** What an exchange says about an order. An order that is not known, or no longer open, was told about before. */
function hearOrder(current: Step, orderId: string, outcome: OrderOutcome): void {
  const found = findOrder(current.state, orderId);
  if (found === null) return;
  const { trade, order } = found;
  if (outcome.state === 'open') {
    current.state.cancelling = current.state.cancelling.filter((id) => id !== orderId);
    return;
  }
  if (outcome.state === 'filled') {
    bookFill(current, trade, order, { ...outcome, time: current.time });
    return;
  }
  if (outcome.filledAmount > 0) {
    const { price, filledAmount: amount, feeRatio } = outcome;
    bookFill(current, trade, order, { price, amount, time: current.time, feeRatio, liquidity: null });
    return;
  }
  forgetOrder(current, trade, order, outcome.state === 'rejected' ? 'rejected' : 'by-exchange');
  if (outcome.state === 'rejected') restAfterRejection(current, trade, order);
}

/** An exit that was refused is not tried again on the very next price. */
const exitRetryMs = 5000;

/** A refused entry rests until the next candle, a refused exit for a moment: the next answer would be the same. */
function restAfterRejection(current: Step, trade: Trade, order: Order): void {
  const { state, time } = current;
  if (order.purpose === 'exit') {
    state.exitRetryTimes[trade.id] = time + exitRetryMs;
    return;
  }
  const endTime = nextBoundary(time, timeframeLengths[state.timeframe]);
  state.locks = [...unexpiredLocks(state.locks, time), { symbol: trade.symbol, side: trade.direction, endTime, reason: 'entry refused' }];
}

function findOrder(state: BotState, orderId: string): { trade: Trade; order: Order } | null {
  for (const trade of state.trades) {
    for (const purpose of ['entry', 'exit'] as const) {
      const order = openOrder(trade, purpose);
      if (order !== null && order.id === orderId) return { trade, order };
    }
  }
  return null;
}
