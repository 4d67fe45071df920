import type { IChartApi, ISeriesApi, ISeriesMarkersPluginApi, SeriesMarker, Time, UTCTimestamp } from 'lightweight-charts';
import { CandlestickSeries, createChart, createSeriesMarkers, HistogramSeries, LineSeries, LineStyle } from 'lightweight-charts';
import { useEffect, useRef, useState } from 'react';
import type { Theme } from '../session/theme-store.ts';
import type { Candle, Overlays } from './chart-data.ts';
import { cleanCandles, newestCandles, priceFormatFor, toChartCandle, toLine, toMarkers, toVolumeBar } from './chart-data.ts';
import { chartColors, chartHeight } from './chart-look.ts';
import { chartOptions } from './chart-theme.ts';

/** The parts of a drawn candle chart. */
export interface CandleChartParts {
  chart: IChartApi;
  candles: ISeriesApi<'Candlestick'>;
  volume: ISeriesApi<'Histogram'>;
  avwap: ISeriesApi<'Line'>;
  segment: ISeriesApi<'Line'>;
  markers: ISeriesMarkersPluginApi<Time>;
}

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
  view?: 'newest' | 'all'; // what is seen at first; the newest when absent
  theme: Theme;
  onReady?: (parts: CandleChartParts) => void;
}

const noOverlays: Overlays = { trades: [], stops: [], avwap: [] };

/** Candles with volume, entries, stops and the average anchored VWAP. New candles do not move the reader's view. */
export function CandleChart(props: CandleChartProps) {
  const { label, candles, overlays = noOverlays, markers, segment = null, view = 'newest', theme, onReady } = props;
  const host = useRef<HTMLDivElement>(null);
  const [parts, setParts] = useState<CandleChartParts | null>(null);
  const drawn = useRef<readonly Candle[]>([]);

  useEffect(() => {
    if (host.current === null) return undefined;
    const made = createParts(host.current);
    drawn.current = [];
    setParts(made);
    onReady?.(made);
    return () => made.chart.remove();
  }, [onReady]);

  useEffect(() => parts?.chart.applyOptions(chartOptions(theme)), [parts, theme]);

  useEffect(() => {
    if (parts === null) return;
    const next = cleanCandles(candles);
    const newest = newestCandles(drawn.current, next);
    if (newest === null) drawAll(parts, next, view);
    else drawNewest(parts, newest);
    drawn.current = next;
  }, [parts, candles, view]);

  useEffect(() => {
    parts?.avwap.setData(toLine(overlays.avwap.map(({ timestamp, value }) => ({ time: timestamp, value }))));
    parts?.markers.setMarkers(markers === undefined ? toMarkers(cleanCandles(candles), overlays) : [...markers]);
  }, [parts, candles, overlays, markers]);

  useEffect(() => {
    if (segment !== null) parts?.segment.applyOptions({ color: segment.color });
    parts?.segment.setData(toLine(segment?.points ?? []));
  }, [parts, segment]);

  return (
    <figure className="chart" aria-label={label}>
      <div ref={host} className="chart-host" style={{ height: chartHeight }} />
    </figure>
  );
}

function createParts(host: HTMLElement): CandleChartParts {
  const chart = createChart(host, { autoSize: true, layout: { attributionLogo: false } });
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  });
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
  const candles = chart.addSeries(CandlestickSeries, {
    upColor: chartColors.up,
    downColor: chartColors.down,
    wickUpColor: chartColors.up,
    wickDownColor: chartColors.down,
    borderVisible: false,
    priceLineStyle: LineStyle.Dotted,
  });
  candles.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.22 } });
  const avwap = chart.addSeries(LineSeries, {
    color: chartColors.avwap,
    lineWidth: 2,
    lastValueVisible: false,
    priceLineVisible: false,
    crosshairMarkerVisible: false,
  });
  const segment = chart.addSeries(LineSeries, {
    lineWidth: 2,
    lineStyle: LineStyle.Dashed,
    lastValueVisible: false,
    priceLineVisible: false,
    crosshairMarkerVisible: false,
  });
  return { chart, candles, volume, avwap, segment, markers: createSeriesMarkers(candles, []) };
}

function drawAll({ chart, candles, volume, avwap }: CandleChartParts, next: Candle[], view: 'newest' | 'all'): void {
  const priceFormat = priceFormatFor(next.at(-1)?.close ?? 1);
  candles.applyOptions({ priceFormat });
  avwap.applyOptions({ priceFormat });
  candles.setData(next.map(toChartCandle));
  volume.setData(next.map(toVolumeBar));
  chart.priceScale('right').setAutoScale(true);
  if (view === 'all') {
    chart.timeScale().applyOptions({ minBarSpacing: 0.1, lockVisibleTimeRangeOnResize: true });
    chart.timeScale().fitContent();
  } else if (next.length > 0) chart.timeScale().setVisibleLogicalRange({ from: next.length - 150, to: next.length + 4 });
}

function drawNewest({ candles, volume }: CandleChartParts, newest: Candle[]): void {
  for (const candle of newest) {
    candles.update(toChartCandle(candle));
    volume.update(toVolumeBar(candle));
  }
}
