import { onDemand } from '../ui/on-demand.tsx';
import type { CandleChartProps } from './candle-chart.tsx';
import { chartHeight } from './chart-style.ts';

/** The candle chart, whose code comes when the first one is shown; its place is kept free until then. */
export const LateCandleChart = onDemand<CandleChartProps>(
  () => import('./candle-chart.tsx').then((module) => module.CandleChart),
  ({ height }) => <div style={{ minHeight: height ?? chartHeight }} />,
);
