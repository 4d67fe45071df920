import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import type { Jobs } from '../backtests/jobs.ts';
import { openJobs } from '../backtests/jobs.ts';
import type { CandleDownload, DownloadHandler } from './download-jobs.ts';
import { NoRoomForCandles } from './no-room-for-candles.ts';

const { db, url } = await freshDatabase();
let opened: Jobs[] = [];

afterEach(async () => {
  await Promise.all(opened.map((jobs) => jobs.close()));
  opened = [];
  await sql`delete from pgboss.job`.execute(db);
});

async function open(isWorker = true, unwantedAfterMs?: number): Promise<Jobs> {
  const jobs = await openJobs(db, url, {
    isWorker,
    ...(unwantedAfterMs === undefined ? {} : { unwantedAfterMs }),
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

test('one for which there is no room on the disk says so at once', async () => {
  const jobs = await open();
  await jobs.workDownloads(async () => Promise.reject(new NoRoomForCandles('full')), { concurrency: 1 });
  const { id } = await jobs.askForCandles(download('A'));
  await expect.poll(() => jobs.downloadState(id)).toBe('refused');
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

test('a download continues as long as somebody waits for it, is given up then, and is done when it is asked for again', async () => {
  // Long enough for any stall; the worker looks five times within it, which is made often here.
  const unwantedAfterMs = 10 * patienceMs;
  const everyMs = globalThis.setInterval;
  let looks = 0;
  const intervals = vi.spyOn(globalThis, 'setInterval').mockImplementation((work: () => void, ms?: number) => {
    if (ms !== unwantedAfterMs / 5) return everyMs(work, ms);
    return everyMs(() => {
      looks += 1;
      work();
    }, 20);
  });
  onTestFinished(() => intervals.mockRestore());
  const [worker, web] = [await open(true, unwantedAfterMs), await open(false, unwantedAfterMs)];
  const now = { isLong: true };
  const [begun, ended]: string[][] = [[], []];
  const handler: DownloadHandler = async ({ series }, signal) => {
    begun.push(series.symbol);
    while (now.isLong && !signal.aborted) await sleep(20);
    ended.push(signal.aborted ? 'given up' : series.symbol);
    signal.throwIfAborted();
  };
  await worker.workDownloads(handler, { concurrency: 1 });
  const { id } = await web.askForCandles(download('A'));
  await expect.poll(async () => [await web.downloadState(id), begun]).toEqual(['under way', ['A']]);
  // One behind it that nobody waits for any more when its turn comes is not begun.
  const behind = await web.askForCandles(download('B'));
  /** As if both had been asked for long ago, and somebody had last waited for the first so long ago. */
  const age = (waitedMs: number) =>
    sql`update pgboss.job set created_on = clock_timestamp() - ${unwantedAfterMs} * interval '1 ms', data = case when id = ${id}
        then data || jsonb_build_object('wantedAt', extract(epoch from clock_timestamp()) * 1000 - ${waitedMs}::float8) else data end
      where id in (${id}, ${behind.id})`.execute(db);
  const waitedMs = async () =>
    (
      await sql<{ ms: number }>`
        select (extract(epoch from clock_timestamp()) * 1000 - (data ->> 'wantedAt')::float8)::float8 as ms from pgboss.job where id = ${id}`.execute(
        db,
      )
    ).rows[0]?.ms;
  await age(unwantedAfterMs / 2);
  await expect
    .poll(async () => {
      expect(await web.downloadState(id)).toBe('under way');
      return waitedMs();
    })
    .toBeLessThan(unwantedAfterMs / 4);
  const looked = looks;
  await expect.poll(() => looks).toBeGreaterThan(looked + 9);
  expect(ended).toEqual([]);
  await age(unwantedAfterMs);
  await expect.poll(() => ended).toEqual(['given up']);
  await expect.poll(() => web.downloadState(id)).toBe('given up');
  // Its state is read without asking for it: whoever asks wants it.
  const outcome = async () =>
    (await sql<{ output: unknown }>`select output from pgboss.job where id = ${behind.id} and state = 'completed'`.execute(db)).rows[0]
      ?.output;
  await expect.poll(outcome).toEqual({ ok: false, isGivenUp: true });
  expect(ended).toEqual(['given up']);
  now.isLong = false;
  const again = await web.askForCandles(download('A'));
  expect(again).toMatchObject({ isJoined: false });
  await expect.poll(() => web.downloadState(again.id)).toBe('done');
  expect([begun, ended]).toEqual([
    ['A', 'A'],
    ['given up', 'A'],
  ]);
});
