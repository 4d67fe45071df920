import type { Timeframe } from '#engine/market/timeframe.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { BotTerms, StrategyTerms } from '../bots/bot-settings.ts';
import { settingsOf } from '../bots/bot-settings.ts';

/** The engine's settings, or why the values contradict each other. */
export function checkedSettings(
  bot: BotTerms,
  terms: StrategyTerms,
  strategy: Pick<Strategy, 'canShort'>,
  timeframe: Timeframe,
): { settings: TradingSettings } | { why: string } {
  try {
    return { settings: settingsOf(bot, terms, strategy, timeframe) };
  } catch (error) {
    if (error instanceof RangeError) return { why: error.message };
    throw error;
  }
}
