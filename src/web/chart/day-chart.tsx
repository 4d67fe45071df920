import type { IChartApi, ISeriesApi } from 'lightweight-charts';
import { createChart, LineSeries, LineType } from 'lightweight-charts';
import { useCallback, useEffect } from 'react';
import { curveAt, evenTimes, toLine } from './chart-data.ts';
import { ChartFigure } from './chart-figure.tsx';
import { dayChartHeight } from './chart-style.ts';
import { chartOptions } from './chart-theme.ts';
import { useChartParts } from './use-chart-parts.ts';

/** The parts of a drawn chart of a day, a line for each curve in their order. */
export interface DayChartParts {
  chart: IChartApi;
  lines: ISeriesApi<'Line'>[];
}

/** A curve over a day. */
export interface DayCurve {
  color: string; // '#rrggbb'
  points: readonly { time: number; value: number }[]; // ms; each value holds until the next one
}

/** See `DayChart`. */
export interface DayChartProps {
  label: string; // names the chart for screen readers
  curves: readonly DayCurve[]; // as many as before for as long as the chart exists
  onReady?: (parts: DayChartParts) => void;
}

/** Profits over a day, each curve a line in steps around zero. All of the day is seen at any width. */
export function DayChart({ label, curves, onReady }: DayChartProps) {
  const colors = curves.map(({ color }) => color).join(' ');
  const create = useCallback((host: HTMLDivElement) => createParts(host, colors.split(' ')), [colors]);
  const [host, parts] = useChartParts(create, onReady);
  useEffect(() => {
    if (parts === null) return;
    const times = evenTimes(curves.map(({ points }) => points));
    for (const [i, { points }] of curves.entries()) parts.lines[i]?.setData(toLine(curveAt(points, times)));
    parts.chart.timeScale().fitContent();
  }, [parts, curves]);
  return <ChartFigure label={label} host={host} height={dayChartHeight} />;
}

function createParts(host: HTMLDivElement, colors: readonly string[]): DayChartParts {
  const chart = createChart(host, { autoSize: true, ...chartOptions() });
  chart.timeScale().applyOptions({ minBarSpacing: 0.05, lockVisibleTimeRangeOnResize: true, rightOffset: 0 });
  const lines = colors.map((color) =>
    chart.addSeries(LineSeries, {
      color,
      lineType: LineType.WithSteps,
      lineWidth: 2,
      priceLineVisible: false,
      priceFormat: { type: 'custom', formatter: (pnl: number) => `${pnl < 0 ? '' : '+'}${pnl.toFixed(2)}`, minMove: 0.01 },
    }),
  );
  return { chart, lines };
}
