import type { ISeriesApi, MouseEventParams } from 'lightweight-charts';
import { LineSeries } from 'lightweight-charts';
import { useEffect, useRef } from 'react';
import type { Candle } from './chart-data.ts';
import { ChartFigure } from './chart-figure.tsx';
import { chartHeight } from './chart-style.ts';
import type { CandleChartParts } from './chart-parts.ts';
import { applyPriceFormat, createParts, drawAll } from './chart-parts.ts';
import type { Strip } from './held-strips.tsx';
import { HeldStrips } from './held-strips.tsx';
import { columnLine } from './replay-candles.ts';
import type { DrawnTrade } from './replay-trades.ts';
import { replayMarkers, replaySegments, viewOfTrade } from './replay-trades.ts';
import { useChartParts } from './use-chart-parts.ts';

/** A line that rules look at. */
export interface ReplayLine {
  name: string;
  color: string;
  values: Float64Array; // by row of the replay
}

/** See `ReplayChart`. */
export interface ReplayChartProps {
  label: string; // names the chart for screen readers
  candles: readonly Candle[]; // of the range, without gaps
  stepMs: number; // from candle to candle
  priceTick: number | null;
  trades: readonly DrawnTrade[];
  chosen: DrawnTrade | null; // brought into sight when it changes
  lines: readonly ReplayLine[];
  firstTime: number; // of the first row of lines and strips
  strips: readonly Strip[];
  cursor: number | null; // place of the candle that is looked at
  onCursor: (place: number | null) => void;
  onReady?: (parts: CandleChartParts) => void;
}

/** The candles of a replay with its trades, and under them where each condition held. An edit never moves the reader's view. */
export function ReplayChart(props: ReplayChartProps) {
  const { label, candles, stepMs, priceTick, trades, chosen, lines, firstTime, strips, cursor, onCursor, onReady } = props;
  const [host, parts] = useChartParts(createParts, onReady);

  const scale = Math.floor(Math.log10(candles.at(-1)?.close ?? 1));
  useEffect(() => {
    if (parts === null) return;
    applyPriceFormat(parts, 10 ** scale, priceTick);
    drawAll(parts, [...candles], 'newest', false);
  }, [parts, candles, scale, priceTick]);

  useEffect(() => {
    parts?.markers.setMarkers(replayMarkers(candles, trades));
    parts?.segments.set(replaySegments(candles, trades), chosen?.id ?? null);
  }, [parts, candles, trades, chosen]);

  const chosenId = chosen?.id ?? null;
  useEffect(() => {
    if (parts !== null && chosen !== null) parts.chart.timeScale().setVisibleLogicalRange(viewOfTrade(candles, chosen));
    // Another edit may leave the same trade chosen: the view stays then.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [parts, candles, chosenId]);

  useLines(parts, lines, firstTime, stepMs);

  useEffect(() => {
    if (parts === null) return undefined;
    const move = ({ logical }: MouseEventParams) => {
      const place = logical === undefined ? null : Math.round(logical);
      onCursor(place !== null && place >= 0 && place < candles.length ? place : null);
    };
    parts.chart.subscribeCrosshairMove(move);
    return () => parts.chart.unsubscribeCrosshairMove(move);
  }, [parts, candles, onCursor]);

  return (
    <>
      <ChartFigure label={label} host={host} height={chartHeight} />
      {parts === null || strips.length === 0 ? null : <HeldStrips parts={parts} strips={strips} cursor={cursor} />}
    </>
  );
}

/** Draws lines over the candles. The scale follows the candles alone. */
function useLines(parts: CandleChartParts | null, lines: readonly ReplayLine[], firstTime: number, stepMs: number): void {
  const drawn = useRef<{ on: CandleChartParts | null; series: Map<string, ISeriesApi<'Line'>> }>({ on: null, series: new Map() });
  useEffect(() => {
    if (parts === null) return;
    if (drawn.current.on !== parts) drawn.current = { on: parts, series: new Map() };
    const { series } = drawn.current;
    const wanted = new Set(lines.map(({ name }) => name));
    for (const [name, line] of series) {
      if (wanted.has(name)) continue;
      parts.chart.removeSeries(line);
      series.delete(name);
    }
    for (const { name, color, values } of lines) {
      let line = series.get(name);
      if (line === undefined) {
        line = parts.chart.addSeries(LineSeries, { ...plain, color });
        series.set(name, line);
      }
      line.setData(columnLine(values, firstTime, stepMs));
    }
  }, [parts, lines, firstTime, stepMs]);
}

const plain = {
  lineWidth: 1,
  lastValueVisible: false,
  priceLineVisible: false,
  crosshairMarkerVisible: false,
  autoscaleInfoProvider: () => null,
} as const;
