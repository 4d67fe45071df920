import { rateForProfit } from '../account/profit.ts';
import type { Trade } from '../account/trade.ts';
import { minutesOpen } from '../account/trade.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';
import { signOf } from '../market/direction.ts';
import type { PriceBar } from '../market/price-bar.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { Quirks } from './quirks.ts';

/** The profit that is enough now, and since how many minutes after the entry it is. */
export interface RoiTarget {
  ratio: number;
  sinceMinutes: number;
}

/** The ROI target of a trade at `time`; null when there is none. */
export function roiTarget(trade: Trade, time: number, settings: TradingSettings, callbacks: StrategyCallbacks): RoiTarget | null {
  const minutes = minutesOpen(trade, time);
  const row = roiRow(settings, minutes);
  const table = row < 0 ? null : { ratio: settings.minimalRoi.ratios[row], sinceMinutes: settings.minimalRoi.minutes[row] };
  const own = callbacks.roi?.({ trade, time, minutes }) ?? null;
  if (own === null || (table !== null && table.ratio <= own)) return table;
  return { ratio: own, sinceMinutes: minutes };
}

/** The row of the table with the largest key of at most `minutes`; -1 when there is none. */
export function roiRow(settings: TradingSettings, minutes: number): number {
  const keys = settings.minimalRoi.minutes;
  let row = keys.length - 1;
  while (row >= 0 && keys[row] > minutes) row -= 1;
  return row;
}

/** What of ROI and risk-reward the best profit of the bar has reached; where both have, the lower one counts. */
export function roiHit(
  trade: Trade,
  time: number,
  bestProfit: number,
  settings: TradingSettings,
  callbacks: StrategyCallbacks,
): { reason: 'roi' | 'risk_reward'; target: RoiTarget } | null {
  const roi = roiTarget(trade, time, settings, callbacks);
  const isRoiHit = roi !== null && bestProfit > roi.ratio;
  const wanted = riskRewardTarget(settings);
  if (wanted !== null && bestProfit >= wanted && !(isRoiHit && roi.ratio <= wanted)) {
    return { reason: 'risk_reward', target: { ratio: wanted, sinceMinutes: 0 } };
  }
  return isRoiHit ? { reason: 'roi', target: roi } : null;
}

/** The profit ratio at which risk and reward are in the wanted proportion; null when none is wanted. */
export function riskRewardTarget(settings: TradingSettings): number | null {
  return settings.riskRewardRatio === null ? null : settings.riskRewardRatio * Math.abs(settings.stoploss);
}

/**
 * The price of a ROI exit on this bar, before rounding; null when the bar allows none.
 *
 * beatenRoiExitsAtWorstPrice: a bar that beats the price as a whole exits at its worst price. forcedRoiExitsAtWorstPrice: so does a target of -1 that begins off a
 * candle boundary.
 */
export function roiExitRate(
  trade: Trade,
  target: RoiTarget | null,
  bar: PriceBar,
  timeframeMinutes: number,
  quirks: Quirks,
): number | null {
  if (target === null) return bar.open;
  const { ratio, sinceMinutes } = target;
  const beginsOnBoundary = sinceMinutes % timeframeMinutes === 0;
  // -1 means "leave now": every profit ratio is above it.
  if (ratio === -1 && (beginsOnBoundary || !quirks.forcedRoiExitsAtWorstPrice)) return bar.open;

  const s = signOf(trade.direction);
  const rate = rateForProfit(trade, ratio, bar.time);
  const minutes = minutesOpen(trade, bar.time);
  const opensBetter = s * (bar.open - rate) > 0;
  if (minutes > 0 && minutes === sinceMinutes && beginsOnBoundary && opensBetter) return bar.open;
  if (minutes === 0) {
    // On the entry bar a price that lies behind the close may have come before the entry.
    const turnsAgainst = s * (bar.open - bar.close) > 0 && s * (bar.open - trade.openRate) > 0 && s * (rate - bar.close) > 0;
    if (turnsAgainst) return null;
  }
  if (!quirks.beatenRoiExitsAtWorstPrice && minutes > 0 && opensBetter) return bar.open;
  return Math.min(Math.max(rate, bar.low), bar.high);
}
