import type { CallReply } from '#contract/client.ts';
import type { CandlestickData, HistogramData, LineData, UTCTimestamp } from 'lightweight-charts';
import { priceDecimals } from '../ui/money.ts';
import { chartColors } from './chart-style.ts';

/** A candle as the server sends it; time in ms. */
export type Candle = CallReply<'chartCandles'>['candles'][number];

/** What is drawn over the candles. */
export type Overlays = CallReply<'chartOverlays'>;

/** Candles the chart takes: finite, strictly ascending in time; of two with the same time the later one. */
export function cleanCandles(candles: readonly Candle[]): Candle[] {
  const isFinite = ({ timestamp, open, high, low, close }: Candle) => [timestamp, open, high, low, close].every(Number.isFinite);
  return ascending(candles.filter(isFinite), (candle) => candle.timestamp);
}

/** A candle in the chart's shape. */
export function toChartCandle({ timestamp, open, high, low, close }: Candle): CandlestickData<UTCTimestamp> {
  return { time: toSeconds(timestamp), open, high, low, close };
}

/** A candle's volume in the chart's shape, in the candle's colour. */
export function toVolumeBar({ timestamp, open, close, volume }: Candle): HistogramData<UTCTimestamp> {
  return { time: toSeconds(timestamp), value: volume, color: `${close >= open ? chartColors.up : chartColors.down}55` };
}

/**
 * What brings a chart from one list of candles to the next.
 *
 * The server sends the newest candles again and again; as long as the ones already drawn are still the same, only the last
 * one and those after it are drawn, so that the reader's zoom stays. Null means: draw all.
 */
export function newestCandles(drawn: readonly Candle[], next: readonly Candle[]): Candle[] | null {
  const last = drawn.at(-1);
  const first = next[0];
  if (last === undefined || first === undefined) return null;
  const start = drawn.findIndex((candle) => candle.timestamp === first.timestamp);
  const end = next.findIndex((candle) => candle.timestamp === last.timestamp);
  if (start === -1 || end === -1 || drawn.length - 1 - start !== end) return null;
  for (let i = 0; i < end; i += 1) {
    if (!isSameCandle(drawn[start + i], next[i])) return null;
  }
  return next.slice(end);
}

/** Points of a line the chart takes: finite, strictly ascending in seconds. Time in ms. */
export function toLine(points: readonly { time: number; value: number }[]): LineData<UTCTimestamp>[] {
  const finite = points.filter(({ time, value }) => Number.isFinite(time) && Number.isFinite(value));
  return ascending(finite, ({ time }) => toSeconds(time)).map(({ time, value }) => ({ time: toSeconds(time), value }));
}

/**
 * Evenly spaced times in ms, whole seconds, from the first to the last of the points of all curves. A chart draws points at
 * equal distances, whatever their times; curves that are drawn at these times have a true time axis. The end of each curve
 * is one of them, so that no curve loses its last point.
 */
export function evenTimes(curves: readonly (readonly { time: number }[])[], count = 1500): number[] {
  const ends = curves.flatMap((points) => [points[0]?.time ?? [], points.at(-1)?.time ?? []].flat());
  if (ends.length === 0) return [];
  const from = Math.floor(Math.min(...ends) / 1000);
  const to = Math.ceil(Math.max(...ends) / 1000);
  const step = Math.max(1, Math.ceil((to - from) / count));
  const times = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => (from + i * step) * 1000);
  const lastOnes = curves.flatMap((points) => points.at(-1)?.time ?? []).map((time) => Math.ceil(time / 1000) * 1000);
  return [...new Set([...times, ...lastOnes])].sort((a, b) => a - b);
}

/** A curve that keeps its value until the next point, at the given times; nothing before it begins and after it ends. */
export function curveAt(points: readonly { time: number; value: number }[], times: readonly number[]): { time: number; value: number }[] {
  const last = points.at(-1);
  const drawn: { time: number; value: number }[] = [];
  let at = -1;
  for (const time of times) {
    while ((points[at + 1]?.time ?? Number.POSITIVE_INFINITY) < time + 1000) at += 1;
    const value = points[at]?.value;
    if (value !== undefined && last !== undefined && time < last.time + 1000) drawn.push({ time, value });
  }
  return drawn;
}

/** How finely the price scale writes prices near `price`: as the market's step has it, see `formatPrice`. */
export function priceFormatFor(price: number, tick: number | null = null): { type: 'price'; precision: number; minMove: number } {
  const precision = priceDecimals(price, tick);
  return { type: 'price', precision, minMove: 10 ** -precision };
}

/** The place of the candle in which a moment lies, -1 before the first. */
export function placeOf(candles: readonly Candle[], time: number): number {
  let low = 0;
  let high = candles.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((candles[middle]?.timestamp ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A time of the chart, in seconds, from ms. */
export function toSeconds(ms: number): UTCTimestamp {
  return Math.floor(ms / 1000) as UTCTimestamp;
}

function isSameCandle(a: Candle | undefined, b: Candle | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.timestamp === b.timestamp &&
    a.open === b.open &&
    a.high === b.high &&
    a.low === b.low &&
    a.close === b.close
  );
}

function ascending<T>(items: readonly T[], time: (item: T) => number): T[] {
  const byTime = new Map(items.map((item) => [time(item), item]));
  return [...byTime.entries()].sort(([a], [b]) => a - b).map(([, item]) => item);
}
