import type { IChartApi, ISeriesApi } from 'lightweight-charts';
import { BaselineSeries, createChart, LineSeries, LineStyle } from 'lightweight-charts';
import { useCallback, useEffect, useMemo } from 'react';
import { curveAt, evenTimes, toLine } from './chart-data.ts';
import { ChartFigure } from './chart-figure.tsx';
import { chartColors, chartHeight, comparedLines, gainsAndLosses } from './chart-style.ts';
import { chartOptions } from './chart-theme.ts';
import { useChartParts } from './use-chart-parts.ts';

/** The height of the drawdown beneath the equity, in px. */
export const drawdownHeight = 110;

/** A point of a curve; time in ms. */
export interface CurvePoint {
  time: number;
  value: number;
}

/** The parts of a drawn equity chart. */
export interface EquityChartParts {
  chart: IChartApi;
  first: ISeriesApi<'Baseline'> | ISeriesApi<'Line'>;
  others: readonly ISeriesApi<'Line'>[];
  hold: ISeriesApi<'Line'> | null;
  drawdown: ISeriesApi<'Baseline'> | null;
}

/** See `EquityChart`. */
export interface EquityChartProps {
  label: string; // names the chart for screen readers
  first: readonly CurvePoint[];
  others?: readonly (readonly CurvePoint[])[]; // of other runs, each drawn as `comparedLines` says
  hold?: readonly CurvePoint[]; // buying and holding, a thin line beside the first
  drawdown?: readonly CurvePoint[]; // 0 or negative; drawn beneath on the same time axis
  unit: 'money' | 'percent';
  decimals?: number; // of money; two when nothing is said
  onReady?: (parts: EquityChartParts) => void;
}

/**
 * Equity over time. One curve alone is green above its start and red below, with the drawdown beneath; several are lines.
 * How many curves there are, a holding or a drawdown does not change while the chart exists; their points may.
 */
export function EquityChart({ label, first, others = none, hold, drawdown, unit, decimals = 2, onReady }: EquityChartProps) {
  const times = useMemo(() => evenTimes([first, ...others]), [first, others]);
  const { length: otherCount } = others;
  const hasDrawdown = drawdown !== undefined;
  const hasHold = hold !== undefined;

  const create = useCallback(
    (element: HTMLDivElement) => createParts(element, { otherCount, hasDrawdown, hasHold }),
    [otherCount, hasDrawdown, hasHold],
  );
  const [host, parts] = useChartParts(create, onReady);

  useEffect(() => {
    if (parts === null) return;
    const money = moneyFormat(decimals);
    const percent = {
      type: 'custom',
      formatter: (value: number) => `${value < 0 ? '' : '+'}${value.toFixed(2)}%`,
      minMove: 0.01,
    } as const;
    const priceFormat = unit === 'percent' ? percent : money;
    parts.drawdown?.applyOptions({ priceFormat: money });
    parts.first.applyOptions({ priceFormat });
    for (const other of parts.others) other.applyOptions({ priceFormat });
    parts.hold?.applyOptions({ priceFormat });
  }, [parts, unit, decimals]);

  useEffect(() => {
    if (parts === null) return;
    if (parts.others.length === 0) {
      const series = parts.first as ISeriesApi<'Baseline'>;
      series.applyOptions({ baseValue: { type: 'price', price: first[0]?.value ?? 0 } });
    }
    parts.first.setData(toLine(curveAt(first, times)));
    for (const [place, series] of parts.others.entries()) series.setData(toLine(curveAt(others[place] ?? [], times)));
    parts.chart.timeScale().fitContent();
  }, [parts, first, others, times]);

  useEffect(() => {
    parts?.drawdown?.setData(toLine(curveAt(drawdown ?? [], times)));
    parts?.hold?.setData(toLine(curveAt(hold ?? [], times)));
  }, [parts, drawdown, hold, times]);

  return <ChartFigure label={label} host={host} height={chartHeight + (hasDrawdown ? drawdownHeight : 0)} />;
}

function createParts(host: HTMLElement, has: { otherCount: number; hasDrawdown: boolean; hasHold: boolean }): EquityChartParts {
  const { otherCount, hasDrawdown, hasHold } = has;
  const chart = createChart(host, { autoSize: true, ...chartOptions() });
  chart.timeScale().applyOptions({ minBarSpacing: 0.1, lockVisibleTimeRangeOnResize: true }); // all of it, on a phone too
  const line = { lineWidth: 2, priceLineVisible: false } as const;
  const first =
    otherCount > 0
      ? chart.addSeries(LineSeries, { ...line, ...lineOf(0) })
      : chart.addSeries(BaselineSeries, { ...line, ...gainsAndLosses });
  const others = Array.from({ length: otherCount }, (_, place) => chart.addSeries(LineSeries, { ...line, ...lineOf(place + 1) }));
  const thin = { lineWidth: 1, priceLineVisible: false, lastValueVisible: false, crosshairMarkerVisible: false } as const;
  const hold = hasHold ? chart.addSeries(LineSeries, { ...thin, color: chartColors.hold }) : null;
  if (!hasDrawdown) return { chart, first, others, hold, drawdown: null };
  const drawdown = chart.addSeries(
    BaselineSeries,
    {
      ...line,
      ...gainsAndLosses,
      lineWidth: 1,
      baseValue: { type: 'price', price: 0 },
    },
    1,
  );
  chart.panes()[1]?.setHeight(drawdownHeight);
  return { chart, first, others, hold, drawdown };
}

/** How amounts are written on the axis of a curve in a currency with so many decimals. */
function moneyFormat(decimals: number) {
  return { type: 'custom', formatter: (value: number) => value.toFixed(decimals), minMove: 10 ** -decimals } as const;
}

const none: readonly (readonly CurvePoint[])[] = [];

function lineOf(place: number) {
  const { color, isDashed } = comparedLines[place] ?? comparedLines[0];
  return { color, lineStyle: isDashed ? LineStyle.Dashed : LineStyle.Solid };
}
