import type { Strategy } from '../strategy/strategy.ts';
import type { SettingsInput, SettingsResult } from '../settings/normalise-settings.ts';
import { normaliseSettings } from '../settings/normalise-settings.ts';

/** What a bot sets itself; what it leaves out comes from the strategy, then from the defaults. */
export type BotSettingsInput = Omit<SettingsInput, 'stoploss' | 'canShort'> & { stoploss?: number | undefined };

/** The settings of a bot on a strategy: the bot's own override the strategy's. Shorts need a strategy that can. */
export function settingsOf(strategy: Pick<Strategy, 'defaults' | 'canShort'>, own: BotSettingsInput): SettingsResult {
  const { stoploss, minimalRoi, trailingStop, trailingStopPositive, trailingStopPositiveOffset, trailingOnlyOffsetIsReached } =
    strategy.defaults;
  return normaliseSettings({
    ...own,
    canShort: strategy.canShort,
    stoploss: own.stoploss ?? stoploss,
    minimalRoi: own.minimalRoi ?? minimalRoi,
    trailingStop: own.trailingStop ?? trailingStop,
    // Null is a value here: a bot may say that there is no positive trailing stop.
    trailingStopPositive: own.trailingStopPositive === undefined ? trailingStopPositive : own.trailingStopPositive,
    trailingStopPositiveOffset: own.trailingStopPositiveOffset ?? trailingStopPositiveOffset,
    trailingOnlyOffsetIsReached: own.trailingOnlyOffsetIsReached ?? trailingOnlyOffsetIsReached,
  });
}
