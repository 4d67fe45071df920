import { noPython } from '../python/find-python.ts';
import { productTimes, StrategyProcesses } from '../strategy-processes.ts';

/** Strategy processes of which none is started: no strategy of a file is asked. */
export function noProcesses(): StrategyProcesses {
  return new StrategyProcesses(
    { node: process.execPath, walls: { network: false, memory: false }, python: noPython },
    productTimes,
    () => undefined,
  );
}
