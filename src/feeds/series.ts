import type { MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';

/** One series of candles at one exchange. */
export interface Series {
  exchangeId: string;
  marketType: MarketType;
  symbol: string;
  timeframe: Timeframe;
}
