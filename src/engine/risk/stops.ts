import { plus, minus, times, dividedBy, toDecimal, toNumber } from '../market/decimal.ts';
import type { Trade } from '../account/trade.ts';
import { minutesOpen } from '../account/trade.ts';
import { profitRatio, rateForProfit } from '../account/profit.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';
import { signOf } from '../market/direction.ts';
import type { PriceBar } from '../market/price-bar.ts';
import { tickBar } from '../market/price-bar.ts';
import { roundPrice } from '../market/rounding.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import { exchangeLiquidationPrice } from './liquidation.ts';
import type { Quirks } from './quirks.ts';

/**
 * The stop price at a distance of `ratio` (of the stake) from `rate`: up to the tick for a long, down for a short.
 *
 * stopRoundedFromNoise: the double is rounded with its noise, so now and then the stop is one tick tighter than the exact value.
 */
export function stopPriceAt(trade: Trade, rate: number, ratio: number, quirks: Quirks): number {
  const isShort = trade.direction === 'short';
  let price: number;
  if (quirks.stopRoundedFromNoise) {
    const distance = Math.abs(ratio / trade.leverage);
    price = rate * (isShort ? 1 + distance : 1 - distance);
  } else {
    const from = toDecimal(rate);
    const distance = times(from, dividedBy(toDecimal(Math.abs(ratio)), toDecimal(trade.leverage)));
    price = toNumber(isShort ? plus(from, distance) : minus(from, distance));
  }
  return roundPrice(Math.max(0, price), trade.priceTick, isShort ? 'down' : 'up');
}

/** Sets the stop as if for the first time, from an order's price or its first fill. One that a person has put elsewhere stays. */
export function setInitialStop(trade: Trade, ratio: number, quirks: Quirks): void {
  if (trade.stopByHand === true) return;
  trade.stop = stopPriceAt(trade, trade.openRate, ratio, quirks);
  trade.stopRatio = -Math.abs(ratio);
  trade.initialStop = trade.stop;
  trade.initialStopRatio = trade.stopRatio;
  trade.isStopTrailing = false;
}

/** Moves the stop to a distance from `rate` if that is tighter; with `bothWays` in any case. One that a person has put where it is stays. Returns whether it moved. */
export function tightenStop(trade: Trade, rate: number, ratio: number, quirks: Quirks, bothWays = false): boolean {
  if (trade.stopByHand === true) return false;
  const stop = stopPriceAt(trade, rate, ratio, quirks);
  const isTighter = trade.direction === 'long' ? stop > trade.stop : stop < trade.stop;
  if (!isTighter && !bothWays) return false;
  const hasMoved = stop !== trade.stop;
  trade.stop = stop;
  trade.stopRatio = -Math.abs(ratio);
  if (!bothWays) trade.isStopTrailing = true;
  return hasMoved;
}

/** Puts the stop where a person wants it, looser or tighter: nothing else moves it from then on. */
export function moveStopByHand(trade: Trade, price: number): void {
  trade.stop = price;
  trade.stopRatio = -Math.abs(((trade.openRate - price) / trade.openRate) * trade.leverage);
  trade.isStopTrailing = false;
  trade.stopByHand = true;
}

/** Lets settings and strategy move the stop again; one that was put farther away than they would have it comes back to where they have it at least. */
export function releaseStop(trade: Trade, ratio: number, quirks: Quirks): void {
  delete trade.stopByHand;
  const wasTrailing = trade.isStopTrailing;
  tightenStop(trade, trade.openRate, ratio, quirks);
  trade.isStopTrailing = wasTrailing;
}

/**
 * The stop after a fill: from the first fill again; after a further entry from the new average, if that is tighter.
 *
 * averagingMakesStopTrail: the tighter stop counts as trailing, although nothing trailed.
 */
export function stopAfterFill(trade: Trade, isFirstEntry: boolean, quirks: Quirks): void {
  if (isFirstEntry) return setInitialStop(trade, trade.stopRatio, quirks);
  const wasTrailing = trade.isStopTrailing;
  tightenStop(trade, trade.openRate, trade.stopRatio, quirks);
  if (!quirks.averagingMakesStopTrail) trade.isStopTrailing = wasTrailing;
}

/** The stop after a trade is settled again. adjustingResetsTheStop: at its last distance, now from the average, if that is tighter. */
export function stopAfterSettling(trade: Trade, quirks: Quirks): void {
  if (quirks.adjustingResetsTheStop) stopAfterFill(trade, false, quirks);
}

/**
 * Asks the strategy for a stop after a fill, if it wants to be asked; trailing follows from the price of the fill. A
 * price that lies beyond the stop moves nothing.
 */
export function customStopAfterFill(
  trade: Trade,
  price: number,
  time: number,
  settings: TradingSettings,
  callbacks: StrategyCallbacks,
  quirks: Quirks,
): void {
  if (callbacks.customStop === undefined || callbacks.stopAfterFill !== true) return;
  if (isTouched(trade, trade.stop, tickBar(time, price))) return;
  followPrice(trade, { price, time, profit: profitRatio(trade, price, time), afterFill: true }, settings, callbacks, quirks);
}

/**
 * Moves the stop along with the best price of the bar, by the strategy's own rule and by trailing.
 *
 * touchedStopDoesNotMove: a bar that already touches the stop does not move it. highMovesStopBeforeLow: the best price moves the stop before the worst price
 * of the same bar is tested against it.
 */
export function adjustStop(
  trade: Trade,
  bar: PriceBar,
  bestProfit: number,
  settings: TradingSettings,
  callbacks: StrategyCallbacks,
  quirks: Quirks,
): void {
  if (isTouched(trade, trade.stop, bar)) return;
  const price = trade.direction === 'long' ? bar.high : bar.low;
  followPrice(trade, { price, time: bar.time, profit: bestProfit, afterFill: false }, settings, callbacks, quirks);
}

/** The strategy's own stop, then trailing, whose distance is the strategy's of this moment where there is one. */
function followPrice(
  trade: Trade,
  at: { price: number; time: number; profit: number; afterFill: boolean },
  settings: TradingSettings,
  callbacks: StrategyCallbacks,
  quirks: Quirks,
): void {
  const { price, time, profit, afterFill } = at;
  let distance = settings.stoploss;
  if (callbacks.customStop !== undefined) {
    const ratio = callbacks.customStop({ trade, time, price, profitRatio: profit, afterFill }) ?? 0;
    if (ratio !== 0 && Number.isFinite(ratio)) {
      distance = ratio;
      tightenStop(trade, price, ratio, quirks, afterFill);
    }
  }
  if (!settings.trailingStop) return;
  const offset = settings.trailingStopPositiveOffset;
  if (settings.trailingOnlyOffsetIsReached && profit < offset) return;
  const positive = settings.trailingStopPositive;
  tightenStop(trade, price, positive !== null && profit > offset ? positive : distance, quirks);
}

/** Whether the bar reaches this price from the winning side. */
export function isTouched(trade: Trade, price: number, bar: PriceBar): boolean {
  return trade.direction === 'long' ? price >= bar.low : price <= bar.high;
}

/** What of stop, trailing stop and liquidation price a bar has hit; the exit's reason at once. */
export type StopKind = 'stop_loss' | 'trailing_stop_loss' | 'liquidation';

/** What the bar hit, if anything. The stop is tested before the liquidation price (stopBeyondLiquidationWins). */
export function stopHit(trade: Trade, bar: PriceBar, quirks: Quirks): StopKind | null {
  const isStopHit = isTouched(trade, trade.stop, bar);
  const liquidationPrice = trade.liquidationPrice ?? 0;
  const isLiquidated = liquidationPrice > 0 && isTouched(trade, liquidationPrice, bar);
  const liquidatesFirst = isLiquidated && signOf(trade.direction) * (liquidationPrice - trade.stop) > 0;
  if (isStopHit && !(liquidatesFirst && !quirks.stopBeyondLiquidationWins))
    return trade.isStopTrailing ? 'trailing_stop_loss' : 'stop_loss';
  return isLiquidated ? 'liquidation' : null;
}

/**
 * The price of an exit at the stop or at liquidation, before rounding to the tick.
 *
 * gapBeyondStopExitsAtStop: a bar that opens beyond the stop and touches it later still exits at the stop; `stoodBefore` marks a stop that
 * was there at the open from one that this bar has moved. stopBeyondLiquidationWins: what a liquidation leaves of the margin is kept; without
 * the quirk the margin is lost once the exchange's own price, without the buffer, is reached.
 */
export function stopExitRate(
  trade: Trade,
  { kind: hit, stoodBefore }: { kind: StopKind; stoodBefore: boolean },
  bar: PriceBar,
  settings: TradingSettings,
  callbacks: StrategyCallbacks,
  quirks: Quirks,
): number {
  const s = signOf(trade.direction);
  const level = hit === 'liquidation' && trade.liquidationPrice !== null ? trade.liquidationPrice : trade.stop;
  if (hit === 'liquidation' && !quirks.stopBeyondLiquidationWins && isTouched(trade, exchangeLiquidationPrice(trade, settings), bar)) {
    const marginGone = rateForProfit(trade, -1, bar.time);
    // With cross margin the exchange waits until more than the stake is gone.
    return trade.direction === 'long' ? Math.min(level, marginGone) : Math.max(level, marginGone);
  }
  const isBeyond = trade.direction === 'long' ? level > bar.high : level < bar.low;
  if (isBeyond) return bar.open;
  if (hit === 'trailing_stop_loss' && minutesOpen(trade, bar.time) === 0) {
    // The order of events inside the entry bar is unknown: assume the worst, that it armed the stop and turned at once.
    const armsAtOffset =
      callbacks.customStop === undefined &&
      settings.trailingStop &&
      settings.trailingOnlyOffsetIsReached &&
      settings.trailingStopPositive !== null;
    const rate = armsAtOffset
      ? bar.open *
        (1 + s * Math.abs(settings.trailingStopPositiveOffset) - s * Math.abs((settings.trailingStopPositive ?? 0) / trade.leverage))
      : bar.open * (1 - s * Math.abs(trade.stopRatio / trade.leverage));
    return trade.direction === 'long' ? Math.max(bar.low, rate) : Math.min(bar.high, rate);
  }
  if (!quirks.gapBeyondStopExitsAtStop && stoodBefore && s * (level - bar.open) > 0) return bar.open;
  return level;
}
