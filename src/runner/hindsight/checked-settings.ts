import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { BotTerms, BotValues } from '../bots/bot-settings.ts';
import { settingsOf } from '../bots/bot-settings.ts';

/** The engine's settings, or why the values contradict each other. */
export function checkedSettings(
  bot: BotTerms,
  values: BotValues,
  strategy: Parameters<typeof settingsOf>[2],
): { settings: TradingSettings } | { why: string } {
  try {
    return { settings: settingsOf(bot, values, strategy) };
  } catch (error) {
    if (error instanceof RangeError) return { why: error.message };
    throw error;
  }
}
