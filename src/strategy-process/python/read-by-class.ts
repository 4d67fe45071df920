import type { StrategyOfVersion, StrategyProcesses } from '../strategy-processes.ts';
import type { KeptPythonDescription } from './python-facts.ts';
import type { PythonDescription } from './python-questions.ts';
import type { SeriesName } from '../wire/python-load.ts';
import { nameOfSeries } from './series-name.ts';

/**
 * The series that a class reads when it computes a pair: those it announces as it is made, and those it was seen to ask for without
 * announcing them. Each once.
 *
 * Fails: StrategyError when it cannot be made
 */
export async function readByClass(
  processes: StrategyProcesses,
  strategy: StrategyOfVersion,
  { python }: KeptPythonDescription,
  pair: string,
): Promise<SeriesName[]> {
  const { announced } = (await processes.description(strategy)) as PythonDescription;
  const more = python.unannounced.map((name) => ({ ...name, symbol: name.symbol === '{pair}' ? pair : name.symbol }));
  return [...new Map([...announced, ...more].map((name) => [nameOfSeries(name), name])).values()];
}
