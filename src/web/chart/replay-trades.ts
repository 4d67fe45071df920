import type { SeriesMarker, UTCTimestamp } from 'lightweight-charts';
import type { Candle } from './chart-data.ts';
import { placeOf, toSeconds } from './chart-data.ts';
import { chartColors } from './chart-style.ts';
import type { TradeSegment } from './trade-marks.ts';

/** A trade of a replay; `kind` is what it is against another replay of the same candles. */
export interface DrawnTrade {
  id: string;
  kind: 'same' | 'changed' | 'added' | 'removed' | 'real'; // real: how one that is drawn besides has really ended
  direction: 'long' | 'short';
  openTime: number; // ms
  closeTime: number;
  entryPrice: number;
  exitPrice: number;
  profit: number;
  isStop: boolean; // it was left by a stop
}

/** What a change adds stands out, what it removes steps back. */
export const differenceColors = { added: '#5c87ff', removed: '#8d94a7' } as const;

/** The marks of the trades: an arrow at each entry, a circle for a stop, a square in the colour of the result for another exit. */
export function replayMarkers(candles: readonly Candle[], trades: readonly DrawnTrade[]): SeriesMarker<UTCTimestamp>[] {
  const markers = trades.flatMap((trade): SeriesMarker<UTCTimestamp>[] => {
    if (trade.kind === 'real') return [];
    const [entry, exit] = [candles[placeOf(candles, trade.openTime)], candles[placeOf(candles, trade.closeTime)]];
    if (entry === undefined || exit === undefined) return [];
    const isLong = trade.direction === 'long';
    const color = trade.kind === 'added' || trade.kind === 'removed' ? differenceColors[trade.kind] : chartColors[trade.direction];
    const sign = trade.kind === 'added' ? { text: '+' } : trade.kind === 'removed' ? { text: '−' } : {};
    return [
      {
        time: toSeconds(entry.timestamp),
        position: isLong ? 'belowBar' : 'aboveBar',
        shape: isLong ? 'arrowUp' : 'arrowDown',
        color,
        ...sign,
      },
      {
        time: toSeconds(exit.timestamp),
        position: 'atPriceMiddle',
        price: trade.exitPrice,
        shape: trade.isStop ? 'circle' : 'square',
        color: exitColor(trade),
        size: 0.7,
      },
    ];
  });
  return markers.sort((a, b) => a.time - b.time);
}

function exitColor({ kind, isStop, profit }: DrawnTrade): string {
  if (kind === 'removed') return differenceColors.removed;
  if (isStop) return chartColors.stop;
  return profit < 0 ? chartColors.down : chartColors.up;
}

/** The trades as lines from entry to exit; dotted where a change removes one, and where it really ended otherwise. */
export function replaySegments(candles: readonly Candle[], trades: readonly DrawnTrade[]): TradeSegment[] {
  return trades.flatMap((trade) => {
    const [from, to] = [placeOf(candles, trade.openTime), placeOf(candles, trade.closeTime)];
    if (from === -1 || to === -1) return [];
    const isBefore = trade.kind === 'removed' || trade.kind === 'real';
    const color = isBefore ? differenceColors.removed : trade.kind === 'added' ? differenceColors.added : chartColors[trade.direction];
    return [
      {
        tradeId: trade.id,
        color,
        isOpen: isBefore,
        from: { place: from, price: trade.entryPrice },
        to: { place: to, price: trade.exitPrice },
      },
    ];
  });
}

/** The part of the chart to look at for a trade, in places of candles: the trade with room on both sides. */
export function viewOfTrade(
  candles: readonly Candle[],
  { openTime, closeTime }: Pick<DrawnTrade, 'openTime' | 'closeTime'>,
): { from: number; to: number } {
  const [from, to] = [placeOf(candles, openTime), placeOf(candles, closeTime)];
  const room = Math.max(40, (to - from) * 0.75);
  return { from: from - room, to: to + room };
}
