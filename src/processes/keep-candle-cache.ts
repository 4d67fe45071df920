import { hourMs } from '#engine/market/durations.ts';
import { every } from '#runner/every.ts';
import { trimCandleCache } from '#storage/candles/candle-cache.ts';

/** So much the files of one worker may take. */
const mostBytes = 4 * 2 ** 30;

/** Deletes what was not used for longest of a folder with candles, at once and every hour until stopped: whoever reads a file finds the same in the database. */
export function keepCandleCache(
  folder: string,
  onError: (error: unknown) => void,
  { maxBytes = mostBytes, everyMs = hourMs } = {},
): { stop(): Promise<void> } {
  return every(everyMs, () => trimCandleCache(folder, maxBytes), onError);
}
