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
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import { knownOnCandles, requireKnownStrategy } from '#strategies/known-strategy.ts';
import { CannotRun } from '#strategies/strategy-of-rules.ts';
import { findPython, type PythonPlaces } from '#strategy-process/python/find-python.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import { pythonOf } from '#strategy-process/python/python-facts.ts';
import { valuesOf } from '../../bots/bot-settings.ts';
import { checkedSettings } from '../checked-settings.ts';
import { CannotReplay } from './cannot-replay.ts';
import { pythonOfStretch } from './python-stretch.ts';
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

/** A stretch with what is known of its strategy and how long before it the replay needs candles, in ms. */
export interface PlannedStretch {
  stretch: Stretch;
  strategy: KnownStrategy;
  warmUpMs: number;
  botVersion: number;
  strategyVersion: number;
}

/** In which mode the bot ran, and where Python is looked for; null where strategies in Python are not replayed. */
export interface RunOfDay {
  mode: TradeMode;
  python: PythonPlaces | null;
}

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

/** The stretch of a day under some settings, until others came, of a bot with the capital that it had then. Fails: CannotReplay */
export function planStretch(
  bot: Pick<BotView, 'startingBalance' | 'strategyClass'>,
  { from, botVersion, strategyVersion, settings: own, terms }: SettingsFrom,
  to: number,
  code: StrategyCode | null,
  run: RunOfDay,
): PlannedStretch {
  if (code?.file !== undefined && code.file !== null && code.files === null)
    throw new CannotReplay('The file of the strategy is not kept any more, so the day cannot be replayed.');
  const ownSettings = own.ownSettings ?? {};
  const known = requireKnownStrategy(bot.strategyClass, code?.description ?? null);
  const { timeframe, parameters, ...values } = valuesOf({ ownSettings }, terms, known);
  const strategy = knownHere(bot.strategyClass, code, timeframe);
  const checked = checkedSettings(
    { ...own, ownSettings, startingBalance: bot.startingBalance },
    { ...values, timeframe, parameters },
    strategy,
  );
  if ('why' in checked) throw new CannotReplay(checked.why);
  const { settings } = checked;
  const kept = code === null ? null : pythonOf(code.description);
  const python = kept === null ? null : pythonOfStretch(kept, own, { timeframe, settings, parameters }, withProgram(run));
  const stretch: Stretch = {
    from,
    to,
    symbols: own.symbols,
    timeframe,
    parameters: parameters satisfies ParameterValues,
    settings: settings satisfies TradingSettings,
    strategyClass: bot.strategyClass,
    code: code === null ? null : codeToRun(code),
    python,
  };
  const warmUpMs = ((python?.window ?? strategy.startupCandles) + 1) * timeframeLengths[timeframe];
  return { stretch, strategy, warmUpMs, botVersion, strategyVersion };
}

/** What is known of a strategy on its candles. Fails: CannotReplay */
function knownHere(className: string, code: StrategyCode | null, timeframe: Timeframe): KnownStrategy {
  try {
    return knownOnCandles(className, code, timeframe);
  } catch (error) {
    throw error instanceof CannotRun ? new CannotReplay(error.message) : error;
  }
}

/** Fails: CannotReplay where there is no Python; there may be one later */
function withProgram({ mode, python }: RunOfDay): { mode: TradeMode; program: string } {
  if (python === null) throw new CannotReplay('The strategy is in Python, and days of these are not replayed here.', true);
  try {
    return { mode, program: findPython(python) };
  } catch (error) {
    throw error instanceof StrategyError ? new CannotReplay(`The strategy is in Python. ${error.message}`, true) : error;
  }
}
