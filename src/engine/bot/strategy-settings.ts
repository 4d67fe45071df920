import { effectiveSettings } from '../settings/effective-settings.ts';
import type { Strategy } from '../strategy/strategy.ts';
import type { SettingsInput, SettingsResult } from '../settings/normalise-settings.ts';
import { normaliseSettings } from '../settings/normalise-settings.ts';

/** What a bot sets itself; what it leaves out comes from the strategy, then from the defaults. */
export type BotSettingsInput = Omit<SettingsInput, 'stoploss' | 'canShort'> & { stoploss?: number | undefined };

/** The settings of a bot on a strategy: the bot's own override the strategy's. Shorts need a strategy that can. */
export function settingsOf(strategy: Pick<Strategy, 'defaults' | 'canShort'>, own: BotSettingsInput): SettingsResult {
  const { stoploss, minimalRoi, trailingStop, trailingStopPositive, trailingStopPositiveOffset, trailingOnlyOffsetIsReached } =
    strategy.defaults;
  const inherited = { stoploss, minimalRoi, trailingStop, trailingStopPositive, trailingStopPositiveOffset, trailingOnlyOffsetIsReached };
  return normaliseSettings({ ...own, canShort: strategy.canShort, ...effectiveSettings(own, inherited) });
}
