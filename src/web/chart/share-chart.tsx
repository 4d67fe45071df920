import type { AutoscaleInfo, IChartApi, ISeriesApi } from 'lightweight-charts';
import { createChart, LineSeries } from 'lightweight-charts';
import { useEffect } from 'react';
import { toLine } from './chart-data.ts';
import { ChartFigure } from './chart-figure.tsx';
import { chartColors, dayChartHeight } from './chart-style.ts';
import { chartOptions } from './chart-theme.ts';
import { useChartParts } from './use-chart-parts.ts';

/** The parts of a drawn line of shares. */
export interface ShareChartParts {
  chart: IChartApi;
  line: ISeriesApi<'Line'>;
}

/** See `ShareChart`. */
export interface ShareChartProps {
  label: string; // names the chart for screen readers
  points: readonly { time: number; share: number }[]; // time in ms, share as a fraction
  onReady?: (parts: ShareChartParts) => void;
}

/** Shares over time as a line, in per cent. All of it is seen at any width. */
export function ShareChart({ label, points, onReady }: ShareChartProps) {
  const [host, parts] = useChartParts(createParts, onReady);
  useEffect(() => {
    if (parts === null) return;
    parts.line.setData(toLine(points.map(({ time, share }) => ({ time, value: share * 100 }))));
    parts.chart.timeScale().fitContent();
  }, [parts, points]);
  return <ChartFigure label={label} host={host} height={dayChartHeight} />;
}

/** The scale spans ten percentage points at least, so that a share that hardly moves looks like it. */
function atLeastTenPoints(original: () => AutoscaleInfo | null): AutoscaleInfo | null {
  const info = original();
  if (info === null || info.priceRange === null) return info;
  const { minValue, maxValue } = info.priceRange;
  const room = Math.max(0, (10 - (maxValue - minValue)) / 2);
  return { ...info, priceRange: { minValue: minValue - room, maxValue: maxValue + room } };
}

function createParts(host: HTMLElement): ShareChartParts {
  const chart = createChart(host, { autoSize: true, ...chartOptions() });
  chart.timeScale().applyOptions({ minBarSpacing: 0.1, lockVisibleTimeRangeOnResize: true, rightOffset: 1, timeVisible: false });
  const line = chart.addSeries(LineSeries, {
    color: chartColors.avwap,
    lineWidth: 2,
    priceLineVisible: false,
    autoscaleInfoProvider: atLeastTenPoints,
    priceFormat: { type: 'custom', formatter: (value: number) => `${value.toFixed(1)}%`, minMove: 0.1 },
  });
  return { chart, line };
}
