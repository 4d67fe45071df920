import { isWaiting } from '../account/order.ts';
import type { Order } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import { openOrder, openStop } from '../account/trade.ts';
import { walletOf } from '../account/wallet.ts';
import { minus, times, toDecimal, toNumber } from '../market/decimal.ts';
import { roundPrice, truncateAmount } from '../market/rounding.ts';
import { furtherEntryAmount, sizeEntry } from '../risk/entry.ts';
import { slotsFull } from '../risk/slots.ts';
import { moveStopByHand, releaseStop } from '../risk/stops.ts';
import type { ManualRefusal } from './effect.ts';
import type { MarketView } from './event.ts';
import type { Step } from './execution.ts';
import { cancelOrder, copyOf, instrumentOf, liveQuirks, placeOrder } from './execution.ts';
import { exitAmount } from './exit-amount.ts';
import { exitRest } from './exit-failures.ts';
import { instrumentToEnter, largestOrder, withinLargest } from './largest-order.ts';
import type { ManualAction } from './manual-action.ts';
import { manualPartTag, manualTag } from './manual-action.ts';
import { heldFor } from './missing.ts';
import { liquidationOfOpening, openTrade } from './open-trade.ts';
import { currentRate } from './pricing.ts';
import { isTooSmallToSell } from './small-rest.ts';
import { stepsOf } from './steps-of-trade.ts';

type Kind<Name extends ManualAction['kind']> = Extract<ManualAction, { kind: Name }>;

/** What came of trying an action: done with the order it made, refused, or null while something has to come first. */
type Outcome = { isDone: true; tradeId: number; orderId: string | null } | { isDone: false; reason: ManualRefusal } | null;

/** So many actions that have ended are remembered, because a runner may hand one over again before it knows. */
const remembered = 20;

/** Takes in what a person wants; reported twice, it is wanted once. It is tried with the next prices of its symbol. */
export function takeAction({ state }: Step, action: ManualAction): void {
  const isKnown = state.endedActions.includes(action.id) || state.actions.some(({ id }) => id === action.id);
  if (!isKnown) state.actions = [...state.actions, action];
}

/** A limit has refused what a step did for an action: it ends. */
export function refuseAction(step: Step, id: string, reason: ManualRefusal): void {
  const action = step.state.actions.find((each) => each.id === id);
  if (action === undefined) step.state.endedActions = [...step.state.endedActions, id].slice(-remembered);
  end(step, id, { isDone: false, reason });
}

/** Ends the actions whose time is over, and those of trades that are over. */
export function endVainActions(step: Step): void {
  for (const action of step.state.actions) {
    if (step.time > action.until) end(step, action.id, { isDone: false, reason: 'too-late' });
    else if (action.kind !== 'enter' && tradeOf(step, action.tradeId) === undefined)
      end(step, action.id, { isDone: false, reason: 'trade-over' });
  }
}

/**
 * Does what people want of a symbol, as far as it can be done at these prices. Before anything else is decided on them, so that a
 * person's entry and the bot's own never both open a trade.
 */
export function doActions(step: Step, view: MarketView): void {
  for (const action of step.state.actions) {
    const outcome = outcomeOf(step, action, view);
    if (outcome !== null) end(step, action.id, outcome);
  }
}

function outcomeOf(step: Step, action: ManualAction, view: MarketView): Outcome {
  if (action.kind === 'enter') return action.symbol === view.symbol ? enterByHand(step, action, view) : null;
  const trade = tradeOf(step, action.tradeId);
  if (trade?.symbol !== view.symbol) return null;
  if (isLeaving(step, trade)) return no('trade-over');
  if (action.kind === 'add') return addByHand(step, action, trade, view);
  if (action.kind === 'take-out') return takeOut(step, action, trade, view);
  return moveStop(step, action, trade, view);
}

function end({ state, effects, time }: Step, actionId: string, outcome: NonNullable<Outcome>): void {
  const action = state.actions.find(({ id }) => id === actionId);
  if (action !== undefined) {
    state.actions = state.actions.filter((each) => each !== action);
    state.endedActions = [...state.endedActions, actionId].slice(-remembered);
  }
  const refusal = outcome.isDone ? null : outcome.reason;
  const made = outcome.isDone ? { tradeId: outcome.tradeId, orderId: outcome.orderId } : { tradeId: null, orderId: null };
  effects.push({ kind: 'manual-ended', time, actionId, refusal, ...made });
}

const no = (reason: ManualRefusal): Outcome => ({ isDone: false, reason });

/** Opens a trade at market with the stake a person has named. Limits, slots and the kill switch hold as for the bot itself; its signals and rests do not. */
function enterByHand(step: Step, action: Kind<'enter'>, view: MarketView): Outcome {
  const { state, context } = step;
  const { settings } = state;
  const { direction, stopPrice } = action;
  if (state.tradingState !== 'active') return no(state.tradingState);
  if (state.status !== 'active') return no(state.status);
  if (state.trades.some(({ symbol }) => symbol === action.symbol)) return no('has-open-trade');
  if (direction === 'short' && !settings.canShort) return no('cannot-short');
  if (slotsFull(settings, state.trades.length)) return no('slots-full');
  const instrument = instrumentOf(step, action.symbol);
  const price = roundPrice(currentRate('entry', direction, 'market', view, settings), instrument.priceTick);
  const stop = stopPrice === null ? null : roundPrice(stopPrice, instrument.priceTick, direction === 'short' ? 'down' : 'up');
  if (stop !== null && !isBehind(direction, stop, leavingPrice(step, direction, view))) return no('stop-beyond-price');
  const callbacks = { ...context.callbacks };
  delete callbacks.stake; // a person has named it
  const terms = { ...settings, stakeAmount: action.stake, amendLastStakeAmount: false };
  const question = { symbol: action.symbol, time: step.time, direction, tag: manualTag };
  const wallet = walletOf(settings, state.closedProfit, state.trades);
  const within = instrumentToEnter(step, action.symbol, 'market', price);
  const sized = sizeEntry(question, { entry: price, market: price }, wallet, within, terms, callbacks, liveQuirks);
  if (!sized.ok) return no(sized.reason);
  if (isMore(sized.size.stake, action.stake)) return no('stake-too-small');
  const opening = { direction, tag: manualTag, price, size: sized.size, type: 'market', action: 'manual-enter', stop } as const;
  if (stop !== null && isBeyondLiquidation(direction, stop, liquidationOfOpening(step, opening, action.symbol)))
    return no('stop-beyond-liquidation');
  const { trade, order } = openTrade(step, opening, view);
  return { isDone: true, tradeId: trade.id, orderId: order.id };
}

/** Makes a trade larger at market. */
function addByHand(step: Step, action: Kind<'add'>, trade: Trade, view: MarketView): Outcome {
  const { state } = step;
  const { settings } = state;
  if (state.tradingState !== 'active') return no(state.tradingState);
  if (state.status !== 'active') return no(state.status);
  if (openOrder(trade, 'entry') !== null || !(trade.amount > 0)) return no('entry-waits');
  if (heldFor(state, trade) !== trade.amount) return no('account-differs');
  const exit = openOrder(trade, 'exit');
  if (exit !== null && exit.action !== 'take-out') return no('trade-over');
  // That comes first: what is bought now would be sold with the rest.
  if (isAtStop(step, trade, view) || isMakingWay(step, trade) || exitRest(step, trade) > 0) return null;
  const instrument = instrumentOf(step, trade.symbol);
  const price = roundPrice(currentRate('entry', trade.direction, 'market', view, settings), stepsOf(step, trade).priceTick);
  const { available } = walletOf(settings, state.closedProfit, state.trades);
  if (available < action.stake) return no('insufficient-balance');
  const wanted = furtherEntryAmount(trade, action.stake, price, available, instrument, settings, liveQuirks);
  const amount = withinLargest(step, trade, 'market', price, wanted);
  if (!(amount > 0) || isMore((amount * price) / trade.leverage, action.stake)) return no('stake-too-small');
  const before = trade.orders.findLast((order) => order.action === 'add' || order.action === 'enter' || order.action === 'manual-enter');
  const follows = before === undefined ? {} : { follows: before.id };
  placeOrder(step, trade, { action: 'add', ...follows, purpose: 'entry', type: 'market', price, amount, tag: manualTag }, view);
  return made(trade);
}

/** Whether a stake is noticeably more than the one a person has named: it was raised to the smallest that the market takes. */
function isMore(stake: number, named: number): boolean {
  return stake > named * 1.001;
}

/** Leaves a part of a trade at market. Orders that stand in the way are cancelled first; meanwhile the bot watches the stop itself. */
function takeOut(step: Step, action: Kind<'take-out'>, trade: Trade, view: MarketView): Outcome {
  if (openOrder(trade, 'entry') !== null || !(trade.amount > 0)) return no('entry-waits');
  // What is missing may be this very part: sold by an order that the disk has lost.
  if (heldFor(step.state, trade) !== trade.amount) return no('account-differs');
  // What has reached its stop is left as a whole, or not; that comes first.
  if (isAtStop(step, trade, view)) return null;
  const all = exitAmount(step, trade);
  const { amountStep, priceTick } = stepsOf(step, trade);
  const amount = truncateAmount(toNumber(times(toDecimal(trade.amount), toDecimal(action.share))), amountStep, trade.contractSize);
  const price = roundPrice(currentRate('exit', trade.direction, 'market', view, step.state.settings), priceTick);
  if (!(amount > 0) || isTooSmallToSell(step, trade, amount, price)) return no('part-too-small');
  if (amount > largestOrder(step, trade.symbol, 'market', price)) return no('part-too-large');
  const rest = toNumber(minus(toDecimal(all), toDecimal(amount)));
  const worst = trade.stop > 0 ? Math.min(price, trade.stop) : price;
  if (!(rest > 0) || isTooSmallToSell(step, trade, rest, worst)) return no('rest-too-small');
  if (trade.orders.some(({ isCancelWanted }) => isCancelWanted) || exitRest(step, trade) > 0) return null;
  for (const order of trade.orders.filter(isWaiting)) if (!cancelOrder(step, trade, order, 'replaced')) return null;
  const before = trade.orders.findLast(({ purpose, filled }) => purpose === 'exit' && filled > 0);
  const follows = before === undefined ? {} : { follows: before.id };
  delete step.state.partsToLeave[trade.id]; // what the strategy wanted of it was of before
  placeOrder(step, trade, { action: 'take-out', ...follows, purpose: 'exit', type: 'market', price, amount, tag: manualPartTag }, view);
  return made(trade);
}

/** Moves the stop of a trade to where a person wants it, or lets the bot move it again. One at the exchange follows at once. */
function moveStop(step: Step, action: Kind<'move-stop'>, trade: Trade, view: MarketView): Outcome {
  if (!(trade.amount > 0)) return no('entry-waits');
  const standing = openStop(trade);
  if (standing !== null && standing.filled > 0) return no('stop-filling');
  const isTooSmallAt = (price: number): boolean =>
    step.context.stopsAtExchange === true && isTooSmallToSell(step, trade, exitAmount(step, trade), price);
  if (action.price === null) releaseStop(trade, step.state.settings.stoploss, liveQuirks);
  else {
    const price = roundPrice(action.price, stepsOf(step, trade).priceTick, trade.direction === 'short' ? 'down' : 'up');
    if (!isBehind(trade.direction, price, leavingPrice(step, trade.direction, view))) return no('stop-beyond-price');
    if (isBeyondLiquidation(trade.direction, price, trade.liquidationPrice)) return no('stop-beyond-liquidation');
    if (isTooSmallAt(price) && !(trade.stop > 0 && isTooSmallAt(trade.stop))) return no('stop-too-small');
    moveStopByHand(trade, price);
  }
  if (standing !== null && standing.price !== trade.stop && !standing.isCancelWanted) cancelOrder(step, trade, standing, 'replaced');
  step.effects.push({ kind: 'trade-updated', time: step.time, trade: copyOf(trade) });
  return { isDone: true, tradeId: trade.id, orderId: null };
}

/** Whether a price lies on the losing side of another. */
function isBehind(direction: Trade['direction'], price: number, of: number): boolean {
  return price > 0 && (direction === 'long' ? price < of : price > of);
}

/** Whether the price has reached the stop of a trade, or the price at which it is left before the exchange takes it away. */
function isAtStop(step: Step, { direction, stop, liquidationPrice }: Trade, view: MarketView): boolean {
  const price = leavingPrice(step, direction, view);
  return [stop, liquidationPrice ?? 0].some((level) => level > 0 && !isBehind(direction, level, price));
}

/**
 * Whether an order of the trade is being cancelled, or the bot has just cancelled its stop or exit, at an exchange: for an exit that follows, or for a
 * stop. One that is too small for a stop has none again.
 */
function isMakingWay({ context }: Step, { orders, stop, tooSmall, stopFailures }: Trade): boolean {
  const newest = orders.findLast(({ purpose }) => purpose === 'exit');
  const newestStop = orders.findLast(({ type }) => type === 'stop');
  // No stop follows where there is none to place, and none for a while where the last one rests.
  const follows = context.stopsAtExchange === true && stop > 0 && (stopFailures === undefined || stopFailures.orderId !== newestStop?.id);
  const isGone = follows && newest?.state === 'cancelled';
  return orders.some(({ isCancelWanted }) => isCancelWanted) || (isGone && (tooSmall ?? null) === null);
}

/** Whether the exchange would take a position away before this stop is reached: then it protects nothing. At 0 it never would. */
function isBeyondLiquidation(direction: Trade['direction'], stop: number, liquidationPrice: number | null): boolean {
  return liquidationPrice !== null && liquidationPrice > 0 && !isBehind(direction, liquidationPrice, stop);
}

/** What a position of this direction would be left at now. */
function leavingPrice(step: Step, direction: Trade['direction'], view: MarketView): number {
  return currentRate('exit', direction, 'market', view, step.state.settings);
}

function made(trade: Trade): Outcome {
  return { isDone: true, tradeId: trade.id, orderId: (trade.orders.at(-1) as Order).id };
}

function tradeOf({ state }: Step, tradeId: number): Trade | undefined {
  return state.trades.find(({ id, isOpen }) => id === tradeId && isOpen);
}

/** Whether a trade is being closed: an exit is on its way, or a person, or the end of the bot, wants it closed. */
function isLeaving({ state }: Step, trade: Trade): boolean {
  const wanted = state.status === 'stopped' || state.closeAsked.includes(trade.id);
  return wanted || openOrder(trade, 'exit')?.type === 'market';
}
