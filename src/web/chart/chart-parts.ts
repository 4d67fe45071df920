import type { IChartApi, IPriceLine, ISeriesApi, ISeriesMarkersPluginApi, Time } from 'lightweight-charts';
import { CandlestickSeries, createChart, createSeriesMarkers, HistogramSeries, LineSeries, LineStyle } from 'lightweight-charts';
import type { Candle } from './chart-data.ts';
import { priceFormatFor, toChartCandle, toVolumeBar } from './chart-data.ts';
import { chartColors } from './chart-style.ts';
import { chartOptions } from './chart-theme.ts';
import { SegmentLayer } from './segment-layer.ts';

/** The parts of a drawn candle chart. */
export interface CandleChartParts {
  chart: IChartApi;
  candles: ISeriesApi<'Candlestick'>;
  volume: ISeriesApi<'Histogram'>;
  avwap: ISeriesApi<'Line'>; // from its second anchor on, or all of it
  avwapBefore: ISeriesApi<'Line'>;
  segment: ISeriesApi<'Line'>;
  segments: SegmentLayer;
  latest: IPriceLine; // the newest price, with the badge on the axis
  markers: ISeriesMarkersPluginApi<Time>;
}

/** What is seen at first. */
export type FirstView = 'newest' | 'all';

const noBadge = { lastValueVisible: false, priceLineVisible: false, crosshairMarkerVisible: false } as const;
/** A line beside the candles must not press them flat: the scale follows the candles alone. */
const unscaled = { autoscaleInfoProvider: () => null } as const;

/** Makes an empty chart in the element. */
export function createParts(host: HTMLElement): CandleChartParts {
  const chart = createChart(host, { autoSize: true, ...chartOptions() });
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  });
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
  // The library's own badge shows the last candle in sight; ours shows the newest, wherever the reader looks.
  const candles = chart.addSeries(CandlestickSeries, {
    upColor: chartColors.up,
    downColor: chartColors.down,
    wickUpColor: chartColors.up,
    wickDownColor: chartColors.down,
    borderVisible: false,
    lastValueVisible: false,
    priceLineVisible: false,
  });
  candles.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.22 } });
  const latest = candles.createPriceLine({
    price: 0,
    color: chartColors.up,
    lineWidth: 1,
    lineStyle: LineStyle.Dotted,
    axisLabelVisible: false,
    lineVisible: false,
  });
  const blue = { color: chartColors.avwap, lineWidth: 2, ...noBadge, ...unscaled } as const;
  const segments = new SegmentLayer();
  candles.attachPrimitive(segments);
  return {
    chart,
    candles,
    volume,
    avwapBefore: chart.addSeries(LineSeries, blue),
    avwap: chart.addSeries(LineSeries, blue),
    segment: chart.addSeries(LineSeries, { lineWidth: 2, lineStyle: LineStyle.Dashed, ...noBadge }),
    segments,
    latest,
    markers: createSeriesMarkers(candles, []),
  };
}

/** Draws all candles. The view of the reader stays where it is when `keepsView`, counted from the newest candle. */
export function drawAll(parts: CandleChartParts, next: Candle[], view: FirstView, keepsView: boolean): void {
  const { chart, candles, volume } = parts;
  candles.setData(next.map(toChartCandle));
  volume.setData(next.map(toVolumeBar));
  if (keepsView) return;
  chart.priceScale('right').setAutoScale(true);
  if (view === 'all') {
    chart.timeScale().applyOptions({ minBarSpacing: 0.1, lockVisibleTimeRangeOnResize: true });
    chart.timeScale().fitContent();
  } else if (next.length > 0) chart.timeScale().setVisibleLogicalRange({ from: next.length - 150, to: next.length + 4 });
}

/** Moves the last candle and adds newer ones. */
export function drawNewest({ candles, volume }: CandleChartParts, newest: readonly Candle[]): void {
  for (const candle of newest) {
    candles.update(toChartCandle(candle));
    volume.update(toVolumeBar(candle));
  }
}

/** Writes prices as finely as the market has them. */
export function applyPriceFormat({ candles, avwap, avwapBefore }: CandleChartParts, price: number, tick: number | null): void {
  const priceFormat = priceFormatFor(price, tick);
  for (const series of [candles, avwap, avwapBefore]) series.applyOptions({ priceFormat });
}

/** Sets the badge of the newest price. */
export function drawLatest({ latest }: CandleChartParts, newest: Candle | undefined): void {
  if (newest === undefined) latest.applyOptions({ axisLabelVisible: false, lineVisible: false });
  else {
    const color = newest.close >= newest.open ? chartColors.up : chartColors.down;
    latest.applyOptions({ price: newest.close, color, axisLabelVisible: true, lineVisible: true });
  }
}
