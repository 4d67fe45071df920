import { errorText } from '#engine/ports/error-text.ts';
import { DamagedChunk, mostDamaged } from '#storage/candles/candle-chunks.ts';
import { NoRoomForCandles } from '#storage/candles/no-room-for-candles.ts';
import type { DownloadHandler } from '#storage/candles/download-jobs.ts';
import type { HistoryDependencies } from './download-history.ts';
import { downloadHistory } from './download-history.ts';

/** Works on one download of candles that people wait for. Fails: as `downloadHistory` */
export function candleDownloader(dependencies: HistoryDependencies, log: (message: string, details: object) => void): DownloadHandler {
  return async ({ series, candles, funding }, signal) => {
    for (let damaged = 0; ; damaged++) {
      try {
        await downloadHistory(dependencies, series, { candles, funding }, { signal, progress: () => Promise.resolve() });
        return;
      } catch (error) {
        // A month that cannot be added to has been removed, and is downloaded whole.
        if (error instanceof DamagedChunk && damaged < mostDamaged) continue;
        if (!signal.aborted && error instanceof NoRoomForCandles)
          log('a download was refused', { ...series, error: errorText(error.cause) });
        else if (!signal.aborted) log('a download failed', { ...series, error: errorText(error) });
        throw error;
      }
    }
  };
}
