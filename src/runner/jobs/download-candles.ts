import { errorText } from '#engine/ports/error-text.ts';
import type { DownloadHandler } from '#storage/candles/download-jobs.ts';
import type { HistoryDependencies } from './download-history.ts';
import { downloadHistory } from './download-history.ts';

/** Works on one download of candles that people wait for. Fails: as `downloadHistory` */
export function candleDownloader(dependencies: HistoryDependencies, log: (message: string, details: object) => void): DownloadHandler {
  return async ({ series, candles, funding }, signal) => {
    try {
      await downloadHistory(dependencies, series, { candles, funding }, { signal, progress: () => Promise.resolve() });
    } catch (error) {
      if (!signal.aborted) log('a download failed', { ...series, error: errorText(error) });
      throw error;
    }
  };
}
