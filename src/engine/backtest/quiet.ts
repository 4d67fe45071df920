import { minuteMs } from '../market/durations.ts';
import { profitRatio, roughRateForProfit } from '../account/profit.ts';
import { hasOpenOrders } from '../account/trade.ts';
import { riskRewardTarget, roiHit, roiRow } from '../risk/roi.ts';
import { adjustStop, isTouched, stopHit } from '../risk/stops.ts';
import type { Held, Row, Run } from './run.ts';

/**
 * Whether nothing can happen to a trade on a candle: no order waits, and its prices reach neither stop nor liquidation
 * nor what ROI and trailing wait for. The bounds are a little narrower than the rules, so a candle called quiet is.
 */
export function isQuiet(held: Held, high: number, low: number, time: number): boolean {
  const { quietAbove, quietBelow } = quietBounds(held);
  return low > quietAbove && high < quietBelow && time < held.quietUntil;
}

/** Between which prices a candle is quiet: they stay the same as long as candles are. Nothing lies between those of a trade that is watched. */
export function quietBounds({ isWatched, trade, quietRate }: Held): { quietAbove: number; quietBelow: number } {
  if (isWatched) return { quietAbove: Infinity, quietBelow: -Infinity };
  const { direction, stop, liquidationPrice } = trade;
  if (direction === 'long')
    return { quietAbove: liquidationPrice === null ? stop : Math.max(stop, liquidationPrice), quietBelow: quietRate };
  return { quietAbove: quietRate, quietBelow: liquidationPrice === null ? stop : Math.min(stop, liquidationPrice) };
}

/**
 * Does to a trade what its rules do on a row that leaves it open, cheaply: a new best price moves the stop, a row of the ROI table begins. The
 * prices seen are for the caller to note. False, with nothing changed, where more may happen, or where this cannot be said so simply.
 *
 * Needs: a row that neither opens a trade nor has an exit signal for this one
 */
export function followQuietly(run: Run, held: Held, row: Row): boolean {
  const { settings, callbacks, quirks } = run.rules;
  const { trade, pair } = held;
  if (held.isWatched || pair.funding !== null || !quirks.tradeKeepsEntryTick) return false;
  const bestProfit = profitRatio(trade, trade.direction === 'long' ? row.high : row.low, row.time);
  if (roiHit(trade, row.time, bestProfit, settings, callbacks) !== null) return false;
  const { stop, stopRatio, isStopTrailing } = trade;
  adjustStop(trade, row, bestProfit, settings, callbacks, quirks);
  if (stopHit(trade, row, quirks) !== null) {
    Object.assign(trade, { stop, stopRatio, isStopTrailing });
    return false;
  }
  setQuiet(run, held, row);
  return true;
}

/** Works out the bounds of `isQuiet` after the rules have looked at a row. */
export function setQuiet(run: Run, held: Held, row: Row): void {
  const { trade } = held;
  const { settings, callbacks, quirks } = run.rules;
  const isLong = trade.direction === 'long';
  held.isWatched =
    trade.amount === 0 ||
    hasOpenOrders(trade) ||
    settings.positionAdjustment ||
    trade.marketType === 'margin' ||
    callbacks.customExit !== undefined ||
    callbacks.customStop !== undefined ||
    callbacks.roi !== undefined;
  if (held.isWatched) return;

  // Rates are compared with a margin of 1e-6, far above what rounding to 8 decimals can move.
  const margin = isLong ? 1 - 1e-6 : 1 + 1e-6;
  const nearer = isLong ? Math.min : Math.max;
  const best = isLong ? row.high : row.low;
  held.quietRate = isLong ? Infinity : 0;
  held.quietUntil = Infinity;

  const minutes = Math.floor((row.time - trade.openTime) / minuteMs);
  const at = roiRow(settings, minutes);
  const nextKey = settings.minimalRoi.minutes[at + 1];
  if (nextKey !== undefined) held.quietUntil = trade.openTime + nextKey * minuteMs;
  if (at >= 0) held.quietRate = nearer(held.quietRate, roughRateForProfit(trade, settings.minimalRoi.ratios[at]) * margin);
  const reward = riskRewardTarget(settings);
  if (reward !== null) held.quietRate = nearer(held.quietRate, roughRateForProfit(trade, reward) * margin);

  if (settings.trailingStop) {
    // Only a better price than any before can move the stop, and below the offset not even that. Funding changes the
    // profit of a price, so there only this row's price is known to have had its effect.
    if (!isTouched(trade, trade.stop, row)) {
      const keepsOld = held.trailedRate !== 0 && held.pair.funding === null;
      held.trailedRate = !keepsOld ? best : isLong ? Math.max(held.trailedRate, best) : Math.min(held.trailedRate, best);
    }
    let bound = held.trailedRate === 0 ? (isLong ? 0 : Infinity) : held.trailedRate;
    if (settings.trailingOnlyOffsetIsReached) {
      const armed = roughRateForProfit(trade, settings.trailingStopPositiveOffset) * margin;
      if (held.trailedRate !== 0) bound = isLong ? Math.max(bound, armed) : Math.min(bound, armed);
    }
    held.quietRate = nearer(held.quietRate, bound);
    // A tick read off the candles changes with the month, and with it where the same price puts the stop.
    if (!quirks.tradeKeepsEntryTick && quirks.priceTickReadFromCandles)
      held.quietUntil = Math.min(held.quietUntil, held.pair.ticks.keepsUntil(row.time));
  }
  if (held.pair.funding !== null) {
    const nextFunding = (Math.floor(row.time / run.fundingTimeframeMs) + 1) * run.fundingTimeframeMs;
    held.quietUntil = Math.min(held.quietUntil, nextFunding);
  }
}
