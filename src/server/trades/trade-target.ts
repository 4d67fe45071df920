import { rateForProfit } from '#engine/account/profit.ts';
import type { Trade } from '#engine/account/trade.ts';
import { roundPrice } from '#engine/market/rounding.ts';
import { riskRewardTarget, roiTarget } from '#engine/risk/roi.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { effectiveValues } from '#storage/bots/effective-values.ts';
import { knownOf } from '../bots/bot-trading.ts';
import type { BotView } from '#storage/bots/bots.ts';

/** The profit ratio at which an open trade is closed with profit now, by ROI or risk and reward; null without one. */
export function targetRatio(bot: BotView, held: Trade, time: number): number | null {
  const effective = effectiveValues(bot);
  const settings = requireSettings({
    stoploss: effective.stoploss,
    stakeAmount: Number(bot.stakeAmount),
    maxOpenTrades: bot.maxOpenTrades,
    minimalRoi: effective.minimalRoi,
    riskRewardRatio: effective.riskRewardRatio,
  });
  const roi = roiTarget(held, time, settings, knownOf(bot).callbacks ?? {})?.ratio ?? null;
  const wanted = riskRewardTarget(settings);
  if (roi === null || wanted === null) return roi ?? wanted;
  return Math.min(roi, wanted);
}

/** The price of that profit, on the market's step; null when the trade holds nothing or would be closed at any price. */
export function targetPrice(bot: BotView, held: Trade, time: number): number | null {
  const ratio = targetRatio(bot, held, time);
  if (ratio === null || ratio <= -1 || held.amount <= 0) return null;
  const price = rateForProfit(held, ratio, time);
  return Number.isFinite(price) && price > 0 ? roundPrice(price, held.priceTick) : null;
}
