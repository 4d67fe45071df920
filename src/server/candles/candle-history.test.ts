import { noRoomForCandles } from '#contract/backtests.ts';
import { unpackHistory } from '#contract/packed-history.ts';
import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { candleDownloader } from '#runner/jobs/download-candles.ts';
import type { CandleDownload, DownloadHandler } from '#storage/candles/download-jobs.ts';
import { openJobs } from '#storage/backtests/jobs.ts';
import { sql } from 'kysely';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { ampleDisk } from '../../../test/support/ample-disk.ts';
import { databaseUrl } from '../../../test/support/database-server.ts';
import { startMarket } from '../../../test/support/market.ts';
import type { Call } from '../calls/call.ts';
import { candleHistoryHandlers } from './candle-history.ts';
import { startTestServer } from '../../../test/support/test-server.ts';

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect(), jobs: async () => jobs });
const { db } = server.dependencies;
const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
const jobs = await openJobs(db, databaseUrl(inject('databaseServerUrl'), rows[0]?.name ?? ''), {
  isWorker: true,
  onError: (error) => console.error(error),
});
const person = await server.signedIn('investor');
const downloads: CandleDownload[] = [];
let free = Infinity; // bytes on the disk
let before: () => Promise<void> = async () => undefined; // a download that a test holds up

beforeAll(async () => {
  const download = candleDownloader(
    { db, markets: market.connect(), disk: { ...ampleDisk, freeBytes: async () => free }, now: Date.now },
    () => undefined,
  );
  const handler: DownloadHandler = async (each, signal) => {
    downloads.push(each);
    await before();
    return download(each, signal);
  };
  await jobs.workDownloads(handler, { concurrency: 2 });
});
beforeEach(() => {
  downloads.length = 0;
  before = async () => undefined;
  free = Infinity;
});
afterAll(() => jobs.close());

/** Asks for candles as a browser does; the answer as it came. */
async function ask(query: Record<string, string | number>, { as = person, encoding = 'identity' } = {}) {
  const all = { exchange: 'Sandbox', symbol: 'BTC/USDT', trading_mode: 'spot', timeframe: '5m', days: 7, ...query };
  const text = Object.entries(all)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  return server.app.inject({
    method: 'GET',
    url: `/api/candle-history?${text}`,
    headers: {
      host: 'localhost:3000',
      'accept-encoding': encoding,
      cookie: [...as.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    },
  });
}
type Reply = Awaited<ReturnType<typeof ask>>;
const historyOf = ({ statusCode, rawPayload, headers }: Reply) => {
  expect(statusCode).toBe(200);
  const raw = headers['content-encoding'] === 'gzip' ? gunzipSync(rawPayload) : rawPayload;
  return unpackHistory(new Uint8Array(raw).buffer);
};

test('the candles of a market come with the warm-up before them, as the exchange has them; what is stored is not downloaded again', async () => {
  const { candles, instrument, from, to, funding } = historyOf(await ask({}));
  expect([to - from, to % (5 * minuteMs), funding]).toEqual([7 * dayMs, 0, null]);
  expect(to).toBeLessThanOrEqual(Date.now());
  expect(candles.openTime[0]).toBe(from - 5_000 * 5 * minuteMs);
  expect(candles.openTime.at(-1)).toBe(to - 5 * minuteMs);
  expect(candles.openTime).toHaveLength(5_000 + 7 * 288);
  expect(instrument.symbol).toBe('BTC/USDT');
  const exchange = await market.connect().market('sandbox', 'spot');
  const [first] = await exchange.candles('BTC/USDT', '5m', from, from + 5 * minuteMs);
  expect([candles.open[5_000], candles.high[5_000], candles.low[5_000], candles.close[5_000]]).toEqual([
    first?.open,
    first?.high,
    first?.low,
    first?.close,
  ]);
  expect(downloads).toHaveLength(1);
  const again = await ask({}, { encoding: 'gzip' });
  expect(again.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-encoding': 'gzip',
    'cache-control': 'no-store',
  });
  expect(historyOf(again).candles.openTime.length).toBeGreaterThanOrEqual(5_000 + 7 * 288);
  expect(downloads.length).toBeLessThanOrEqual(2); // a candle may have closed since
});

test('perpetuals come with the payments of funding in the range', async () => {
  const { funding, from, to, instrument } = historyOf(await ask({ symbol: 'ETH/USDT:USDT', trading_mode: 'futures', timeframe: '1h' }));
  expect(funding?.time.length).toBeGreaterThan(15);
  expect(funding?.time[0]).toBeGreaterThanOrEqual(from);
  expect(funding?.time.at(-1)).toBeLessThan(to);
  expect(instrument.symbol).toBe('ETH/USDT:USDT');
});

test('two who ask for the same at once wait for one download, one who needs more for a further one', async () => {
  const others = [await server.signedIn('trader'), await server.signedIn('admin')];
  const gate = Promise.withResolvers<void>();
  before = () => gate.promise;
  const asked = [
    ask({ symbol: 'SOL/USDT' }),
    ask({ symbol: 'SOL/USDT' }, { as: others[0] }),
    ask({ symbol: 'SOL/USDT', days: 30 }, { as: others[1] }),
  ];
  await expect.poll(() => downloads.length).toBe(1);
  gate.resolve();
  const histories = (await Promise.all(asked)).map(historyOf);
  expect(histories.map(({ from, to }) => (to - from) / dayMs)).toEqual([7, 7, 30]);
  for (const { candles, from } of histories) expect(candles.openTime[0]).toBe(from - 5_000 * 5 * minuteMs);
  expect(downloads.length).toBeGreaterThanOrEqual(1);
  expect(downloads.length).toBeLessThanOrEqual(3);
});

test('where the history begins later there are fewer before the range', async () => {
  const { candles, from } = historyOf(await ask({ timeframe: '1d' }));
  expect(candles.openTime[0]).toBeGreaterThan(from - 5_000 * dayMs);
  expect(candles.openTime.at(-1)).toBeGreaterThan(from);
});

test.each([
  [{ exchange: 'Nowhere' }, 404, 'Exchange not found'],
  [{ symbol: 'NONE/USDT' }, 404, 'Trading pair not found'],
  [{ days: 8 }, 400, 'Invalid data period'],
  [{ timeframe: '2h' }, 400, 'Invalid timeframe'],
  [{ trading_mode: 'margin' }, 400, 'Trading mode must be spot or futures'],
])('what cannot be given is refused in a sentence: %j', async (query, status, detail) => {
  const reply = await ask(query);
  expect([reply.statusCode, reply.json()]).toEqual([status, { detail }]);
  expect(downloads).toEqual([]);
});

test('an exchange that does not answer is said so, and the next who asks tries again', async () => {
  const remove = market.sandbox.faults.add({ fault: { kind: 'reset' }, path: /klines/u });
  const reply = await ask({ symbol: 'BNB/USDT' });
  remove();
  expect([reply.statusCode, reply.json()]).toEqual([502, { detail: 'Failed to download historical data' }]);
  expect(historyOf(await ask({ symbol: 'BNB/USDT' })).candles.openTime.length).toBeGreaterThan(7_000);
});

test('a disk that is nearly full is said so, and what is stored is given all the same', async () => {
  await ask({ symbol: 'SOL/USDT' });
  free = 999_999_999;
  const reply = await ask({ symbol: 'ADA/USDT' });
  expect([reply.statusCode, reply.json()]).toEqual([502, { detail: noRoomForCandles }]);
  expect(historyOf(await ask({ symbol: 'SOL/USDT' })).candles.openTime.length).toBeGreaterThan(7_000);
});

test('a person gets one at a time; who asks for more than wait is asked to come later', async () => {
  const gate = Promise.withResolvers<void>();
  before = () => gate.promise;
  const asked = Array.from({ length: 6 }, () => ask({ symbol: 'XRP/USDT' }));
  const settled: number[] = [];
  for (const each of asked) void each.then(({ statusCode }) => settled.push(statusCode));
  await expect.poll(() => settled).toEqual([429]);
  gate.resolve();
  const replies = await Promise.all(asked);
  expect(replies.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 429]);
});

test('when the caller is gone the answer ends, and the download continues for the next', async () => {
  const gate = Promise.withResolvers<void>();
  before = () => gate.promise;
  const { candleHistory } = candleHistoryHandlers(server.dependencies);
  const query = { exchange: 'Sandbox', symbol: 'ADA/USDT', trading_mode: 'spot', timeframe: '5m', days: 7 } as const;
  const call = { query, caller: { id: person.userId }, isGone: () => downloads.length > 0 } as unknown as Call<'candleHistory'>;
  await expect(candleHistory(call)).rejects.toMatchObject({ status: 400 });
  gate.resolve();
  expect(historyOf(await ask({ symbol: 'ADA/USDT' })).candles.openTime.length).toBeGreaterThan(7_000);
});

test('months that are damaged in the database are downloaded again, also where something is to be added to them', async () => {
  await sql`update candle_chunks set covered = covered - tstzmultirange(tstzrange(now() - interval '2 hours', now()))
    where symbol = 'BTC/USDT' and timeframe = '5m'`.execute(db);
  await sql`update candle_chunks set data = '\\x00' where symbol = 'BTC/USDT' and timeframe = '5m'`.execute(db);
  const { candles } = historyOf(await ask({}));
  expect(candles.openTime.length).toBeGreaterThanOrEqual(5_000 + 7 * 288);
});
