import type { IChartApi, ISeriesApi, ISeriesMarkersPluginApi, Time } from 'lightweight-charts';
import { CandlestickSeries, createChart, createSeriesMarkers, HistogramSeries, LineSeries, LineStyle } from 'lightweight-charts';
import { useEffect, useRef } from 'react';
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
  markers: ISeriesMarkersPluginApi<Time>;
}

/** See `CandleChart`. */
export interface CandleChartProps {
  label: string; // names the chart for screen readers
  candles: readonly Candle[];
  overlays: Overlays | undefined;
  theme: Theme;
  onReady?: (parts: CandleChartParts) => void;
}

const noOverlays: Overlays = { trades: [], stops: [], avwap: [] };

/** Candles with volume, entries, stops and the average anchored VWAP. New candles do not move the reader's view. */
export function CandleChart({ label, candles, overlays = noOverlays, theme, onReady }: CandleChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const parts = useRef<CandleChartParts | null>(null);
  const drawn = useRef<Candle[]>([]);

  useEffect(() => {
    if (host.current === null) return undefined;
    const made = createParts(host.current, theme);
    parts.current = made;
    drawn.current = [];
    onReady?.(made);
    return () => {
      parts.current = null;
      made.chart.remove();
    };
    // The chart is made once; its look follows below.
  }, [onReady]);

  useEffect(() => parts.current?.chart.applyOptions(chartOptions(theme)), [theme]);

  useEffect(() => {
    if (parts.current === null) return;
    const next = cleanCandles(candles);
    const newest = newestCandles(drawn.current, next);
    if (newest === null) drawAll(parts.current, next);
    else drawNewest(parts.current, newest);
    drawn.current = next;
  }, [candles, onReady]);

  useEffect(() => {
    parts.current?.avwap.setData(toLine(overlays.avwap.map(({ timestamp, value }) => ({ time: timestamp, value }))));
    parts.current?.markers.setMarkers(toMarkers(cleanCandles(candles), overlays));
  }, [candles, overlays, onReady]);

  return (
    <figure className="chart" aria-label={label}>
      <div ref={host} className="chart-host" style={{ height: chartHeight }} />
    </figure>
  );
}

function createParts(host: HTMLElement, theme: Theme): CandleChartParts {
  const chart = createChart(host, { ...chartOptions(theme), autoSize: true });
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
  return { chart, candles, volume, avwap, markers: createSeriesMarkers(candles, []) };
}

function drawAll({ chart, candles, volume, avwap }: CandleChartParts, next: Candle[]): void {
  const priceFormat = priceFormatFor(next.at(-1)?.close ?? 1);
  candles.applyOptions({ priceFormat });
  avwap.applyOptions({ priceFormat });
  candles.setData(next.map(toChartCandle));
  volume.setData(next.map(toVolumeBar));
  chart.priceScale('right').setAutoScale(true);
  if (next.length > 0) chart.timeScale().setVisibleLogicalRange({ from: next.length - 150, to: next.length + 4 });
}

function drawNewest({ candles, volume }: CandleChartParts, newest: Candle[]): void {
  for (const candle of newest) {
    candles.update(toChartCandle(candle));
    volume.update(toVolumeBar(candle));
  }
}
