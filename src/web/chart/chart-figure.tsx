import './chart.css';
import type { ReactNode, RefObject } from 'react';

/** See `ChartFigure`. */
export interface ChartFigureProps {
  label: string; // names the chart for screen readers
  host: RefObject<HTMLDivElement | null>; // where the chart is made, see `useChartParts`
  height: number; // px
  children?: ReactNode; // drawn over the chart
}

/** The frame of every chart. */
export function ChartFigure({ label, host, height, children }: ChartFigureProps) {
  return (
    <figure className="chart" aria-label={label}>
      <div ref={host} className="chart-host" style={{ height }} />
      {children}
    </figure>
  );
}
