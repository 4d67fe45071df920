import { expect, test } from 'vitest';
import { toColumns } from '#engine/market/candle.ts';
import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import { openTimeBefore, type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { loadCandles } from '../candles/candle-cache.ts';
import { storedSpans, writeCandles } from '../candles/candle-chunks.ts';
import { up } from './0078-candles-asked-for-again.ts';

const { db } = await freshDatabase();
const march = Date.UTC(2026, 2, 1); // a Sunday
const seriesOf = (symbol: string, timeframe: Timeframe) => ({ exchangeId: 'sandbox', marketType: 'spot', symbol, timeframe });

/** Keeps all candles of a span but those that open at `without`. */
async function keep(series: ReturnType<typeof seriesOf>, from: number, to: number, without: readonly number[] = []): Promise<void> {
  const length = timeframeLengths[series.timeframe];
  const first = openTimeBefore(length, from + length - 1);
  const times = Array.from({ length: Math.max(0, Math.ceil((to - first) / length)) }, (_, i) => first + i * length);
  const candles = times
    .filter((time) => !without.includes(time))
    .map((openTime) => ({ openTime, open: 1, high: 2, low: 1, close: 2, volume: 3 }));
  await writeCandles(db, series, { from, to }, toColumns(candles));
}

test('months whose span has room for more candles than there are, are downloaded again; whole ones are not, and no candle is lost', async () => {
  const whole = seriesOf('BTC/USDT', '1h');
  await keep(whole, march, march + 5 * dayMs);
  await keep(whole, march + 7 * dayMs + 5 * minuteMs, march + 8 * dayMs + 25 * minuteMs);
  const weeks = seriesOf('BTC/USDT', '1w');
  await keep(weeks, march, march + 30 * dayMs);
  const minutes = seriesOf('BTC/USDT', '3m');
  await keep(minutes, march + minuteMs, march + hourMs + minuteMs);
  const before = await Promise.all([whole, weeks, minutes].map((series) => storedSpans(db, series)));
  const gone = seriesOf('ETH/USDT', '1h');
  await keep(gone, march, march + dayMs, [march + 23 * hourMs]);
  await keep(gone, march + 31 * dayMs, march + 32 * dayMs); // another month
  const week = seriesOf('ETH/USDT', '1w');
  await keep(week, march, march + 3 * dayMs, [march + dayMs]);
  const empty = seriesOf('SOL/USDT', '12h');
  await keep(empty, march, march + 12 * hourMs, [march]);
  await up(db as never);
  expect(await Promise.all([whole, weeks, minutes].map((series) => storedSpans(db, series)))).toEqual(before);
  expect(await storedSpans(db, gone)).toEqual([{ from: march + 31 * dayMs, to: march + 32 * dayMs }]);
  expect((await loadCandles(db, null, gone, { from: march, to: march + dayMs })).openTime).toHaveLength(23);
  expect(await storedSpans(db, week)).toEqual([]);
  expect(await storedSpans(db, empty)).toEqual([]);
});
