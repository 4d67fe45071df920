import { setTimeout as sleep } from 'node:timers/promises';
import { texts } from '#contract/errors.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { downloadFailed } from '#storage/backtests/backtests.ts';
import { noRoomForCandles } from '#storage/candles/no-room-for-candles.ts';
import { loadCandles } from '#storage/candles/candle-cache.ts';
import { DamagedChunk, missingSpans, mostDamaged } from '#storage/candles/candle-chunks.ts';
import type { CandleDownload } from '#storage/candles/download-jobs.ts';
import { missingFunding } from '#storage/candles/funding.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

const lookMs = 250;

/** How long somebody waits for a download at most. */
const longestMs = 20 * minuteMs;

/** Gives the stored candles of a history; what is missing is downloaded by a worker while the caller waits. */
export type StoredHistory = (history: CandleDownload, isGone: () => boolean) => Promise<CandleColumns>;

/** The way to stored candles. What it gives fails: 502 when they cannot be downloaded, 400 when nobody waits any more */
export function storedHistory(dependencies: Pick<ServerDependencies, 'db' | 'jobs'>): StoredHistory {
  const { db } = dependencies;

  /** Sees to it that the history is stored. Fails: 502 when it cannot be downloaded, 400 when nobody waits any more */
  const fetchMissing = async (history: CandleDownload, isGone: () => boolean): Promise<void> => {
    const until = Date.now() + longestMs;
    for (;;) {
      if (await isStored(history)) return;
      const jobs = await dependencies.jobs();
      const { id, isJoined } = await jobs.askForCandles(history);
      let state = await jobs.downloadState(id);
      for (; state === 'under way' || state === 'failed' || state === 'refused'; state = await jobs.downloadState(id)) {
        if (state === 'refused') throw new HttpError(502, noRoomForCandles);
        if (state === 'failed' || Date.now() > until) throw new HttpError(502, downloadFailed);
        if (isGone()) throw new HttpError(400, texts.invalidRequest); // the download continues for whoever else waits for it
        await sleep(lookMs);
      }
      // One for others may have been of another span; of its own, what is not there now does not exist.
      if (!isJoined && state === 'done') return; // one that was given up just now is asked for again
    }
  };

  /** The candles, downloaded where they are missing. A month that is damaged is removed by whoever finds it, and downloaded again. */
  const stored = async (history: CandleDownload, isGone: () => boolean): Promise<CandleColumns> => {
    for (let damaged = 0; ; damaged++) {
      await fetchMissing(history, isGone);
      try {
        return await loadCandles(db, null, history.series, history.candles);
      } catch (error) {
        if (!(error instanceof DamagedChunk) || damaged === mostDamaged) throw error;
      }
    }
  };

  const isStored = async ({ series, candles, funding }: CandleDownload): Promise<boolean> => {
    if ((await missingSpans(db, series, candles)).length > 0) return false;
    return funding === null || (await missingFunding(db, series, funding)).length === 0;
  };

  return stored;
}
