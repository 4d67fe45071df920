import type { HistoryDependencies } from './download-history.ts';

/** What backtests need. */
export interface BacktestDependencies extends HistoryDependencies {
  cacheFolder: string; // for candle files that may be deleted at any time
  log(message: string, details: object): void;
}
