import type { MouseEventParams } from 'lightweight-charts';
import { useEffect, useRef } from 'react';
import type { Candle } from './chart-data.ts';
import { ChartFigure } from './chart-figure.tsx';
import { chartHeight } from './chart-style.ts';
import type { CandleChartParts } from './chart-parts.ts';
import { applyPriceFormat, createParts, drawAll } from './chart-parts.ts';
import type { Strip } from './held-strips.tsx';
import { HeldStrips } from './held-strips.tsx';
import type { PlacedLine } from './line-layer.ts';
import { LineLayer } from './line-layer.ts';
import type { DrawnTrade } from './replay-trades.ts';
import { replayMarkers, replaySegments, viewOfTrade } from './replay-trades.ts';
import { useChartParts } from './use-chart-parts.ts';

/** See `ReplayChart`. */
export interface ReplayChartProps {
  label: string; // names the chart for screen readers
  candles: readonly Candle[]; // of the range, without gaps
  priceTick: number | null;
  trades: readonly DrawnTrade[];
  chosen: DrawnTrade | null; // brought into sight when it changes
  lines: readonly PlacedLine[];
  strips: readonly Strip[];
  cursor: number | null; // place of the candle that is looked at
  onCursor: (place: number | null) => void;
  height?: number; // px
  onReady?: (parts: CandleChartParts) => void;
}

/** The candles of a replay with its trades, and under them where each condition held. An edit never moves the reader's view. */
export function ReplayChart(props: ReplayChartProps) {
  const { label, candles, priceTick, trades, chosen, lines, strips, cursor, onCursor, height = chartHeight, onReady } = props;
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

  const layer = useRef<{ on: CandleChartParts; lines: LineLayer } | null>(null);
  useEffect(() => {
    if (parts === null) return;
    if (layer.current?.on !== parts) {
      layer.current = { on: parts, lines: new LineLayer() };
      parts.candles.attachPrimitive(layer.current.lines);
    }
    layer.current.lines.set(lines);
  }, [parts, lines]);

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
      <ChartFigure label={label} host={host} height={height} />
      {parts === null || strips.length === 0 ? null : <HeldStrips parts={parts} strips={strips} cursor={cursor} />}
    </>
  );
}
