import { sql } from 'kysely';
import { fromKysely, PgBoss } from 'pg-boss';
import { errorText } from '#engine/ports/error-text.ts';
import type { BacktestOutcome, BacktestProgress, BacktestRow } from './backtests.ts';
import { beginAttempt, failBacktest, finishBacktest, isUnderWay, setBacktestProgress, stopBacktest } from './backtests.ts';
import type { DownloadJobs } from '../candles/download-jobs.ts';
import { openDownloads } from '../candles/download-jobs.ts';
import { isDatabaseGone } from '../database-gone.ts';
import type { Database } from '../database.ts';

/** The queues of backtests and of downloads, in the database's schema `pgboss`. A run's job has the run's id. */
export interface Jobs extends DownloadJobs {
  /** Enqueues a run; within a transaction it is there when that commits. */
  enqueueBacktest(db: Database, runId: string): Promise<void>;
  /** Ends a run as cancelled, with this sentence, at once; its worker is stopped within a second. False: it had ended already. */
  cancelBacktest(runId: string, why: string): Promise<boolean>;
  /** Takes up to `concurrency` runs at a time, until `close`. */
  workBacktests(handler: BacktestHandler, options: { concurrency: number }): Promise<void>;
  /** Ends runs that nobody will continue, with a sentence for their owners; gives how many. Workers do so every 30 s. */
  recoverBacktests(): Promise<number>;
  /** Gives back what is being worked on, so that another worker or the next start takes it. */
  close(): Promise<void>;
}

/**
 * Works on a run and gives what it comes to. An error that it throws ends the run with the error's message, unless the database was gone; then,
 * and where a worker dies, the run is left to the next one, which begins from the start.
 */
export type BacktestHandler = (run: BacktestRow, work: BacktestWork) => Promise<BacktestOutcome>;

/** What a handler is given besides the run. */
export interface BacktestWork {
  signal: AbortSignal; // the run was cancelled, is another worker's now, or this worker is closing
  /** Keeps how far the run is; what cannot be written is left to the next time. Fails: when the run has ended or is another worker's now. */
  progress: (phase: BacktestProgress['phase'], ratio: number, step: string) => Promise<void>;
}

const queue = 'backtests';

/** A worker that has not reported for so long is dead; pg-boss allows no less than 10 s. */
const heartbeatSeconds = 10;

/** Progress is shown once a second; more writes than these help nobody. */
const progressPauseMs = 300;

/** How often a worker checks whether its run has been cancelled; pg-boss would report it within two seconds. */
const cancelCheckMs = 400;

/**
 * Opens the queue of a database, making its schema when there is none yet.
 *
 * A program that works on jobs also watches over those of others (`isWorker`); one that only enqueues need not. `onError`
 * receives what goes wrong beside any call; the queue continues by itself.
 */
export async function openJobs(
  db: Database,
  databaseUrl: string,
  { isWorker, onError, unwantedAfterMs }: { isWorker: boolean; onError: (error: Error) => void; unwantedAfterMs?: number },
): Promise<Jobs> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'flotilla jobs',
    max: 4,
    schedule: false,
    supervise: isWorker,
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
  });
  let isClosed = false;
  // While it closes its connections end, the last ones a moment after it: one that the server ends first is nobody's concern.
  boss.on('error', (error) => isClosed || onError(error));
  await boss.start();
  await boss.createQueue(queue, { retryLimit: 5, heartbeatSeconds, expireInSeconds: 6 * 3600, deleteAfterSeconds: 24 * 3600 });

  const downloads = await openDownloads(db, boss, { heartbeatSeconds, ...(unwantedAfterMs === undefined ? {} : { unwantedAfterMs }) });

  const report: Report = (what, cause) => isClosed || onError(new Error(what, { cause }));
  let recovery: NodeJS.Timeout | null = null;
  const underWay = new Set<{ id: string; attempt: number }>();
  /** Whoever ends here was interrupted and has not failed: the attempt is not one of those that a run has. */
  const giveBackAttempts = async (): Promise<void> => {
    for (const { id, attempt } of underWay)
      await sql`update pgboss.job set retry_limit = retry_limit + 1
        where name = ${queue} and id = ${id} and state = 'active' and retry_count = ${attempt}`.execute(db);
  };
  const recoverBacktests = async (): Promise<number> => {
    const { numAffectedRows } = await sql`
      update backtests set status = 'failed', finished_at = now(),
        error = 'The backtest was interrupted and could not be taken up again. Run it once more.'
      where status in ('downloading', 'running') and not exists (
        select 1 from pgboss.job where job.name = ${queue} and job.id = backtests.id and job.state in ('created', 'retry', 'active'))`.execute(
      db,
    );
    return Number(numAffectedRows ?? 0n);
  };

  return {
    ...downloads,
    recoverBacktests,
    async enqueueBacktest(within, runId) {
      // Our plugin would rename what pg-boss reads.
      await boss.send(queue, { runId }, { id: runId, db: fromKysely(within.withoutPlugins()) });
    },
    async cancelBacktest(runId, why) {
      const wasUnderWay = await stopBacktest(db, runId, why);
      await boss.cancel(queue, runId);
      return wasUnderWay;
    },
    async workBacktests(handler, { concurrency }) {
      await recoverBacktests();
      recovery = setInterval(() => void recoverBacktests().catch(onError), 30_000);
      const options = { localConcurrency: concurrency, pollingIntervalSeconds: 0.5, heartbeatRefreshSeconds: 2 };
      await boss.work<{ runId: string }>(queue, options, async ([job]) => {
        if (job === undefined) return;
        const attempt = { id: job.id, attempt: job.retryCount };
        underWay.add(attempt);
        await workOn(db, attempt, handler, job.signal, report).finally(() => underWay.delete(attempt));
      });
    },
    async close() {
      if (recovery !== null) clearInterval(recovery);
      isClosed = true;
      await giveBackAttempts().catch(() => undefined); // without the database, which must not keep a process from ending, it counts
      await boss.stop({ graceful: false });
    },
  };
}

/** Takes what went wrong and is tried again, for the log. */
type Report = (what: string, cause: unknown) => void;

async function workOn(
  db: Database,
  attempt: { id: string; attempt: number },
  handler: BacktestHandler,
  jobSignal: AbortSignal,
  report: Report,
): Promise<void> {
  const run = await beginAttempt(db, attempt);
  if (run === null) return;
  const over = new AbortController();
  const signal = AbortSignal.any([jobSignal, over.signal]);
  // A check that fails is made again; what is written at the end is checked in any case.
  const check = (): void =>
    void isUnderWay(db, attempt).then(
      (continues) => continues || over.abort(),
      () => undefined,
    );
  const watch = setInterval(check, cancelCheckMs);
  try {
    await workUntilEnd(db, attempt, run, { handler, signal, report });
  } catch (error) {
    if (!over.signal.aborted) throw error; // pg-boss gives the job to the next worker, unless it was cancelled
  } finally {
    clearInterval(watch);
  }
}

async function workUntilEnd(
  db: Database,
  attempt: { id: string; attempt: number },
  run: BacktestRow,
  { handler, signal, report }: { handler: BacktestHandler; signal: AbortSignal; report: Report },
): Promise<void> {
  let last = { kind: '', at: 0 };
  const progress: BacktestWork['progress'] = async (phase, ratio, step) => {
    signal.throwIfAborted();
    const kind = `${phase} ${step.split(' (', 1)[0]}`;
    if (kind === last.kind && Date.now() - last.at < progressPauseMs) return;
    last = { kind, at: Date.now() };
    const isOurs = await setBacktestProgress(db, attempt, { phase, ratio, step }).catch((error: unknown) => {
      report(`The progress of the backtest ${attempt.id} could not be written`, error);
      last = { kind: '', at: 0 };
      return true; // nobody knows; who must not continue is found by the watch of the run, and when its end is written
    });
    if (!isOurs) throw new Error('The run has ended or is another worker’s now');
  };
  let outcome: BacktestOutcome;
  try {
    outcome = await handler(run, { signal, progress });
  } catch (error) {
    if (signal.aborted) throw error;
    if (isDatabaseGone(error)) {
      report(`The backtest ${attempt.id} is tried again: the database was gone`, error);
      throw error;
    }
    await failBacktest(db, attempt, errorText(error));
    return;
  }
  await finishBacktest(db, attempt, outcome);
}
