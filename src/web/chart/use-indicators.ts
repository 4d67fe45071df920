import type { ISeriesApi } from 'lightweight-charts';
import { LineSeries } from 'lightweight-charts';
import { useEffect, useRef } from 'react';
import type { Candle } from './chart-data.ts';
import { toLine } from './chart-data.ts';
import type { CandleChartParts } from './chart-parts.ts';
import type { IndicatorLine } from './indicator-lines.ts';
import { isOnPrice } from './indicator-lines.ts';

/** The height of the pane below the candles for indicators that are no prices, in px. */
export const oscillatorHeight = 90;

/** Draws indicators: over the candles where they are prices, else in a pane below. */
export function useIndicators({ chart }: CandleChartParts, indicators: readonly IndicatorLine[], candles: readonly Candle[]): void {
  const drawn = useRef(new Map<string, ISeriesApi<'Line'>>());

  useEffect(() => {
    const series = drawn.current;
    return () => series.clear();
  }, [chart]);

  useEffect(() => {
    const wanted = new Set(indicators.filter(({ points }) => points.length > 0).map(({ name }) => name));
    for (const [name, series] of drawn.current) {
      if (wanted.has(name)) continue;
      chart.removeSeries(series);
      drawn.current.delete(name);
    }
    const first = candles[0]?.timestamp ?? 0;
    for (const { name, color, points } of indicators) {
      if (!wanted.has(name)) continue;
      let series = drawn.current.get(name);
      if (series === undefined) {
        const options = { color, lineWidth: 1, lastValueVisible: false, priceLineVisible: false, crosshairMarkerVisible: false } as const;
        const onPrice = isOnPrice(points, candles);
        series = chart.addSeries(LineSeries, { ...options, ...(onPrice ? { autoscaleInfoProvider: () => null } : {}) }, onPrice ? 0 : 1);
        drawn.current.set(name, series);
        chart.panes()[1]?.setHeight(oscillatorHeight);
      }
      series.setData(
        toLine(points.filter(({ timestamp }) => timestamp >= first).map(({ timestamp, value }) => ({ time: timestamp, value }))),
      );
    }
    // Only their own answers change them; a candle that moves does not.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [chart, indicators]);
}
