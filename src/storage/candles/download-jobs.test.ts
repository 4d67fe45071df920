import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import type { Jobs } from '../backtests/jobs.ts';
import { openJobs } from '../backtests/jobs.ts';
import type { CandleDownload, DownloadHandler } from './download-jobs.ts';

const { db, url } = await freshDatabase();
let opened: Jobs[] = [];

afterEach(async () => {
  await Promise.all(opened.map((jobs) => jobs.close()));
  opened = [];
  await sql`delete from pgboss.job`.execute(db);
});

async function open(isWorker = true): Promise<Jobs> {
  const jobs = await openJobs(db, url, {
    isWorker,
    onError(error) {
      throw error;
    },
  });
  opened.push(jobs);
  return jobs;
}

const download = (symbol: string, to = 2): CandleDownload => ({
  series: { exchangeId: 'binance', marketType: 'spot', symbol, timeframe: '5m' },
  candles: { from: 1, to },
  funding: null,
});

test('a series is downloaded once at a time, whoever asks and for how much; others beside it', async () => {
  const [one, two] = [await open(), await open(false)];
  const work = Promise.withResolvers<void>();
  const done: CandleDownload[] = [];
  const handler: DownloadHandler = async (each) => {
    await work.promise;
    done.push(each);
  };
  await one.workDownloads(handler, { concurrency: 2 });
  const asked = await Promise.all([
    one.askForCandles(download('A')),
    two.askForCandles(download('A', 9)),
    two.askForCandles(download('B')),
  ]);
  expect(asked[0].id).toBe(asked[1].id);
  expect(asked.slice(0, 2).filter(({ isJoined }) => isJoined)).toHaveLength(1);
  expect(asked[2]).toMatchObject({ isJoined: false });
  expect(await two.downloadState(asked[0].id)).toBe('under way');
  work.resolve();
  for (const { id } of asked) await expect.poll(() => two.downloadState(id)).toBe('done');
  expect(done.map(({ series }) => series.symbol).toSorted()).toEqual(['A', 'B']);
  // The next one is a download of its own.
  const next = await two.askForCandles(download('A', 9));
  expect(next).toMatchObject({ isJoined: false });
  expect(next.id).not.toBe(asked[0].id);
});

test('one that fails says so at once, and may be asked for again', async () => {
  const jobs = await open();
  let tries = 0;
  await jobs.workDownloads(
    async () => {
      tries += 1;
      if (tries === 1) throw new Error('The exchange does not answer');
    },
    { concurrency: 1 },
  );
  const first = await jobs.askForCandles(download('A'));
  await expect.poll(() => jobs.downloadState(first.id)).toBe('failed');
  const second = await jobs.askForCandles(download('A'));
  await expect.poll(() => jobs.downloadState(second.id)).toBe('done');
  expect(tries).toBe(2);
});

test('one whose worker ends is taken by the next', async () => {
  const first = await open();
  const begun = Promise.withResolvers<void>();
  await first.workDownloads(
    async (_, signal) => {
      begun.resolve();
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut short')), { once: true }));
    },
    { concurrency: 1 },
  );
  const { id } = await first.askForCandles(download('A'));
  await begun.promise;
  await first.close();
  opened = [];
  const second = await open();
  await second.workDownloads(async () => undefined, { concurrency: 1 });
  await expect.poll(() => second.downloadState(id)).toBe('done');
});

test('one that nobody knows any more has ended', async () => {
  expect(await (await open(false)).downloadState('01980000-0000-7000-8000-000000000000')).toBe('done');
});
