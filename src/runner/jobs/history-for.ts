import type { Instrument } from '#engine/market/instrument.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { downloadFailed } from '#storage/backtests/backtests.ts';
import type { BacktestWork } from '#storage/backtests/jobs.ts';
import type { CandleSeries } from '#storage/candles/candle-chunks.ts';
import { NoRoomForCandles } from '#storage/candles/no-room-for-candles.ts';
import { isDatabaseGone } from '#storage/database-gone.ts';
import type { BacktestDependencies } from './backtest-dependencies.ts';
import type { HistoryRequest } from './download-history.ts';
import { downloadHistory } from './download-history.ts';

/**
 * Fetches what is missing of the history of a run. Returns the instrument.
 *
 * Fails: with one sentence, whose cause is in the log; with the cause itself where the run was cut short or the database was gone
 */
export async function historyFor(
  dependencies: Pick<BacktestDependencies, 'db' | 'markets' | 'disk' | 'now' | 'log'>,
  series: CandleSeries,
  request: HistoryRequest,
  work: BacktestWork,
): Promise<Instrument> {
  await work.progress('downloading', 0, 'Looking for missing candles');
  try {
    return await downloadHistory(dependencies, series, request, work);
  } catch (cause) {
    if (work.signal.aborted || isDatabaseGone(cause)) throw cause; // the run has not failed: it is tried again
    if (cause instanceof NoRoomForCandles) {
      dependencies.log('a download was refused', { ...series, error: errorText(cause.cause) });
      throw cause;
    }
    dependencies.log('a download failed', { ...series, error: errorText(cause) });
    throw new Error(downloadFailed, { cause });
  }
}
