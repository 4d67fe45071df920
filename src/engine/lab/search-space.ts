import { minuteMs } from '../market/durations.ts';
import { type Timeframe, timeframeLengths } from '../market/timeframe.ts';
import { toRoiTable } from '../settings/normalise-settings.ts';
import type { Protection } from '../settings/protection.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';
import { isParameterValue } from '../strategy/effective-parameters.ts';
import type { ParameterValues, Strategy } from '../strategy/strategy.ts';
import { defaultParameters } from '../strategy/strategy.ts';
import { type Dimension, dimensionFault, type SpaceName, spaceNames, valuesAt, type Point } from './dimension.ts';

/** What a search starts from. */
export interface SearchBase {
  strategy: Pick<Strategy, 'name' | 'parameters'>;
  settings: TradingSettings;
  timeframe: Timeframe;
}

/** What decides which numbers there are to turn. */
export type SpaceBase = Omit<SearchBase, 'settings'> & { settings: Pick<TradingSettings, 'protections' | 'stakeAmount'> };

/** A range that a person gives in place of the usual one. */
export type OwnRange = Pick<Dimension, 'name' | 'min' | 'max'> & { step: number | null }; // null keeps the usual step

/** The words for spaces: each by its name, `default` as in freqtrade, `all`. */
export const spaceWords = ['default', 'all', ...spaceNames] as const;

/** The spaces that words name; null for a word that names none. */
export function spacesOf(words: readonly string[]): SpaceName[] | null {
  if (!words.every((word) => (spaceWords as readonly string[]).includes(word))) return null;
  const isDefault = (name: SpaceName): boolean => !['trailing', 'protection', 'trades'].includes(name);
  return spaceNames.filter((name) => words.includes('all') || words.includes(name) || (words.includes('default') && isDefault(name)));
}

/**
 * All that can be turned in these spaces, or what is wrong with it, a sentence each. A parameter of a strategy that does not say whether it
 * is for entries or exits belongs to both. Ranges of settings are freqtrade's; those of protections run from a quarter of what is
 * configured to four times as much.
 */
export function searchSpace(
  base: SpaceBase,
  spaces: readonly SpaceName[],
  ownRanges: readonly OwnRange[] = [],
): { dimensions: Dimension[]; faults: string[] } {
  const usual = spaces.flatMap((space) => dimensionsOf(base, space));
  // `buy` and `sell` both have the parameters that say neither.
  const known = usual.filter((dimension, i) => usual.findIndex(({ name }) => name === dimension.name) === i);
  const faults: string[] = [];
  for (const { name } of ownRanges)
    if (!known.some((dimension) => dimension.name === name))
      faults.push(
        `There is nothing named "${name}" to search${known.length === 0 ? '' : `; there are ${known.map((each) => each.name).join(', ')}`}.`,
      );
  const dimensions = known.map((dimension) => {
    const own = ownRanges.findLast(({ name }) => name === dimension.name);
    return own === undefined ? dimension : { ...dimension, min: own.min, max: own.max, step: own.step ?? dimension.step };
  });
  for (const dimension of dimensions) {
    const fault = dimensionFault(dimension) ?? (isParameter(dimension) ? parameterFault(base, dimension) : settingFault(dimension));
    if (fault !== null) faults.push(fault);
  }
  if (known.length === 0) faults.push(`${base.strategy.name} has nothing to search in ${spaces.join(', ')}.`);
  return { dimensions, faults };
}

/** What one point means: the parameters the strategy is computed with, and the settings it is traded with. */
export interface Choices {
  parameters: ParameterValues;
  settings: TradingSettings;
}

/** The parameters and settings of a point; what is not searched stays what it is. */
export function choicesAt(base: SearchBase, dimensions: readonly Dimension[], point: Point): Choices {
  const values = valuesAt(dimensions, point);
  const parameters: Record<string, number> = { ...defaultParameters(base.strategy) };
  for (const name of Object.keys(parameters)) if (Object.hasOwn(values, name)) parameters[name] = values[name];
  return { parameters, settings: settingsAt(base.settings, values) };
}

/** The settings that values turn, by the names of their dimensions; what they do not turn is missing. Protections are apart. */
export function turnedSettings(values: Readonly<Record<string, number>>): Partial<TradingSettings> {
  const { roi_t1: t1, roi_t2: t2, roi_t3: t3, roi_p1: p1, roi_p2: p2, roi_p3: p3 } = values;
  const { trailing_stop_positive: positive, trailing_stop_positive_offset_p1: above, trailing_only_offset_is_reached: only } = values;
  return {
    ...(values['stoploss'] === undefined ? {} : { stoploss: values['stoploss'] }),
    ...(values['max_open_trades'] === undefined ? {} : { maxOpenTrades: values['max_open_trades'] }),
    // Profits that shrink in three steps, to nothing at last.
    ...(t1 === undefined
      ? {}
      : { minimalRoi: toRoiTable({ 0: exact(p1 + p2 + p3), [t3]: exact(p1 + p2), [t3 + t2]: p1, [t3 + t2 + t1]: 0 }) }),
    ...(positive === undefined
      ? {}
      : {
          trailingStop: true,
          trailingStopPositive: positive,
          trailingStopPositiveOffset: exact(positive + above),
          trailingOnlyOffsetIsReached: only === 1,
        }),
  };
}

function settingsAt(settings: TradingSettings, values: Readonly<Record<string, number>>): TradingSettings {
  return {
    ...settings,
    ...turnedSettings(values),
    protections: settings.protections.map((protection, i) => protectionAt(protection, i, values)),
  };
}

function dimensionsOf(base: SpaceBase, space: SpaceName): Dimension[] {
  switch (space) {
    case 'buy':
    case 'sell':
      return Object.entries(base.strategy.parameters)
        .filter(([, parameter]) => (parameter.space ?? space) === space)
        .map(([name, { min, max, step }]) => ({ name, space, min, max, step }));
    case 'protection':
      return base.settings.protections.flatMap(protectionDimensions);
    case 'roi':
      return roiDimensions(base.timeframe);
    case 'stoploss':
      return [{ name: 'stoploss', space, min: -0.35, max: -0.02, step: 0.001 }];
    case 'trailing':
      return [
        { name: 'trailing_stop_positive', space, min: 0.01, max: 0.35, step: 0.001 },
        { name: 'trailing_stop_positive_offset_p1', space, min: 0.001, max: 0.1, step: 0.001 },
        { name: 'trailing_only_offset_is_reached', space, min: 0, max: 1, step: 1 },
      ];
    case 'trades':
      // Without a limit of trades an unlimited stake cannot be divided, and nothing is traded with a limit of none.
      return [{ name: 'max_open_trades', space, min: base.settings.stakeAmount === 'unlimited' ? 1 : -1, max: 10, step: 1 }];
  }
}

/** Three lengths of time and three profits. Source: freqtrade 2026.9, `IHyperOpt.roi_space` */
function roiDimensions(timeframe: Timeframe): Dimension[] {
  const minutes = timeframeLengths[timeframe] / minuteMs;
  const times = minutes / 5;
  const profits = Math.log1p(minutes) / Math.log1p(5);
  const time = (name: string, min: number, max: number): Dimension => ({
    name,
    space: 'roi',
    min: Math.max(1, Math.trunc(min * times)), // freqtrade's table of 1m has several rows with the time of another
    max: Math.max(1, Math.trunc(max * times)),
    step: 1,
  });
  const profit = (name: string, min: number, max: number): Dimension => ({
    name,
    space: 'roi',
    min: thousandths(min * profits),
    max: thousandths(max * profits),
    step: 0.001,
  });
  return [
    time('roi_t1', 10, 120),
    time('roi_t2', 10, 60),
    time('roi_t3', 10, 40),
    profit('roi_p1', 0.01, 0.04),
    profit('roi_p2', 0.01, 0.07),
    profit('roi_p3', 0.01, 0.2),
  ];
}

/** The numbers of a protection that are turned, and what they are where nothing is configured. */
const protectionNumbers = ['lookbackMinutes', 'lookbackCandles', 'stopMinutes', 'stopCandles', 'tradeLimit'] as const;

function protectionDimensions(protection: Protection, at: number): Dimension[] {
  const counts = protectionNumbers.flatMap((key): Dimension[] => {
    const value = (protection as Partial<Record<typeof key, number>>)[key];
    if (value === undefined) return [];
    return [
      { name: protectionName(at, key), space: 'protection', min: Math.max(1, Math.floor(value / 4)), max: Math.max(1, value * 4), step: 1 },
    ];
  });
  if (protection.kind !== 'max-drawdown') return counts;
  return [...counts, { name: protectionName(at, 'maxAllowedDrawdown'), space: 'protection', min: 0.02, max: 0.4, step: 0.01 }];
}

function protectionAt(protection: Protection, at: number, values: Readonly<Record<string, number>>): Protection {
  const turned = [...protectionNumbers, 'maxAllowedDrawdown'].flatMap((key) => {
    const value = values[protectionName(at, key)];
    return value === undefined ? [] : [[key, value] as const];
  });
  return turned.length === 0 ? protection : { ...protection, ...Object.fromEntries(turned) };
}

/** Protections have no names: they are numbered, from 1 on. */
function protectionName(at: number, key: string): string {
  return `protection_${at + 1}_${key.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)}`;
}

function isParameter({ space }: Dimension): boolean {
  return space === 'buy' || space === 'sell';
}

/** What is wrong with a range that a parameter of the strategy cannot have: its warm-up and its code rely on the one it declares. */
function parameterFault({ strategy }: SpaceBase, { name, min, max, step }: Dimension): string | null {
  const declared = strategy.parameters[name];
  const steps = step / declared.step;
  if (isParameterValue(declared, min) && isParameterValue(declared, max) && Math.abs(steps - Math.round(steps)) < 1e-6) return null;
  return `"${name}" of ${strategy.name} goes from ${declared.min} to ${declared.max} in steps of ${declared.step}; ${min} to ${max} in steps of ${step} does not lie on them.`;
}

/** What is wrong with a range that a setting cannot have. */
function settingFault({ name, min, max, step }: Dimension): string | null {
  const [low, high] = settingLimits[name] ?? [0, Infinity];
  if (!(min >= low && max <= high)) return `The range of "${name}" must lie within ${low} and ${high}, and runs from ${min} to ${max}.`;
  const isWhole = /^max_open_trades$|^roi_t|^trailing_only|_(?:minutes|candles|limit)$/u.test(name);
  return isWhole && !(Number.isInteger(min) && Number.isInteger(step))
    ? `"${name}" must be whole numbers; ${min} in steps of ${step} is not.`
    : null;
}

const settingLimits: Readonly<Record<string, readonly [number, number]>> = {
  stoploss: [-1, -0.0001],
  trailing_stop_positive: [0.0001, 1],
  trailing_stop_positive_offset_p1: [0.0001, 1],
  trailing_only_offset_is_reached: [0, 1],
  max_open_trades: [-1, 1_000],
  roi_t1: [1, 1e6],
  roi_t2: [1, 1e6],
  roi_t3: [1, 1e6],
  roi_p1: [0, 10],
  roi_p2: [0, 10],
  roi_p3: [0, 10],
};

function thousandths(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** A sum of short decimals without the noise of doubles. */
function exact(value: number): number {
  return Number(value.toFixed(12));
}
