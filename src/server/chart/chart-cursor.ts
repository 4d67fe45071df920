import type { Candle } from '#engine/market/candle.ts';
import type { Series } from '#feeds/series.ts';
import { shortHash } from './short-hash.ts';

/** Names the newest candle of an answer and the series it is of, so that the next answer can begin there. */
export function cursorOf(series: Series, candles: readonly Candle[]): string | null {
  const newest = candles.at(-1);
  return newest === undefined ? null : `${newest.openTime.toString(36)}-${seriesMark(series)}`;
}

/**
 * The candles from the one a cursor names on: that one may have been open, so it counts as changed. Null when the cursor is of
 * another series or of a candle that is not there; all candles are sent then.
 */
export function candlesFrom(cursor: string | undefined, series: Series, candles: readonly Candle[]): readonly Candle[] | null {
  if (cursor === undefined) return null;
  const [time = '', mark] = cursor.split('-');
  if (mark !== seriesMark(series)) return null;
  const openTime = Number.parseInt(time, 36);
  const place = candles.findIndex((candle) => candle.openTime === openTime);
  return place === -1 ? null : candles.slice(place);
}

function seriesMark({ exchangeId, marketType, symbol, timeframe }: Series): string {
  return shortHash([exchangeId, marketType, symbol, timeframe]);
}
