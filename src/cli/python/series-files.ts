import { type CandleColumns, candleColumns, sliceColumns } from '#engine/market/candle.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import { firstAtOrAfter } from '#engine/market/first-at-or-after.ts';
import { isTimeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import type { SeriesName } from '#strategy-process/wire/python-load.ts';
import { findCandles, type SeriesKind } from '../candles/candle-folder.ts';
import type { TimeRange } from '../time-range.ts';

const kinds: readonly string[] = ['spot', 'futures', 'mark', 'funding_rate'] satisfies SeriesKind[];

/**
 * The candles of another series that a strategy reads, in the range and as many before it as it warms up with. Where there is none it gets no
 * candles, as from freqtrade, and a note says so. The time of those is that of its own timeframe.
 *
 * Fails: CommandError for a file that cannot be read
 */
export async function loadSeries(
  folder: string,
  { symbol, timeframe, kind }: SeriesName,
  { from, to }: TimeRange,
  startupCandles: number,
): Promise<{ candles: CandleColumns; notes: string[] }> {
  const missing = {
    candles: candleColumns(0),
    notes: [`${symbol}: the strategy reads candles of ${timeframe} (${kind}), and there are none.`],
  };
  if (!isTimeframe(timeframe) || !kinds.includes(kind)) return missing;
  const lengthMs = timeframeLengths[timeframe];
  const loaded = await findCandles({ folder, symbol, timeframe, kind: kind as SeriesKind });
  if (loaded === null) return missing;
  const { openTime } = loaded.candles;
  const first = from === null ? 0 : firstAtOrAfter(openTime, from - startupCandles * lengthMs);
  const end = to === null ? openTime.length : firstAtOrAfter(openTime, to + 1);
  return { candles: fillGaps(sliceColumns(loaded.candles, first, end), lengthMs), notes: loaded.notes };
}
