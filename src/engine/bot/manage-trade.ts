import { minuteMs } from '../market/durations.ts';
import type { Order } from '../account/order.ts';
import type { OrderType } from '../market/order-type.ts';
import { isWaiting } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import { filledEntries, openOrder } from '../account/trade.ts';
import { profitRatio } from '../account/profit.ts';
import { tickBar } from '../market/price-bar.ts';
import { roundPrice } from '../market/rounding.ts';
import { timeframeLengths } from '../market/timeframe.ts';
import { entryDirection } from '../risk/entry-direction.ts';
import type { ExitCandidate, ExitRules } from '../risk/exits.ts';
import { exitCandidates, exitPrice, isProtective } from '../risk/exits.ts';
import { hasTimedOut } from '../risk/timeouts.ts';
import { adjustPosition } from './adjust-position.ts';
import type { Gate } from './effect.ts';
import type { MarketView } from './event.ts';
import type { Step } from './execution.ts';
import { cancelOrder, copyOf, liveQuirks, placeOrder, tryPaperFill } from './execution.ts';
import { currentRate, withinDistance } from './pricing.ts';
import { nextExitAmount } from './exit-amount.ts';
import { endRowOfFailures, exitRest, hasProtectionFailed } from './exit-failures.ts';
import { heldFor, holdMissing, waitsForPerson } from './missing.ts';
import { isStale } from './signal-age.ts';
import { holdSmallRest, isTooSmallToSell } from './small-rest.ts';
import { stepsOf } from './steps-of-trade.ts';
import { isStopTrusted, keepStop } from './stop-order.ts';
import type { BotState, PairMemory } from './state.ts';

/** What came of managing a trade: whether it was left or an exit was ordered, and else what spoke against it. */
export interface Managed {
  hasLeft: boolean;
  gate: Gate | null;
}

/** Manages an open trade with new prices: fills, timeouts and price changes of its orders, then its exits. */
export function manageTrade(step: Step, trade: Trade, view: MarketView, signal: PairMemory['signal']): Managed {
  const { state } = step;
  // Before anything is filled: what the kill switch forbids must not come about by an order of before.
  if (state.tradingState !== 'active')
    for (const order of openOrders(trade)) if (order.purpose === 'entry') cancelOrder(step, trade, order, 'stopped');
  if (step.context.execution === 'simulated') {
    for (const order of openOrders(trade)) tryPaperFill(step, trade, order, view, false);
  }
  endRowOfFailures(step, trade);
  for (const order of openOrders(trade)) manageOrder(step, trade, order, view);
  if (!trade.isOpen) return { hasLeft: trade.amount > 0, gate: null };
  if (trade.orders.some(({ isCancelWanted }) => isCancelWanted)) return { hasLeft: false, gate: null };
  const restMs = exitRest(step, trade);
  if (restMs > 0) {
    // What limits a loss does not wait for exits that failed for other reasons.
    const hasEnough = trade.amount > 0 && !isTooSmallToSell(step, trade, heldFor(state, trade), view.bid);
    if (hasEnough && !hasProtectionFailed(trade) && tryExit(step, trade, view, signal, true).hasLeft) return { hasLeft: true, gate: null };
    // For a moment its coins stay free for the next exit; for longer it is not left without a stop.
    if (restMs > shortRestMs) keepStop(step, trade);
    return { hasLeft: false, gate: null };
  }
  if (state.status === 'stopped' || state.closeAsked.includes(trade.id)) return { hasLeft: closeAtMarket(step, trade, view), gate: null };
  if (holdSmallRest(step, trade, view.bid)) return { hasLeft: !trade.isOpen, gate: null };
  if (holdMissing(step, trade, view.bid)) return { hasLeft: false, gate: 'account-differs' };
  if (trade.amount === 0) return { hasLeft: false, gate: wantsEntry(step, signal) ? 'has-open-trade' : null };
  if (isEmergency(step, trade)) {
    for (const order of openOrders(trade)) if (!cancelOrder(step, trade, order, 'replaced')) return { hasLeft: false, gate: null };
    const type = state.settings.orderTypes.emergencyExit;
    const rate = currentRate('exit', trade.direction, type, view, state.settings);
    orderExit(step, trade, emergencyExit, type, roundPrice(rate, stepsOf(step, trade).priceTick), view);
    return { hasLeft: true, gate: null };
  }
  const managed = tryExit(step, trade, view, signal);
  // What is on its way out is not made larger, nor left in part: its exit waits for another order, or the exchange is at its stop.
  if (!managed.hasLeft && (managed.isLeaving || !adjustPosition(step, trade, view))) keepStop(step, trade);
  return { hasLeft: managed.hasLeft, gate: managed.gate };
}

/** Closes a trade at market, whatever it cancels first. Returns whether an exit was ordered. */
export function closeAtMarket(step: Step, trade: Trade, view: MarketView): boolean {
  // A market order is on its way out already.
  if (openOrder(trade, 'exit')?.type === 'market') return false;
  if (holdSmallRest(step, trade, view.bid)) return !trade.isOpen;
  if (holdMissing(step, trade, view.bid)) return false;
  for (const order of openOrders(trade)) if (!cancelOrder(step, trade, order, 'stopped')) return false;
  if (!trade.isOpen || !(trade.amount > 0)) return false;
  const rate = currentRate('exit', trade.direction, 'market', view, step.state.settings);
  orderExit(step, trade, forceExit, 'market', roundPrice(rate, stepsOf(step, trade).priceTick), view);
  return true;
}

/** A rest of exits during which no stop is placed, in ms. */
const shortRestMs = 5_000;

const forceExit: ExitCandidate = { kind: 'force_exit', reason: 'force_exit' };
const emergencyExit: ExitCandidate = { kind: 'emergency_exit', reason: 'emergency_exit' };

/** An open exit order at another price is replaced at most this often, which is how often the reference checks. */
const replaceEveryMs = 5000;

/** `isLeaving`: an exit is not ordered, since one stands already, another order is in its way, or its stop does it. */
type Tried = Managed & { isLeaving: boolean };

function tryExit(step: Step, trade: Trade, view: MarketView, signal: PairMemory['signal'], rests = false): Tried {
  const { state, context } = step;
  const { settings } = state;
  const isLong = trade.direction === 'long';
  const fresh = signal !== null && !isStale(signal.candleTime, step.time, state.timeframe) && isAbout(trade, signal, state) ? signal : null;
  const flags = {
    enter: fresh !== null && (isLong ? fresh.enterLong : fresh.enterShort),
    exit: fresh !== null && (isLong ? fresh.exitLong : fresh.exitShort),
    exitTag: fresh?.exitTag ?? null,
  };
  const rules: ExitRules = {
    settings,
    callbacks: context.callbacks,
    quirks: liveQuirks,
    timeframeMinutes: timeframeLengths[state.timeframe] / minuteMs,
  };
  const bar = tickBar(step.time, currentRate('exit', trade.direction, settings.orderTypes.exit, view, settings));
  const before = { stop: trade.stop, minRate: trade.minRate, maxRate: trade.maxRate };
  const candidates = exitCandidates(trade, bar, flags, rules);
  const hasMoved = before.stop !== trade.stop || before.minRate !== trade.minRate || before.maxRate !== trade.maxRate;
  if (hasMoved) step.effects.push({ kind: 'trade-updated', time: step.time, trade: copyOf(trade) });

  const isHalted = state.tradingState === 'halted';
  const allowed = isHalted || rests || waitsForPerson(state, trade) ? candidates.filter(({ kind }) => isProtective(kind)) : candidates;
  const isGuarded = isStopTrusted(step, trade, bar.open);
  const tried = allowed.filter(({ kind }) => !(isGuarded && isPriceStop(kind)));
  let isLeaving = tried.length < allowed.length;
  for (const candidate of inTurn(step, trade, tried)) {
    const answer = leave(step, trade, candidate, bar.open, rules, view);
    if (answer === 'ordered') return { hasLeft: true, isLeaving: true, gate: null };
    if (answer === 'forbidden') continue;
    isLeaving = true;
    break;
  }
  const stays = { hasLeft: false, isLeaving };
  if (allowed.length < candidates.length) return { ...stays, gate: isHalted ? 'halted' : 'account-differs' };
  const wantedOut = flags.exit && !flags.enter && settings.useExitSignal && settings.exitProfitOnly;
  if (wantedOut && !(profitRatio(trade, bar.open, step.time) > settings.exitProfitOffset)) return { ...stays, gate: 'exit-not-profitable' };
  return { ...stays, gate: wantsEntry(step, signal) ? 'has-open-trade' : null };
}

/** Whether the signal of a candle is about a trade. A person has opened one in spite of what the candles before it said. */
function isAbout(trade: Trade, { candleTime }: { candleTime: number }, { timeframe }: BotState): boolean {
  return trade.orders[0]?.action !== 'manual-enter' || candleTime + timeframeLengths[timeframe] > trade.openTime;
}

/**
 * The reasons to leave a trade as they are tried. Where another order is in the way, or must be cancelled first at an exchange, what limits a
 * loss comes before all else: a weaker reason would take the place that was made for it.
 */
function inTurn(step: Step, trade: Trade, candidates: readonly ExitCandidate[]): readonly ExitCandidate[] {
  if (step.context.execution === 'simulated' && openOrder(trade, 'exit') === null) return candidates;
  return [...candidates.filter(({ kind }) => isProtective(kind)), ...candidates.filter(({ kind }) => !isProtective(kind))];
}

/** Orders the exit of a candidate, unless it is forbidden, or its order stands already or waits for the end of another. */
function leave(
  step: Step,
  trade: Trade,
  candidate: ExitCandidate,
  rate: number,
  rules: ExitRules,
  view: MarketView,
): 'ordered' | 'stands' | 'forbidden' {
  const { settings } = step.state;
  const type = exitOrderType(step, candidate);
  const wished = exitPrice(trade, candidate, tickBar(step.time, rate), rules);
  if (wished === null) return 'forbidden';
  const price = roundPrice(withinDistance(wished, rate, settings.customPriceMaxDistanceRatio), stepsOf(step, trade).priceTick);
  const amount = nextExitAmount(step, trade, type, price);
  const consent = { trade, time: step.time, price, amount, reason: candidate.reason };
  if (candidate.kind !== 'liquidation' && step.context.callbacks.confirmExit?.(consent) === false) return 'forbidden';

  const open = openOrder(trade, 'exit');
  if (open !== null) {
    const isSame = open.price === price && open.type === type && open.amount === nextExitAmount(step, trade, type, price, open.filled);
    const isRecent = open.tag === candidate.reason && step.time - open.createdTime < replaceEveryMs;
    if (isSame || isRecent || open.type === 'market') return 'stands';
  }
  for (const order of openOrders(trade)) if (!cancelOrder(step, trade, order, 'replaced')) return 'stands';
  orderExit(step, trade, candidate, type, price, view);
  return 'ordered';
}

/** Whether an exit is what a stop at the exchange would do. */
function isPriceStop(kind: ExitCandidate['kind']): boolean {
  return kind === 'stop_loss' || kind === 'trailing_stop_loss';
}

function orderExit(step: Step, trade: Trade, candidate: ExitCandidate, type: OrderType, price: number, view: MarketView): void {
  trade.exitReason = candidate.reason;
  delete step.state.partsToLeave[trade.id]; // all of it goes
  const amount = nextExitAmount(step, trade, type, price);
  const left = trade.orders.findLast((order) => order.purpose === 'exit' && order.filled > 0);
  const how = left === undefined ? { action: 'exit' as const } : { action: 'exit-rest' as const, follows: left.id };
  const what = { ...how, purpose: 'exit', isProtective: isProtective(candidate.kind) } as const;
  placeOrder(step, trade, { ...what, type, price, amount, tag: candidate.reason }, view);
}

function exitOrderType(step: Step, candidate: ExitCandidate): OrderType {
  const { orderTypes } = step.state.settings;
  switch (candidate.kind) {
    case 'stop_loss':
    case 'trailing_stop_loss':
    case 'liquidation':
      return orderTypes.stoploss;
    case 'emergency_exit':
      return orderTypes.emergencyExit;
    case 'force_exit':
      return orderTypes.forceExit;
    case 'exit_signal':
    case 'custom_exit':
    case 'roi':
    case 'risk_reward':
    case 'partial_exit':
      return orderTypes.exit;
  }
}

/** An order that waits: time may run out, or the strategy may ask another price. */
function manageOrder(step: Step, trade: Trade, order: Order, view: MarketView): void {
  const { state, context } = step;
  const { settings } = state;
  const { callbacks } = context;
  if (order.isCancelWanted || order.type === 'stop') return;
  if (hasTimedOut(order, step.time, settings) || callbacks.isTimedOut?.({ trade, order, time: step.time }) === true) {
    if (mustStand(step, trade, order, view)) return;
    if (order.purpose === 'exit') state.exitTimeouts[trade.id] = (state.exitTimeouts[trade.id] ?? 0) + 1;
    cancelOrder(step, trade, order, 'timed-out');
    return;
  }
  if (callbacks.adjustOrderPrice === undefined || step.time - order.createdTime < timeframeLengths[state.timeframe]) return;
  const rate = currentRate(order.purpose, trade.direction, order.type, view, settings);
  const price = callbacks.adjustOrderPrice({ trade, order, time: step.time, proposedPrice: rate });
  if (price === order.price) return;
  if (price === null || step.context.execution === 'exchange' || filledEntries(trade) > 0) {
    cancelOrder(step, trade, order, 'by-strategy');
    return;
  }
  // The order at the new price comes first, so that the trade never stands without one.
  const { purpose, type, amount, tag } = order;
  const at = roundPrice(price, stepsOf(step, trade).priceTick);
  placeOrder(step, trade, { action: 'replace', follows: order.id, purpose, type, price: at, amount, tag }, view);
  cancelOrder(step, trade, order, 'by-strategy');
}

/**
 * Whether a part-filled order stays although its time is over, as at the reference: what would be held without it, or is left for it,
 * could not be sold.
 */
function mustStand(step: Step, trade: Trade, order: Order, view: MarketView): boolean {
  return order.filled > 0 && isTooSmallToSell(step, trade, trade.amount, view.bid);
}

/** Whether exits have run out of time so often that the trade must be left at any price. */
function isEmergency(step: Step, trade: Trade): boolean {
  const { exitTimeoutCount } = step.state.settings.unfilledTimeout;
  return exitTimeoutCount > 0 && (step.state.exitTimeouts[trade.id] ?? 0) >= exitTimeoutCount && openOrder(trade, 'exit') === null;
}

function openOrders(trade: Trade): Order[] {
  return trade.orders.filter(isWaiting);
}

function wantsEntry(step: Step, signal: PairMemory['signal']): boolean {
  return signal !== null && entryDirection(signal, step.state.settings.canShort) !== null;
}
