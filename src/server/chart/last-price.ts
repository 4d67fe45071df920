import type { CandleWindows } from '#feeds/candle-windows.ts';
import type { Series } from '#feeds/series.ts';
import type { Markets } from '#feeds/markets.ts';

/** What an answer says of a price: when it was last known, and its age once the source has fallen silent. */
export interface PricedAt {
  price_time?: number;
  price_age_ms?: number;
}

const answerMs = 3_000; // what an answer may take before the price in it counts as old

/** When the price of a series was last known. */
export function pricedAt(windows: CandleWindows, series: Series, now: number): PricedAt {
  const last = windows.lastPrice(series);
  if (last === null) return {};
  const age = now - last.time;
  return { price_time: Math.round(last.time), ...(age > answerMs ? { price_age_ms: Math.round(age) } : {}) };
}

/** The smallest step of a symbol's price; null when the exchange does not have it any more. */
export async function priceTickOf(markets: Markets, { exchangeId, marketType, symbol }: Series): Promise<number | null> {
  const instruments = await (await markets.market(exchangeId, marketType)).instruments();
  return instruments.find((instrument) => instrument.symbol === symbol)?.priceTick ?? null;
}
