import { lazy, Suspense } from 'react';
import type { CandleChartProps } from './candle-chart.tsx';
import { chartHeight } from './chart-style.ts';

const CandleChart = lazy(() => import('./candle-chart.tsx').then((module) => ({ default: module.CandleChart })));

/** The candle chart, whose code comes when the first one is shown; its place is kept free until then. */
export function LateCandleChart(props: CandleChartProps) {
  return (
    <Suspense fallback={<div style={{ minHeight: props.height ?? chartHeight }} />}>
      <CandleChart {...props} />
    </Suspense>
  );
}
