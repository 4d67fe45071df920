import type { IChartApi, ISeriesApi } from 'lightweight-charts';
import { BaselineSeries, createChart } from 'lightweight-charts';
import { useEffect, useRef } from 'react';
import { toLine } from './chart-data.ts';
import { ChartFigure } from './chart-figure.tsx';
import { chartHeight, gainsAndLosses } from './chart-style.ts';
import { chartOptions } from './chart-theme.ts';
import { useChartParts } from './use-chart-parts.ts';

/** The parts of a drawn profit and loss chart. */
export interface PnlChartParts {
  chart: IChartApi;
  line: ISeriesApi<'Baseline'>;
}

/** See `PnlChart`. */
export interface PnlChartProps {
  label: string; // names the chart for screen readers
  points: readonly { time: number; pnl: number }[]; // time in ms
  decimals?: number; // of the amounts; 2 when absent, for dollars
  onReady?: (parts: PnlChartParts) => void;
}

/**
 * Profit and loss over time as a line, above zero in the colour of gains, below in the colour of losses. All of it is seen at
 * any width; a current point that moves leaves the view of the reader as it is.
 */
export function PnlChart({ label, points, decimals = 2, onReady }: PnlChartProps) {
  const [host, parts] = useChartParts(createParts, onReady);
  const drawn = useRef<{ on: PnlChartParts | null; count: number }>({ on: null, count: 0 }); // how many points are drawn

  useEffect(() => {
    const formatter = (pnl: number) => `${pnl < 0 ? '' : '+'}${pnl.toFixed(decimals)}`;
    parts?.line.applyOptions({ priceFormat: { type: 'custom', formatter, minMove: 10 ** -decimals } });
  }, [parts, decimals]);

  useEffect(() => {
    if (parts === null) return;
    parts.line.setData(toLine(points.map(({ time, pnl }) => ({ time, value: pnl }))));
    const before = drawn.current.on === parts ? drawn.current.count : 0; // another chart is empty at first
    if (points.length !== before) parts.chart.timeScale().fitContent();
    drawn.current = { on: parts, count: points.length };
  }, [parts, points]);

  return <ChartFigure label={label} host={host} height={chartHeight} />;
}

function createParts(host: HTMLElement): PnlChartParts {
  const chart = createChart(host, { autoSize: true, ...chartOptions() });
  chart.timeScale().applyOptions({ minBarSpacing: 0.1, lockVisibleTimeRangeOnResize: true, rightOffset: 1 });
  const line = chart.addSeries(BaselineSeries, {
    baseValue: { type: 'price', price: 0 },
    ...gainsAndLosses,
    lineWidth: 2,
    priceLineVisible: false,
  });
  return { chart, line };
}
