import { sql } from 'kysely';
import type { PgBoss } from 'pg-boss';
import { errorText } from '#engine/ports/error-text.ts';
import type { CandleSeries } from './candle-chunks.ts';
import type { TimeSpan } from './candle-months.ts';
import type { Database } from '../database.ts';
import { NoRoomForCandles } from './no-room-for-candles.ts';

/** Candles that are to be downloaded for people who wait for them; of perpetuals their funding too. */
export interface CandleDownload {
  series: CandleSeries;
  candles: TimeSpan;
  funding: TimeSpan | null;
}

/** How a download stands. */
export type DownloadState = 'under way' | 'done' | 'failed' | 'refused' | 'given up'; // refused: without room on the disk; given up: nobody waited for it any more

/** Downloads what is missing. An error that it throws ends the download as failed; a worker that dies leaves it to the next one. */
export type DownloadHandler = (download: CandleDownload, signal: AbortSignal) => Promise<void>;

/** The queue of downloads. */
export interface DownloadJobs {
  /** Asks for a download; while one of the series is under way, that is joined whatever it is of. Gives its id, and whether it is this one. */
  askForCandles(download: CandleDownload): Promise<{ id: string; isJoined: boolean }>;
  /** How a download stands; one that is not known any more has ended. Whoever waits asks again within seconds: one that nobody asks about is given up. */
  downloadState(id: string): Promise<DownloadState>;
  /** Takes up to `concurrency` downloads at a time, until the queue is closed. */
  workDownloads(handler: DownloadHandler, options: { concurrency: number }): Promise<void>;
}

const queue = 'candle-downloads';

/** What a download came to; kept with its job. */
type Outcome = { ok: true } | { ok: false; error: string } | { ok: false; isGivenUp: true } | { ok: false; isRefused: true };

/** Whoever waits says so this often at most; a download that nobody has waited for in so long is given up. */
const wantedEveryMs = 2_000;
const unwantedMs = 15_000;

/** The queue of downloads beside that of backtests, made when there is none yet. `heartbeatSeconds`: a worker silent for longer is dead. */
export async function openDownloads(
  db: Database,
  boss: PgBoss,
  { heartbeatSeconds, unwantedAfterMs = unwantedMs }: { heartbeatSeconds: number; unwantedAfterMs?: number },
): Promise<DownloadJobs> {
  // Of each series one at a time: two would fetch the same.
  await boss.createQueue(queue, {
    policy: 'exclusive',
    retryLimit: 3,
    heartbeatSeconds,
    expireInSeconds: 3_600,
    deleteAfterSeconds: 3_600,
  });
  const saidAt = new Map<string, number>();
  /** Notes in the job that somebody waits for it: web servers may be many, and a worker is another process. */
  const want = async (id: string): Promise<void> => {
    const now = Date.now();
    if (now - (saidAt.get(id) ?? 0) < Math.min(wantedEveryMs, unwantedAfterMs / 5)) return;
    for (const [known, at] of saidAt) if (now - at > 60_000) saidAt.delete(known);
    saidAt.set(id, now);
    await sql`update pgboss.job set data = data || jsonb_build_object('wantedAt', extract(epoch from clock_timestamp()) * 1000)
      where name = ${queue} and id = ${id} and state < 'completed'`.execute(db);
  };
  const isWanted = async (id: string): Promise<boolean> => {
    const { rows } = await sql<{ isWanted: boolean }>`
      select coalesce((data ->> 'wantedAt')::double precision, extract(epoch from created_on) * 1000)
        > extract(epoch from clock_timestamp()) * 1000 - ${unwantedAfterMs} as is_wanted
      from pgboss.job where name = ${queue} and id = ${id}`.execute(db);
    return rows[0]?.isWanted !== false;
  };
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
      await want(id);
      const [job] = await boss.findJobs(queue, { id });
      if (job === undefined) return 'done';
      if (job.state === 'completed') {
        const outcome = job.output as Outcome | null;
        return outcome?.ok !== false ? 'done' : 'isGivenUp' in outcome ? 'given up' : 'isRefused' in outcome ? 'refused' : 'failed';
      }
      return job.state === 'failed' || job.state === 'cancelled' ? 'failed' : 'under way';
    },
    async workDownloads(handler, { concurrency }) {
      const options = { localConcurrency: concurrency, pollingIntervalSeconds: 0.5, heartbeatRefreshSeconds: 2 };
      await boss.work<CandleDownload, Outcome>(queue, options, async ([job]) => {
        if (job === undefined) return { ok: true };
        const unwanted = new AbortController();
        const watch = setInterval(
          () =>
            void isWanted(job.id).then(
              (wanted) => wanted || unwanted.abort(),
              () => undefined, // it is looked at again
            ),
          unwantedAfterMs / 5,
        );
        try {
          if (!(await isWanted(job.id))) return { ok: false, isGivenUp: true }; // it has waited longer than whoever wanted it
          await handler(job.data, AbortSignal.any([job.signal, unwanted.signal]));
          return { ok: true };
        } catch (error) {
          if (job.signal.aborted) throw error; // the next worker takes it
          if (unwanted.signal.aborted) return { ok: false, isGivenUp: true };
          return error instanceof NoRoomForCandles ? { ok: false, isRefused: true } : { ok: false, error: errorText(error) };
        } finally {
          clearInterval(watch);
        }
      });
    },
  };
}
