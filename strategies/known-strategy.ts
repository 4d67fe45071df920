import type { Timeframe } from '#engine/market/timeframe.ts';
import type { FixedSettings } from '#engine/settings/fixed-settings.ts';
import { seriesFault, startupOn } from '#engine/strategy/series.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { findStrategy } from './built-in.ts';
import { CannotRun, strategyOfRules } from './strategy-of-rules.ts';

/** What is known of a strategy where it is not run. */
export type KnownStrategy = Pick<Strategy, 'kind' | 'losesWhen' | 'canShort' | 'startupCandles' | 'parameters' | 'series'> &
  Pick<Strategy, 'callbacks'> & {
    // of one that is part of the program
    adjustsPosition: boolean; // it makes trades larger, or leaves parts of them
    fixed?: FixedSettings; // what its class says of how trades are made; of Python alone
  };

/**
 * What is known of a strategy by its class, or by what a version of its code says of itself; null for a class that this version of the
 * program does not have.
 */
export function knownStrategy(className: string, description: Readonly<Record<string, unknown>> | null): KnownStrategy | null {
  if (description === null) {
    const strategy = findStrategy(className);
    return strategy === undefined ? null : knownOfStrategy(strategy);
  }
  // Written by the program itself when the code had passed its checks; its callbacks run elsewhere.
  const {
    kind,
    losesWhen,
    canShort,
    startupCandles,
    parameters,
    series = [],
    callbacks = [],
    fixed,
  } = description as unknown as Omit<KnownStrategy, 'callbacks'> & {
    callbacks?: readonly string[];
  };
  const known = { kind, losesWhen, canShort, startupCandles, parameters, series, adjustsPosition: callbacks.includes('adjustPosition') };
  return fixed === undefined ? known : { ...known, fixed };
}

/** The same. Fails: Error where nothing is known of the strategy */
export function requireKnownStrategy(className: string, description: Readonly<Record<string, unknown>> | null): KnownStrategy {
  const known = knownStrategy(className, description);
  if (known === null) throw new Error(`There is no strategy ${className} in this version`);
  return known;
}

/** A version of a strategy's code, as far as it says what is known of it. */
export interface KeptCode {
  hash: string;
  document: Readonly<Record<string, unknown>> | null; // of rules
  description: Readonly<Record<string, unknown>>;
}

/**
 * What is known of a strategy on candles of a timeframe: the warm-up depends on it. Fails: Error in one sentence; `CannotRun` where the
 * strategy cannot run on them
 */
export function knownOnCandles(className: string, code: KeptCode | null, timeframe: Timeframe): KnownStrategy {
  if (code !== null && code.document !== null) return knownOfStrategy(strategyOfRules(code, timeframe));
  return onCandles({ name: className, ...requireKnownStrategy(className, code?.description ?? null) }, timeframe);
}

/** The same strategy with the warm-up that it needs on candles of a timeframe. Fails: `CannotRun` where these cannot give it what it reads */
export function onCandles<Known extends Pick<Strategy, 'name' | 'startupCandles' | 'series'>>(
  strategy: Known,
  timeframe: Timeframe,
): Known {
  const fault = seriesFault(strategy, timeframe);
  if (fault !== null) throw new CannotRun(`The strategy cannot run here: ${fault}`);
  return { ...strategy, startupCandles: startupOn(strategy, timeframe) };
}

function knownOfStrategy(strategy: Strategy): KnownStrategy {
  return { ...strategy, adjustsPosition: strategy.callbacks?.adjustPosition !== undefined };
}
