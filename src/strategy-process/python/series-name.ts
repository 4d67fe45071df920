import type { MarketType } from '#engine/market/instrument.ts';
import type { SeriesName } from '../wire/python-load.ts';

/** What a series is called between the product and a Python process, which reads it as JSON. */
export function nameOfSeries({ symbol, timeframe, kind }: SeriesName): string {
  return JSON.stringify([symbol, timeframe, kind]);
}

/** The market whose exchange gives these candles; null for what no exchange gives as candles, such as funding rates. */
export function marketOfKind(kind: string): MarketType | null {
  return kind === 'spot' || kind === 'futures' ? kind : null;
}
