import type { ReactNode } from 'react';
import type { Candle, Overlays } from './chart-data.ts';
import type { CandleChartParts } from './chart-parts.ts';
import type { IndicatorLine } from './indicator-lines.ts';

/** What a chart that moves with the market has besides its candles. */
export interface LiveChart {
  symbol: string;
  stopPrice: number | null; // of the open trade, now
  onDropStop?: ((price: number) => void) | undefined; // the reader has dragged the stop there; absent: it cannot be dragged
  openedTradeId: string | null;
  onOpenTrade: (tradeId: string) => void;
  indicators: readonly IndicatorLine[]; // those that are drawn
  onNeedOlder: () => void; // the reader looks at the first candle
  below?: ((parts: CandleChartParts, candles: readonly Candle[]) => ReactNode) | undefined; // drawn under the chart
}

/** See `LiveLayer`. */
export interface LiveLayerProps extends LiveChart {
  parts: CandleChartParts;
  candles: readonly Candle[];
  overlays: Overlays;
  priceTick: number | null;
}
