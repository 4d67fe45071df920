import type { SeriesMarker, UTCTimestamp } from 'lightweight-charts';
import { placeOf } from '../chart/chart-data.ts';
import { chartColors } from '../chart/chart-style.ts';
import type { BacktestDetails } from './run-list.ts';

/** A trade of a backtest. */
export type BacktestTrade = BacktestDetails['trades'][number];

type Candles = BacktestDetails['candles'];

/** The part of the chart to look at for a trade, in candles: the trade with room on both sides. */
export function viewOf(candles: Candles, trade: BacktestTrade): { from: number; to: number } {
  const from = placeOf(candles, trade.timestamp);
  const to = placeOf(candles, trade.exit_timestamp);
  const room = Math.max(30, (to - from) * 0.75);
  return { from: from - room, to: to + room };
}

/** A trade as a line from its entry to its exit, in the colour of its result. */
export function segmentOf(candles: Candles, trade: BacktestTrade): { color: string; points: { time: number; value: number }[] } {
  const point = (time: number, value: number) => ({ time: candles[placeOf(candles, time)]?.timestamp ?? Number.NaN, value });
  return {
    color: trade.pnl < 0 ? chartColors.down : chartColors.up,
    points: [point(trade.timestamp, trade.entry_price), point(trade.exit_timestamp, trade.exit_price)],
  };
}

/** Whether a trade ended by a stop. */
export function isStop({ exit_reason: reason }: Pick<BacktestTrade, 'exit_reason'>): boolean {
  return reason.includes('stop');
}

/**
 * The marks of the trades: an arrow at each entry, in its direction; a circle at each stop, a square at each other exit, in
 * the colour of its result. Of several alike on one candle one is drawn, with their number. The id of a mark is the place of
 * its first trade.
 */
export function tradeMarkers(candles: Candles, trades: readonly BacktestTrade[]): SeriesMarker<UTCTimestamp>[] {
  const marks = new Map<string, { candle: number; kind: Kind; trades: number[]; pnl: number }>();
  const add = (time: number, kind: Kind, trade: number, pnl: number) => {
    const candle = placeOf(candles, time);
    if (candle === -1) return;
    const key = `${candle} ${kind}`;
    const mark = marks.get(key) ?? { candle, kind, trades: [], pnl: 0 };
    mark.trades.push(trade);
    mark.pnl += pnl;
    marks.set(key, mark);
  };
  for (const [place, trade] of trades.entries()) {
    add(trade.timestamp, trade.direction, place, 0);
    add(trade.exit_timestamp, `${trade.direction} ${isStop(trade) ? 'stop' : 'exit'}`, place, trade.pnl);
  }
  return [...marks.values()]
    .sort((a, b) => a.candle - b.candle)
    .map(({ candle, kind, trades: places, pnl }) => ({
      time: Math.floor((candles[candle]?.timestamp ?? 0) / 1000) as UTCTimestamp,
      id: String(places[0]),
      ...looks[kind],
      color: kind.endsWith('exit') ? (pnl < 0 ? chartColors.down : chartColors.up) : looks[kind].color,
      ...(places.length > 1 ? { text: String(places.length) } : {}),
    }));
}

type Kind = BacktestTrade['direction'] | `${BacktestTrade['direction']} ${'stop' | 'exit'}`;

const looks = {
  long: { position: 'belowBar', shape: 'arrowUp', color: chartColors.long, size: 1 },
  short: { position: 'aboveBar', shape: 'arrowDown', color: chartColors.short, size: 1 },
  'long exit': { position: 'aboveBar', shape: 'square', color: chartColors.up, size: 0.7 },
  'short exit': { position: 'belowBar', shape: 'square', color: chartColors.up, size: 0.7 },
  'long stop': { position: 'aboveBar', shape: 'circle', color: chartColors.stop, size: 0.8 },
  'short stop': { position: 'belowBar', shape: 'circle', color: chartColors.stop, size: 0.8 },
} as const;
