import type { Candle } from '#engine/market/candle.ts';
import { dayMs } from '#engine/market/durations.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import type { Series } from './series.ts';

/** So many candles are asked for at a time before a gap: most exchanges give them in one answer. Of days they are more than a year. */
const reach = 400;

/**
 * The candles that have closed, of which `windowColumns` makes `size` rows. What has closed the exchange's clock decides. This machine's
 * may be behind, and its `now` says only how far back is asked: a candle that has just closed is reported by no stream any more.
 *
 * Where the exchange has sent none for some time, those of the last `size` candle lengths are too few: it is asked what was traded before,
 * so that a bot that starts in a gap or after one decides with the rows of one that has run all the while. There are fewer where nothing
 * was traded in more than a year before.
 *
 * Fails: ExchangeError
 */
export async function windowHistory(market: MarketData, series: Series, size: number, now: number): Promise<Candle[]> {
  const length = timeframeLengths[series.timeframe];
  let knownFrom = candleOpenTime(series.timeframe, now) - size * length;
  let history = await market.candles(series.symbol, series.timeframe, knownFrom, Infinity);
  while (rowsOf(history, length) < size) {
    const before = await candlesBefore(market, series, knownFrom);
    const [first] = before;
    if (first === undefined) break;
    knownFrom = first.openTime;
    history = [...before, ...history];
  }
  return history.slice(-size);
}

/** How many rows candles make once the gaps among them are filled. */
function rowsOf(candles: readonly Candle[], length: number): number {
  const [first, last] = [candles[0], candles.at(-1)];
  return first === undefined || last === undefined ? 0 : (last.openTime - first.openTime) / length + 1;
}

/**
 * The candles that come next before a time, as many as are found at once; none where there are none. What was traded long ago is found by the
 * candles of days: to ask for all that a month may have had would take a hundred answers.
 */
async function candlesBefore(market: MarketData, { symbol, timeframe }: Series, time: number): Promise<Candle[]> {
  const length = timeframeLengths[timeframe];
  const ask = async (of: Timeframe, from: number, to: number): Promise<Candle[]> => {
    try {
      return await market.candles(symbol, of, from, to);
    } catch (error) {
      if (error instanceof ExchangeError && error.kind === 'rejected') return []; // some give nothing that is so old
      throw error;
    }
  };
  const near = time - reach * length;
  const newest = await ask(timeframe, near, time);
  if (newest.length > 0 || length >= dayMs || !market.timeframes.includes('1d')) return newest;
  // A day has its candle when it is over, and at some exchanges begins at another hour: what is left of this one and the whole one before are asked for.
  const day = candleOpenTime('1d', near - dayMs);
  const recent = await ask(timeframe, day, near);
  if (recent.length > 0) return recent;
  const traded = (await ask('1d', day - reach * dayMs, day)).findLast(({ volume }) => volume > 0);
  return traded === undefined ? [] : await ask(timeframe, traded.openTime, traded.openTime + dayMs);
}
