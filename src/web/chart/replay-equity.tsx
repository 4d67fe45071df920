import type { IChartApi, ISeriesApi } from 'lightweight-charts';
import { BaselineSeries, createChart, LineSeries, LineStyle } from 'lightweight-charts';
import { useEffect, useMemo } from 'react';
import { curveAt, evenTimes, toLine } from './chart-data.ts';
import { ChartFigure } from './chart-figure.tsx';
import { chartColors, gainsAndLosses } from './chart-style.ts';
import { chartOptions } from './chart-theme.ts';
import type { CurvePoint } from './equity-chart.tsx';
import { useChartParts } from './use-chart-parts.ts';

/** The height of the curve, in px. */
export const replayEquityHeight = 180;

interface Parts {
  chart: IChartApi;
  draft: ISeriesApi<'Baseline'>;
  saved: ISeriesApi<'Line'>;
  hold: ISeriesApi<'Line'>;
}

/** See `ReplayEquity`. */
export interface ReplayEquityProps {
  label: string; // names the chart for screen readers
  draft: readonly CurvePoint[]; // the profit so far, from 0 on
  saved: readonly CurvePoint[]; // of the version beside it; empty for none
  hold: readonly CurvePoint[]; // the stake held in the market
  height?: number; // px
  decimals: number; // of the currency
}

/** What a draft came to over time, around zero, with the saved version as a dashed line and holding as a thin one. */
export function ReplayEquity({ label, draft, saved, hold, height = replayEquityHeight, decimals }: ReplayEquityProps) {
  const [host, parts] = useChartParts(create, undefined);
  const times = useMemo(() => evenTimes([draft, saved]), [draft, saved]);
  useEffect(() => {
    parts?.draft.setData(toLine(curveAt(draft, times)));
    parts?.saved.setData(toLine(curveAt(saved, times)));
    parts?.hold.setData(toLine(curveAt(hold, times)));
    parts?.chart.timeScale().fitContent();
  }, [parts, draft, saved, hold, times]);
  useEffect(() => {
    const priceFormat = {
      type: 'custom',
      formatter: (value: number) => `${value < 0 ? '' : '+'}${value.toFixed(decimals)}`,
      minMove: 10 ** -decimals,
    } as const;
    for (const series of [parts?.draft, parts?.saved, parts?.hold]) series?.applyOptions({ priceFormat });
  }, [parts, decimals]);
  return <ChartFigure label={label} host={host} height={height} />;
}

function create(host: HTMLElement): Parts {
  const chart = createChart(host, { autoSize: true, ...chartOptions() });
  chart.timeScale().applyOptions({ minBarSpacing: 0.1, lockVisibleTimeRangeOnResize: true });
  const quiet = { priceLineVisible: false, crosshairMarkerVisible: false } as const;
  // Holding may gain ten times as much: the scale follows the two that are compared.
  const hold = chart.addSeries(LineSeries, {
    ...quiet,
    color: chartColors.hold,
    lineWidth: 1,
    lastValueVisible: false,
    autoscaleInfoProvider: () => null,
  });
  const saved = chart.addSeries(LineSeries, {
    ...quiet,
    color: '#d8dbe3',
    lineWidth: 1,
    lineStyle: LineStyle.Dashed,
    lastValueVisible: false,
  });
  const draft = chart.addSeries(BaselineSeries, {
    ...quiet,
    ...gainsAndLosses,
    lineWidth: 2,
    baseValue: { type: 'price', price: 0 },
  });
  return { chart, draft, saved, hold };
}
