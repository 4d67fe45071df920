import type { Strategy } from '#engine/strategy/strategy.ts';
import { StrategyError } from '../strategy-error.ts';
import { strategyFaults } from './strategy-shape.ts';

/**
 * The strategies that a file exports, by the names of their exports.
 *
 * Fails: StrategyError when there is none, and with every fault of those that there are
 */
export function strategiesOfModule(exported: Readonly<Record<string, unknown>>, file: string): Map<string, Strategy> {
  const names = Object.keys(exported).filter((name) => name === 'default' || isLikeStrategy(exported[name]));
  if (names.length === 0)
    throw new StrategyError(`${file} exports no strategy: an object with "name", "defaults" and "compute" among others.`);
  const faults = names.flatMap((name) => strategyFaults(exported[name]).map((fault) => `${file}: ${fault}`));
  if (faults.length > 0) throw new StrategyError(faults);
  return new Map(names.map((name) => [name, exported[name] as Strategy]));
}

function isLikeStrategy(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { compute?: unknown }).compute === 'function';
}
