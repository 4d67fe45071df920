import type { PythonPlaces } from '#strategy-process/python/find-python.ts';
import type { HistoryDependencies } from './download-history.ts';

/** What backtests need. */
export interface BacktestDependencies extends HistoryDependencies {
  cacheFolder: string | null; // null: none; for candle files that may be deleted at any time
  python: PythonPlaces; // of strategies in Python
  log(message: string, details: object): void;
}
