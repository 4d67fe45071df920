import type { SeriesMarker, UTCTimestamp } from 'lightweight-charts';
import { useEffect, useMemo, useRef } from 'react';
import { avwapLegs } from './avwap-legs.ts';
import type { Candle, Overlays } from './chart-data.ts';
import { cleanCandles, newestCandles, toLine } from './chart-data.ts';
import { ChartFigure } from './chart-figure.tsx';
import { chartHeight } from './chart-style.ts';
import type { CandleChartParts, FirstView } from './chart-parts.ts';
import { applyPriceFormat, createParts, drawAll, drawLatest, drawNewest } from './chart-parts.ts';
import type { LiveChart } from './live-chart.ts';
import { LiveLayer } from './live-layer.tsx';
import { toMarkers, toSegments } from './trade-marks.ts';
import { useChartParts } from './use-chart-parts.ts';

/** A line over the candles; its points lie at candles, time in ms. */
export interface Segment {
  color: string;
  points: readonly { time: number; value: number }[];
}

/** See `CandleChart`. */
export interface CandleChartProps {
  label: string; // names the chart for screen readers
  candles: readonly Candle[];
  overlays?: Overlays | undefined;
  markers?: readonly SeriesMarker<UTCTimestamp>[]; // drawn in place of the marks of the overlays
  segment?: Segment | null; // drawn dashed over the candles, such as a trade from entry to exit
  view?: FirstView; // the newest when absent
  height?: number; // px; as specified when absent
  priceTick?: number | null; // the market's smallest step of a price
  live?: LiveChart; // what a live chart has besides: readout, levels, indicators, cards, older candles
  onReady?: (parts: CandleChartParts) => void;
}

const noOverlays: Overlays = { trades: [], stops: [], avwap: [] };

/** Candles with volume, trades, stops and the average anchored VWAP. New candles and older ones do not move the reader's view. */
export function CandleChart(props: CandleChartProps) {
  const { label, overlays = noOverlays, markers, segment = null, view = 'newest', height = chartHeight, priceTick = null, live } = props;
  const { onReady } = props;
  const candles = useMemo(() => cleanCandles(props.candles), [props.candles]);
  const [host, parts] = useChartParts(createParts, onReady);
  const drawn = useRef<{ on: CandleChartParts | null; candles: readonly Candle[] }>({ on: null, candles: [] });
  const openedTradeId = live?.openedTradeId ?? null;

  const scale = Math.floor(Math.log10(candles.at(-1)?.close ?? 1)); // of a market without a known step the size decides
  useEffect(() => {
    if (parts !== null) applyPriceFormat(parts, 10 ** scale, priceTick);
  }, [parts, scale, priceTick]);

  useEffect(() => {
    if (parts === null) return;
    const before = drawn.current.on === parts ? drawn.current.candles : []; // another chart is empty at first
    const newest = newestCandles(before, candles);
    if (newest === null) drawAll(parts, candles, view, isLongerPast(before, candles));
    else drawNewest(parts, newest);
    drawLatest(parts, candles.at(-1));
    drawn.current = { on: parts, candles };
  }, [parts, candles, view]);

  useEffect(() => {
    const legs = avwapLegs(overlays);
    parts?.avwapBefore.setData(toLine(legs.before));
    parts?.avwap.setData(toLine(legs.after));
  }, [parts, overlays]);

  useEffect(() => {
    parts?.markers.setMarkers(markers === undefined ? toMarkers(candles, overlays) : [...markers]);
    parts?.segments.set(toSegments(candles, overlays.trades), openedTradeId);
  }, [parts, candles, overlays, markers, openedTradeId]);

  useEffect(() => {
    if (segment !== null) parts?.segment.applyOptions({ color: segment.color });
    parts?.segment.setData(toLine(segment?.points ?? []));
  }, [parts, segment]);

  return (
    <>
      <ChartFigure label={label} host={host} height={height}>
        {parts === null || live === undefined ? null : (
          <LiveLayer parts={parts} candles={candles} overlays={overlays} priceTick={priceTick} {...live} />
        )}
      </ChartFigure>
      {parts === null ? null : live?.below?.(parts, candles)}
    </>
  );
}

/** Whether the drawn candles are all there still, with older ones before them. */
function isLongerPast(drawn: readonly Candle[], next: readonly Candle[]): boolean {
  const [first, last] = [drawn[0]?.timestamp, drawn.at(-1)?.timestamp];
  if (first === undefined || last === undefined || (next[0]?.timestamp ?? Infinity) >= first) return false;
  return next.some(({ timestamp }) => timestamp === first) && next.some(({ timestamp }) => timestamp === last);
}
