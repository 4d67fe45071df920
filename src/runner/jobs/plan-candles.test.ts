import { candleColumns } from '#engine/market/candle.ts';
import { hourMs } from '#engine/market/durations.ts';
import type { StrategySeries } from '#engine/strategy/series.ts';
import { downloadFailed } from '#storage/backtests/backtests.ts';
import type { BacktestWork } from '#storage/backtests/jobs.ts';
import { writeCandles } from '#storage/candles/candle-chunks.ts';
import { writeFunding } from '#storage/candles/funding.ts';
import { aPlan } from '#storage/testing/a-backtest.ts';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import type { BacktestDependencies } from './backtest-dependencies.ts';
import { downloadPlan, knownUntil } from './plan-candles.ts';

const offline = { log: () => {} } as unknown as BacktestDependencies; // whoever asks for candles fails
const work: BacktestWork = { signal: new AbortController().signal, progress: () => Promise.resolve() };

/** Downloads a plan of 40 pairs on 5m candles, of which each day has 288. */
function download(days: number, series: StrategySeries[], more: Partial<typeof aPlan> = {}, startupCandles = 0): Promise<unknown> {
  const pairs = Array.from({ length: 40 }, (_, i) => `P${i}/USDT`);
  const plan = { ...aPlan, pairs, timeframe: '5m', detail_timeframe: null, ...more };
  const span = { from: Date.UTC(2022, 0, 1), to: Date.UTC(2022, 0, 1 + days) };
  return downloadPlan(offline, { exchangeId: '', plan, strategy: { startupCandles, series }, span }, work);
}

const tooMuch =
  'The strategy reads more than 20 million candles here: those of its pairs, of the pairs that it reads besides, and of its warm-up. Choose fewer pairs, a shorter range or a longer timeframe.';
const beside = ['{base}/BTC', '{base}/ETH'].map((symbol) => ({ symbol }));

test('a plan whose strategy reads too many candles besides is refused before anything is fetched or loaded', async () => {
  await expect(download(600, beside)).rejects.toThrow(tooMuch); // 3 x 40 x 600 x 288
  await expect(download(600, beside.slice(1))).rejects.toThrow(downloadFailed);
  await expect(download(578, beside)).rejects.toThrow(downloadFailed); // 19.98 million
  await expect(download(578, beside, {}, 1_000)).rejects.toThrow(tooMuch); // the warm-up counts
  await expect(download(300, beside, { detail_timeframe: '1m' })).rejects.toThrow(tooMuch); // so do details
});

test('a plan of perpetuals is known up to the first payment that may still come', async () => {
  const { db } = await freshDatabase();
  const symbol = 'BTC/USDT:USDT';
  const plan = { ...aPlan, trading_mode: 'futures' as const, pairs: [symbol], timeframe: '1h' };
  const span = { from: Date.UTC(2022, 0, 1), to: Date.UTC(2022, 0, 2) };
  const series = { exchangeId: 'sandbox', marketType: 'futures', symbol, timeframe: '1h' };
  const until = () => knownUntil({ db }, { exchangeId: 'sandbox', plan, strategy: { startupCandles: 0, series: [] }, span });
  await writeCandles(db, series, span, candleColumns(0)); // there were none, and that is known
  await writeFunding(db, series, { from: span.from, to: span.to - 8 * hourMs }, []);
  expect(await until()).toBe(span.to - 8 * hourMs);
  await writeFunding(db, series, { from: span.to - 8 * hourMs, to: span.to }, []);
  expect(await until()).toBe(span.to);
});
