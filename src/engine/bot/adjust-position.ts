import type { Order } from '../account/order.ts';
import { isWaiting } from '../account/order.ts';
import { profitRatio } from '../account/profit.ts';
import type { Trade } from '../account/trade.ts';
import { filledEntries } from '../account/trade.ts';
import { walletOf } from '../account/wallet.ts';
import { dividedBy, minus, times, toDecimal, toNumber } from '../market/decimal.ts';
import { minuteMs, secondMs } from '../market/durations.ts';
import { tickBar } from '../market/price-bar.ts';
import { roundPrice, truncateAmount } from '../market/rounding.ts';
import { candleOpenTime, timeframeLengths } from '../market/timeframe.ts';
import { entryPrice, furtherEntryAmount } from '../risk/entry.ts';
import { exitPrice } from '../risk/exits.ts';
import type { ExitRules } from '../risk/exits.ts';
import { activeLock, entryRefused } from '../risk/locks.ts';
import { maxStake, minStake } from '../risk/stake.ts';
import type { PositionChange } from '../strategy/callbacks.ts';
import type { MarketView } from './event.ts';
import type { Step } from './execution.ts';
import { cancelOrder, instrumentOf, liveQuirks, placeOrder } from './execution.ts';
import { exitAmount, nextOfParts } from './exit-amount.ts';
import { withinLargest } from './largest-order.ts';
import { heldFor } from './missing.ts';
import type { PartToLeave } from './part-to-leave.ts';
import { currentRate, withinDistance } from './pricing.ts';
import { isTooSmallToSell } from './small-rest.ts';
import { stepsOf } from './steps-of-trade.ts';

/** A trade's strategy is asked at most this often, which is how often the reference asks. */
const askEveryMs = 5 * secondMs;

/** A part that cannot be left within this time, because its stop would not be cancelled, is forgotten: the strategy is asked again. */
const partWaitsMs = 10 * secondMs;

/** What is left of one after an order for some of it waits longer: a quiet pair may have no price for a while. */
const restWaitsMs = minuteMs;

/**
 * Asks the strategy whether to make a trade larger or to leave a part of it, and does it. Nothing is asked while another order of the
 * trade waits, while the trade is being left, or while its account holds less than it.
 *
 * Returns whether a part is being left: until that is done no stop is placed, and the bot watches the price itself.
 */
export function adjustPosition(step: Step, trade: Trade, view: MarketView): boolean {
  const { state, context } = step;
  const { callbacks } = context;
  if (!state.settings.positionAdjustment || callbacks.adjustPosition === undefined) return false;
  const planned = state.partsToLeave[trade.id];
  if (planned !== undefined) {
    const first = trade.orders.find(({ id }) => id === planned.restOf);
    if (first !== undefined && isWaiting(first)) {
      state.partsToLeave[trade.id] = { ...planned, until: step.time + restWaitsMs };
      return false;
    }
    const isFree = planned.restOf === undefined || first?.state === 'filled';
    const isDue = isFree && step.time <= planned.until && heldFor(state, trade) === trade.amount;
    const others = trade.orders.filter(isOtherOrder);
    if (isDue && others.length === 0) return leavePart(step, trade, planned, view);
    // What a person adds meanwhile comes first; any other order, such as an exit of the whole, takes its place.
    if (isDue && others.every(({ purpose }) => purpose === 'entry')) return false;
  }
  delete state.partsToLeave[trade.id];
  if (!mayBeAdjusted(step, trade)) return false;
  state.adjustAskedAt[trade.id] = step.time;

  const { settings } = state;
  const instrument = instrumentOf(step, trade.symbol);
  const rate = currentRate('entry', trade.direction, settings.orderTypes.entry, view, settings);
  const { available } = walletOf(settings, state.closedProfit, state.trades);
  const answer = callbacks.adjustPosition({
    trade,
    time: step.time,
    price: rate,
    profitRatio: profitRatio(trade, rate, step.time),
    minStake: minStake(instrument, rate, 0, trade.leverage, settings, liveQuirks),
    maxStake: Math.min(maxStake(instrument, rate, trade.leverage, settings, liveQuirks), available),
  });
  const { stake, tag } = changeOf(answer);
  if (stake === null || stake === 0 || !Number.isFinite(stake)) return false;
  if (stake > 0) {
    addTo(step, trade, stake, tag, rate, view);
    return false;
  }
  const share = dividedBy(times(toDecimal(-stake), toDecimal(trade.amount)), toDecimal(trade.stake));
  const amount = truncateAmount(toNumber(share), stepsOf(step, trade).amountStep, trade.contractSize);
  return leavePart(step, trade, { amount, tag: tag ?? 'partial_exit', until: step.time + partWaitsMs }, view);
}

function mayBeAdjusted({ state, time }: Step, trade: Trade): boolean {
  if (!trade.isOpen || !(trade.amount > 0) || time - (state.adjustAskedAt[trade.id] ?? -Infinity) < askEveryMs) return false;
  return heldFor(state, trade) === trade.amount && !trade.orders.some(isOtherOrder);
}

/** Whether an order of a trade waits that is not a stop, or one that is being filled. */
function isOtherOrder(order: Order): boolean {
  return isWaiting(order) && (order.type !== 'stop' || order.filled > 0);
}

/** A further entry. The same things stand against it as against a first one; its signal is the strategy's answer. */
function addTo(step: Step, trade: Trade, stake: number, tag: string | null, rate: number, view: MarketView): void {
  const { state, context } = step;
  const { settings } = state;
  if (state.tradingState !== 'active' || state.status !== 'active') return;
  if (settings.maxEntryAdjustments >= 0 && filledEntries(trade) > settings.maxEntryAdjustments) return;
  // A limit that has refused one on this candle is not asked again before the next.
  const candleTime = candleOpenTime(state.timeframe, step.time) - timeframeLengths[state.timeframe];
  if (state.refusedEntries[trade.symbol]?.candleTime === candleTime) return;
  // Nor is the exchange; other locks are about new trades.
  const refusals = state.locks.filter(({ reason }) => reason === entryRefused);
  if (activeLock(refusals, trade.symbol, trade.direction, step.time) !== null) return;
  const distance = settings.customPriceMaxDistanceRatio;
  const bar = { ...tickBar(step.time, rate), high: rate * (1 + distance), low: rate * (1 - distance) };
  const question = { symbol: trade.symbol, time: step.time, direction: trade.direction, tag };
  const asked = entryPrice(question, bar, stepsOf(step, trade).priceTick, settings, context.callbacks, trade);
  const price = roundPrice(withinDistance(asked, rate, distance), stepsOf(step, trade).priceTick);
  const { available } = walletOf(settings, state.closedProfit, state.trades);
  const { entry: type } = settings.orderTypes;
  const wanted = furtherEntryAmount(trade, stake, price, available, instrumentOf(step, trade.symbol), settings, liveQuirks);
  const amount = withinLargest(step, trade, type, price, wanted);
  if (!(amount > 0)) return;
  const before = trade.orders.findLast(({ purpose }) => purpose === 'entry');
  const follows = before === undefined ? {} : { follows: before.id };
  placeOrder(step, trade, { action: 'add', ...follows, purpose: 'entry', type, price, amount, tag }, view);
}

/** Leaves a part; a stop at the exchange for all of it is cancelled first. False when it cannot be left at all. */
function leavePart(step: Step, trade: Trade, part: PartToLeave, view: MarketView): boolean {
  const { state, context } = step;
  const { settings } = state;
  delete state.partsToLeave[trade.id];
  const { tag } = part;
  if (part.amount >= exitAmount(step, trade)) return false; // all of it is left by an exit
  const rules: ExitRules = {
    settings,
    callbacks: context.callbacks,
    quirks: liveQuirks,
    timeframeMinutes: timeframeLengths[state.timeframe] / 60_000,
  };
  const rate = currentRate('exit', trade.direction, settings.orderTypes.exit, view, settings);
  const wished = exitPrice(trade, { kind: 'partial_exit', reason: tag }, tickBar(step.time, rate), rules);
  if (wished === null || state.tradingState === 'halted') return false;
  const price = roundPrice(withinDistance(wished, rate, settings.customPriceMaxDistanceRatio), stepsOf(step, trade).priceTick);
  const { exit: type } = settings.orderTypes;
  const amount = nextOfParts(step, trade, type, price, part.amount);
  const rest = toNumber(minus(toDecimal(exitAmount(step, trade)), toDecimal(part.amount)));
  // What remains must be enough to be sold, at its stop too.
  const worst = trade.stop > 0 ? Math.min(price, trade.stop) : price;
  const min = minStake(instrumentOf(step, trade.symbol), price, settings.stoploss, trade.leverage, settings, liveQuirks);
  if (!(amount > 0) || isTooSmallToSell(step, trade, amount, price)) return false;
  if (!(rest > 0) || rest * price < min || isTooSmallToSell(step, trade, rest, worst)) return false;
  for (const order of trade.orders.filter(isWaiting))
    if (!cancelOrder(step, trade, order, 'replaced')) {
      state.partsToLeave[trade.id] = { amount: part.amount, tag, until: part.until };
      return true;
    }
  const before = trade.orders.findLast(({ purpose, filled }) => purpose === 'exit' && filled > 0);
  const follows = before === undefined ? {} : { follows: before.id };
  const order = placeOrder(step, trade, { action: 'take-out', ...follows, purpose: 'exit', type, price, amount, tag }, view);
  if (amount < part.amount) {
    const left = toNumber(minus(toDecimal(part.amount), toDecimal(amount)));
    state.partsToLeave[trade.id] = { amount: left, tag, until: step.time + restWaitsMs, restOf: order.id };
  }
  return true;
}

function changeOf(answer: number | PositionChange | null): { stake: number | null; tag: string | null } {
  if (typeof answer !== 'object' || answer === null) return { stake: answer, tag: null };
  const { stake, tag = null } = answer;
  return { stake, tag: tag === '' ? null : tag };
}
