import type { PythonPlaces } from '#strategy-process/python/find-python.ts';
import type { WarmParents } from '#strategy-process/python/warm-parents.ts';
import type { HistoryDependencies } from './download-history.ts';

/** What backtests need. */
export interface BacktestDependencies extends HistoryDependencies {
  cacheFolder: string | null; // null: none; for candle files that may be deleted at any time
  python: PythonPlaces; // of strategies in Python
  warmPythons: WarmParents; // which their processes are copied from
  log(message: string, details: object): void;
}
