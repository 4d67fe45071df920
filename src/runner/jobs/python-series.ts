import { type CandleColumns, candleColumns } from '#engine/market/candle.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import { candleOpenTime, isTimeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import type { BacktestWork } from '#storage/backtests/jobs.ts';
import { loadCandles } from '#storage/candles/candle-cache.ts';
import { missingSpans } from '#storage/candles/candle-chunks.ts';
import type { TimeSpan } from '#storage/candles/candle-months.ts';
import type { SeriesName } from '#strategy-process/wire/python-load.ts';
import { marketOfKind } from '#strategy-process/python/series-name.ts';
import type { BacktestDependencies } from './backtest-dependencies.ts';
import { historyFor } from './history-for.ts';

/**
 * The candles of a series that a strategy in Python reads besides, over a run and as many before it as it warms up with. Where there are
 * none it gets none, as from freqtrade, and a note says so.
 *
 * Fails: Error with one sentence, as every download
 */
export async function pythonSeries(
  dependencies: Pick<BacktestDependencies, 'db' | 'markets' | 'disk' | 'now' | 'log' | 'cacheFolder'>,
  exchangeId: string,
  { symbol, timeframe, kind }: SeriesName,
  { from, to }: TimeSpan,
  startupCandles: number,
  work: BacktestWork,
): Promise<{ candles: CandleColumns; notes: string[] }> {
  const none = {
    candles: candleColumns(0),
    notes: [`The strategy reads candles of ${symbol} on ${timeframe} (${kind}), and there are none.`],
  };
  const marketType = marketOfKind(kind);
  if (!isTimeframe(timeframe) || marketType === null) return none;
  const series = { exchangeId, marketType, symbol, timeframe };
  const length = timeframeLengths[timeframe];
  const span = { from: from - startupCandles * length, to: candleOpenTime(timeframe, to) }; // the candle that is open at the end of the run is none of it
  if ((await missingSpans(dependencies.db, series, span)).length > 0) {
    const market = await dependencies.markets.market(exchangeId, marketType);
    if ((await market.instrument(symbol)) === null) return none;
    await historyFor(dependencies, series, { candles: span, funding: null }, work);
  }
  const candles = fillGaps(await loadCandles(dependencies.db, dependencies.cacheFolder, series, span), length);
  return candles.openTime.length === 0 ? none : { candles, notes: [] };
}
