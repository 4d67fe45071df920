import type { SeriesMarker, UTCTimestamp } from 'lightweight-charts';
import type { Candle, Overlays } from './chart-data.ts';
import { placeOf, toSeconds } from './chart-data.ts';
import { chartColors } from './chart-style.ts';

/** A trade as the chart draws it. */
export type ChartTrade = Overlays['trades'][number];

/** A line from one point of the chart to another; `from` and `to` are places of candles, which may be out of sight. */
export interface TradeSegment {
  tradeId: string;
  color: string;
  isOpen: boolean; // drawn dashed, to the price of now
  from: { place: number; price: number };
  to: { place: number; price: number };
}

/** The two ends of a trade that have a mark. */
export type MarkedEnd = 'entry' | 'exit';

/**
 * The marks of trades, each at the candle in which it happened: an arrow up below the bar for a long entry, an arrow down above
 * the bar for a short one, a circle for a stop, a square in the colour of its result for another exit. What lies before the
 * first candle is left out. The id of a mark names its end and its trade.
 */
export function toMarkers(candles: readonly Candle[], { trades, stops }: Overlays): SeriesMarker<UTCTimestamp>[] {
  const markers: SeriesMarker<UTCTimestamp>[] = [];
  const add = (timestamp: number, shape: MarkShape, id: string | undefined) => {
    const candle = candles[placeOf(candles, timestamp)];
    if (candle !== undefined) markers.push({ time: toSeconds(candle.timestamp), ...shape, ...(id === undefined ? {} : { id }) });
  };
  // One whose entry has bought nothing yet has a price of null, and may never be entered.
  for (const trade of trades) if (trade.entry_price !== null) add(trade.timestamp, entryMarks[trade.direction], markId('entry', trade));
  for (const { timestamp } of stops) {
    const trade = trades.find((each) => each.exit_timestamp === timestamp);
    add(timestamp, { ...exitPlace(trade), shape: 'circle', color: chartColors.stop, size: 0.8 }, trade && markId('exit', trade));
  }
  const stopTimes = new Set(stops.map(({ timestamp }) => timestamp));
  for (const trade of trades) {
    const { exit_timestamp: exitTime = null, pnl = null } = trade;
    if (exitTime === null || stopTimes.has(exitTime)) continue;
    const color = pnl !== null && pnl < 0 ? chartColors.down : chartColors.up;
    add(exitTime, { ...exitPlace(trade), shape: 'square', color, size: 0.7 }, markId('exit', trade));
  }
  return markers.sort((a, b) => a.time - b.time);
}

type MarkShape = Pick<SeriesMarker<UTCTimestamp>, 'shape' | 'color' | 'size'> & Place;
type Place = { position: 'belowBar' | 'aboveBar' | 'inBar' } | { position: 'atPriceMiddle'; price: number };

const entryMarks = {
  long: { position: 'belowBar', shape: 'arrowUp', color: chartColors.long },
  short: { position: 'aboveBar', shape: 'arrowDown', color: chartColors.short },
} as const;

/** An exit is marked at its price where that is known. */
function exitPlace(trade: ChartTrade | undefined): Place {
  const price = trade?.exit_price ?? null;
  return price === null ? { position: 'inBar' } : { position: 'atPriceMiddle', price };
}

function markId(end: MarkedEnd, { trade_id: id }: ChartTrade): string | undefined {
  return id === undefined ? undefined : `${end} ${id}`;
}

/** The end and the trade that the id of a mark names; null for what is not a mark of a trade. */
export function markOf(id: unknown, trades: readonly ChartTrade[]): { end: MarkedEnd; trade: ChartTrade } | null {
  if (typeof id !== 'string') return null;
  const [end, tradeId] = id.split(' ');
  const trade = trades.find((each) => each.trade_id === tradeId);
  return trade === undefined || (end !== 'entry' && end !== 'exit') ? null : { end, trade };
}

/** Each trade as a line from its entry to its exit, in the colour of its direction; an open one to the newest candle. */
export function toSegments(candles: readonly Candle[], trades: readonly ChartTrade[]): TradeSegment[] {
  const newest = candles.at(-1);
  if (newest === undefined) return [];
  return trades.flatMap((trade) => {
    const { trade_id: tradeId, entry_price: entry = null, exit_timestamp: exitTime = null, exit_price: exit = null } = trade;
    const isOpen = trade.status === 'open';
    if (tradeId === undefined || entry === null || (!isOpen && (exitTime === null || exit === null))) return [];
    const to = isOpen ? { place: candles.length - 1, price: newest.close } : { place: placeOf(candles, exitTime ?? 0), price: exit ?? 0 };
    if (to.place === -1) return [];
    return [
      { tradeId, isOpen, color: chartColors[trade.direction], from: { place: entryPlace(candles, trade.timestamp), price: entry }, to },
    ];
  });
}

/** The place of an entry, negative and as far to the left as it is away in time when it lies before the first candle. */
function entryPlace(candles: readonly Candle[], time: number): number {
  const place = placeOf(candles, time);
  const [first, second] = candles;
  if (place !== -1 || first === undefined || second === undefined) return Math.max(0, place);
  return -Math.ceil((first.timestamp - time) / (second.timestamp - first.timestamp));
}

/** The part of the chart to look at for a trade, in candles: the trade with room on both sides. */
export function viewOf(candles: readonly Candle[], trade: ChartTrade): { from: number; to: number } {
  const from = entryPlace(candles, trade.timestamp);
  const exitTime = trade.exit_timestamp ?? null;
  const to = exitTime === null ? candles.length - 1 : Math.max(from, placeOf(candles, exitTime));
  const room = Math.max(30, (to - from) * 0.75);
  return { from: from - room, to: to + room };
}
