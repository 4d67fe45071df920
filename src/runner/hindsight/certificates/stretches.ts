import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { botSettingsOf } from '#storage/bots/bot-settings.ts';
import type { KeptSettings } from '#storage/bots/bot-settings.ts';
import type { VersionOfDay } from '#storage/certificates/day-rows.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import type { StrategyTerms } from '#storage/strategies/strategy-values.ts';
import type { KnownStrategy } from '#strategies/known-strategy.ts';
import { requireKnownStrategy } from '#strategies/known-strategy.ts';
import { pythonOf } from '#strategy-process/python/python-facts.ts';
import { valuesOf } from '../../bots/bot-settings.ts';
import { checkedSettings } from '../checked-settings.ts';
import { runnableOn } from '../runnable-on.ts';
import { codeToRun } from '../../strategy-of-task.ts';
import type { Stretch } from './certificate-task.ts';

/** Which settings a bot had from a time on. */
export interface SettingsFrom {
  from: number; // ms
  botVersion: number;
  strategyVersion: number;
  settings: KeptSettings;
  terms: StrategyTerms;
}

/** A stretch with what is known of its strategy, or why it cannot be replayed. */
export type PlannedStretch = { stretch: Stretch; strategy: KnownStrategy; botVersion: number; strategyVersion: number } | { why: string };

/** The settings of a bot by the versions that were valid in a day, oldest first; the oldest that is kept stands for those of before it. */
export function settingsOfDay(
  bot: BotView,
  terms: StrategyTerms & { version: number },
  versions: { bot: readonly VersionOfDay[]; strategy: readonly VersionOfDay[] },
  day: { from: number; to: number },
): SettingsFrom[] {
  type Version = Omit<VersionOfDay, 'settings'> & { settings: VersionOfDay['settings'] | null };
  const ofBot: readonly Version[] =
    versions.bot.length > 0 ? versions.bot : [{ version: bot.version, changedAt: bot.createdAt, settings: null }];
  const ofStrategy: readonly Version[] =
    versions.strategy.length > 0 ? versions.strategy : [{ version: terms.version, changedAt: bot.createdAt, settings: null }];
  const changes = [...ofBot, ...ofStrategy].map(({ changedAt }) => changedAt.getTime());
  const times = [...new Set([day.from, ...changes.filter((time) => time > day.from && time < day.to)])].toSorted((a, b) => a - b);
  const all = times.map((from) => {
    const own = validAt(ofBot, from);
    const strategy = validAt(ofStrategy, from);
    return {
      from,
      botVersion: own.version,
      strategyVersion: strategy.version,
      settings: own.settings === null ? botSettingsOf(bot) : (own.settings as unknown as KeptSettings),
      terms: strategy.settings === null ? terms : { ...terms, ...(strategy.settings as unknown as StrategyTerms) },
    };
  });
  // The oldest version stands for the time before it, too.
  return all.filter((each, i) => each.botVersion !== all[i - 1]?.botVersion || each.strategyVersion !== all[i - 1]?.strategyVersion);
}

function validAt<Version extends { changedAt: Date }>(versions: readonly Version[], time: number): Version {
  const found = versions.findLast(({ changedAt }) => changedAt.getTime() <= time) ?? versions[0];
  if (found === undefined) throw new Error('A bot without settings cannot be replayed');
  return found;
}

/** The stretch of a day under some settings, until others came; or in a sentence why its strategy cannot be replayed. */
export function planStretch(
  bot: Pick<BotView, 'startingBalance' | 'strategyClass'>,
  { from, botVersion, strategyVersion, settings: own, terms }: SettingsFrom,
  to: number,
  code: StrategyCode | null,
): PlannedStretch {
  if (code !== null && pythonOf(code.description) !== null)
    return { why: 'The strategy is in Python, and days of these are not replayed yet.' };
  if (code?.file !== undefined && code.file !== null && code.files === null)
    return { why: 'The file of the strategy is not kept any more, so the day cannot be replayed.' };
  const ownSettings = own.ownSettings ?? {};
  const known = requireKnownStrategy(bot.strategyClass, code?.description ?? null);
  const { timeframe, parameters, ...values } = valuesOf({ ownSettings }, terms, known);
  const runnable = runnableOn(bot.strategyClass, code, timeframe);
  if ('why' in runnable) return runnable;
  const { strategy } = runnable;
  const checked = checkedSettings(
    { ...own, ownSettings, startingBalance: bot.startingBalance },
    { ...values, timeframe, parameters },
    strategy,
  );
  if ('why' in checked) return checked;
  const stretch: Stretch = {
    from,
    to,
    symbols: own.symbols,
    timeframe,
    parameters: parameters satisfies ParameterValues,
    settings: checked.settings satisfies TradingSettings,
    strategyClass: bot.strategyClass,
    code: code === null ? null : codeToRun(code),
  };
  return { stretch, strategy, botVersion, strategyVersion };
}

/** How long before a day a strategy needs candles, in ms. */
export function warmUpMs(strategy: Pick<KnownStrategy, 'startupCandles'>, timeframe: Timeframe): number {
  return (strategy.startupCandles + 1) * timeframeLengths[timeframe];
}
