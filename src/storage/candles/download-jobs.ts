import type { PgBoss } from 'pg-boss';
import { errorText } from '#engine/ports/error-text.ts';
import type { CandleSeries } from './candle-chunks.ts';
import type { TimeSpan } from './candle-months.ts';

/** Candles that are to be downloaded for people who wait for them; of perpetuals their funding too. */
export interface CandleDownload {
  series: CandleSeries;
  candles: TimeSpan;
  funding: TimeSpan | null;
}

/** How a download stands. */
export type DownloadState = 'under way' | 'done' | 'failed';

/** Downloads what is missing. An error that it throws ends the download as failed; a worker that dies leaves it to the next one. */
export type DownloadHandler = (download: CandleDownload, signal: AbortSignal) => Promise<void>;

/** The queue of downloads. */
export interface DownloadJobs {
  /** Asks for a download; while one of the series is under way, that is joined whatever it is of. Gives its id, and whether it is this one. */
  askForCandles(download: CandleDownload): Promise<{ id: string; isJoined: boolean }>;
  /** How a download stands; one that is not known any more has ended. */
  downloadState(id: string): Promise<DownloadState>;
  /** Takes up to `concurrency` downloads at a time, until the queue is closed. */
  workDownloads(handler: DownloadHandler, options: { concurrency: number }): Promise<void>;
}

const queue = 'candle-downloads';

/** What a download came to; kept with its job. */
type Outcome = { ok: true } | { ok: false; error: string };

/** The queue of downloads beside that of backtests, made when there is none yet. `heartbeatSeconds`: a worker silent for longer is dead. */
export async function openDownloads(boss: PgBoss, heartbeatSeconds: number): Promise<DownloadJobs> {
  // Of each series one at a time: two would fetch the same.
  await boss.createQueue(queue, {
    policy: 'exclusive',
    retryLimit: 3,
    heartbeatSeconds,
    expireInSeconds: 3_600,
    deleteAfterSeconds: 3_600,
  });
  return {
    async askForCandles(download) {
      const { exchangeId, marketType, symbol, timeframe } = download.series;
      const key = JSON.stringify([exchangeId, marketType, symbol, timeframe]);
      for (;;) {
        const id = await boss.send(queue, download, { singletonKey: key });
        if (id !== null) return { id, isJoined: false };
        const [running] = (await boss.findJobs(queue, { key })).filter(({ state }) => ['created', 'retry', 'active'].includes(state));
        if (running !== undefined) return { id: running.id, isJoined: true };
        // It has ended in between.
      }
    },
    async downloadState(id) {
      const [job] = await boss.findJobs(queue, { id });
      if (job === undefined) return 'done';
      if (job.state === 'completed') return (job.output as Outcome | null)?.ok === false ? 'failed' : 'done';
      return job.state === 'failed' || job.state === 'cancelled' ? 'failed' : 'under way';
    },
    async workDownloads(handler, { concurrency }) {
      const options = { localConcurrency: concurrency, pollingIntervalSeconds: 0.5, heartbeatRefreshSeconds: 2 };
      await boss.work<CandleDownload, Outcome>(queue, options, async ([job]) => {
        if (job === undefined) return { ok: true };
        try {
          await handler(job.data, job.signal);
          return { ok: true };
        } catch (error) {
          if (job.signal.aborted) throw error; // the next worker takes it
          return { ok: false, error: errorText(error) };
        }
      });
    },
  };
}
