import { getPriority, setPriority } from 'node:os';
import { backtestWorker } from '#runner/jobs/work-backtests.ts';
import { workStudies } from '#runner/jobs/studies/work-studies.ts';
import { secondMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { candleDownloader } from '#runner/jobs/download-candles.ts';
import { freeDiskBytes } from '#server/monitoring/free-disk.ts';
import { trimCandleCache } from '#storage/candles/candle-cache.ts';
import { openDatabase } from '#storage/database.ts';
import { refuseOtherSchema } from '#storage/migrate.ts';
import { openJobs } from '#storage/backtests/jobs.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { lowerSession } from '#strategy-process/session-niceness.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import { beChild } from './child-process.ts';
import type { Config } from './config.ts';
import { exchangeMarkets } from '#feeds/exchange-markets.ts';
import { keepCandleCache } from './keep-candle-cache.ts';
import { openLogFile } from './log-file.ts';
import { serveMetrics } from './metrics/metrics-server.ts';
import { keepStrategyFolder } from './strategy-folder.ts';

/** It ends as slowly as it works, where everything else comes first. A supervisor that cannot wait so long ends it sooner. */
const patienceMs = 60 * secondMs;

/** Works on backtests and studies until it is stopped; the next worker takes up what it has not finished. */
export async function serveBacktests(config: Config): Promise<void> {
  giveWay(config.backtestNiceness);
  if (config.databaseUrl === null) throw new Error('A worker alone needs DATABASE_URL.');
  const { log } = openLogFile(config.home, 'backtests');
  const onError = (error: Error): void => log('something went wrong', { error: error.message });
  // On a busy machine it is given little of the processor: its connections take long, and one that is late must not end the product.
  const db = openDatabase(config.databaseUrl, { connections: 6, waitsMs: patienceMs, onError });
  await refuseOtherSchema(db).catch(async (error: unknown) => {
    await db.destroy();
    throw error;
  });
  const markets = exchangeMarkets({ sandboxUrl: config.sandboxUrl ?? '', log: (message) => log(message, {}) });
  const jobs = await openJobs(db, config.databaseUrl, { isWorker: true, onError });
  const cacheFolder = join(config.home, 'cache', 'candles');
  const cache = keepCandleCache(cacheFolder, (error) => onError(error instanceof Error ? error : new Error(errorText(error))));
  const warmPythons = new WarmParents(wallsOfSystem());
  const disk = {
    freeBytes: () => freeDiskBytes([config.home, '/var/lib/flotilla']),
    makeRoom: () => trimCandleCache(cacheFolder, 0),
  };
  const backtests = { db, markets, disk, cacheFolder, python: config.python, warmPythons, now: Date.now, log };
  await jobs.workBacktests(backtestWorker(backtests), { concurrency: 2 });
  const download = { db, markets, disk, now: Date.now };
  await jobs.workDownloads(candleDownloader(download, log), { concurrency: 2 });
  // The folder belongs to this installation; a worker on another machine has one of its own only where somebody has made it.
  const folder = join(config.home, 'strategies');
  const exchanges = markets.exchanges.map(({ id }) => id);
  const isOurs = process.connected || existsSync(folder);
  const endFolder = isOurs ? await keepStrategyFolder({ db, folder, exchanges, python: config.python, now: () => new Date(), log }) : null;
  const metrics = await serveMetrics('backtests', config.metricsPort, async () => []);
  // Begun in the same turn as signals are listened to, so that it can give back whatever it takes.
  const studies = workStudies(backtests, { onError });
  const child = beChild(async () => {
    // One that fails must not end the process before the others have given back what they hold.
    const ends = await Promise.allSettled([studies.close(), jobs.close(), metrics.close(), endFolder?.(), cache.stop()]);
    warmPythons.end();
    await markets.close();
    await db.destroy();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }, patienceMs);
  child.ready({ ready: true });
}

/** A backtest is never in a hurry beside a page or a bot; threads inherit this. */
function giveWay(niceness: number): void {
  if (getPriority() < niceness) setPriority(niceness);
  lowerSession(niceness);
}
