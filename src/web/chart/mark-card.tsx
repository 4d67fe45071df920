import type { MouseEventParams } from 'lightweight-charts';
import { useEffect, useState } from 'react';
import { exitWords, tagWords } from '../ui/exit-words.ts';
import { formatPnl, formatPrice, quoteOf, toneOf } from '../ui/money.ts';
import { formatMoment } from '../ui/moment.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { LiveLayerProps } from './live-chart.ts';
import type { ChartTrade, MarkedEnd } from './trade-marks.ts';
import { markOf } from './trade-marks.ts';

/** A mark that is pointed at, with the point of the chart. */
interface PointedMark {
  end: MarkedEnd;
  trade: ChartTrade;
  x: number;
  y: number;
}

const cardWidth = 220;

/** What a mark stands for, beside it while it is pointed at. A click or tap on it opens its trade and keeps the card. */
export function MarkCard({ parts, overlays, symbol, priceTick, onOpenTrade }: LiveLayerProps) {
  const [pointed, setPointed] = useState<PointedMark | null>(null);
  const { trades } = overlays;
  useEffect(() => {
    const markAt = ({ hoveredInfo, point }: MouseEventParams): PointedMark | null => {
      const mark = markOf(hoveredInfo?.objectId, trades);
      return mark === null || point === undefined ? null : { ...mark, x: point.x, y: point.y };
    };
    const follow = (event: MouseEventParams) => setPointed(markAt(event));
    const open = (event: MouseEventParams) => {
      const mark = markAt(event);
      setPointed(mark);
      if (mark?.trade.trade_id !== undefined) onOpenTrade(mark.trade.trade_id);
    };
    parts.chart.subscribeCrosshairMove(follow);
    parts.chart.subscribeClick(open);
    return () => {
      parts.chart.unsubscribeCrosshairMove(follow);
      parts.chart.unsubscribeClick(open);
    };
  }, [parts, trades, onOpenTrade]);

  if (pointed === null) return null;
  const { end, trade, x, y } = pointed;
  const width = parts.chart.paneSize().width;
  const left = Math.max(4, x + 14 + cardWidth > width ? x - 14 - cardWidth : x + 14);
  const quote = quoteOf(symbol);
  const write = (price: number | null | undefined) =>
    price === null || price === undefined ? 'N/A' : formatPrice(price, quote, priceTick);
  const isEntry = end === 'entry';
  const pnl = trade.pnl ?? null;
  return (
    <div className="chart-card fl-number" role="status" style={{ left, top: Math.max(4, y - 20), width: cardWidth }}>
      <strong>
        {isEntry ? `Entry ${trade.direction}` : `Exit ${trade.direction}`} {write(isEntry ? trade.entry_price : trade.exit_price)}
      </strong>
      <span>{formatMoment(isEntry ? trade.timestamp : (trade.exit_timestamp ?? trade.timestamp))} UTC</span>
      {pnl === null ? null : (
        <span>
          PnL <span className={`fl-${toneOf(pnl, quote)}`}>{formatPnl(pnl, quote)}</span>
          {trade.pnl_ratio === null || trade.pnl_ratio === undefined
            ? ''
            : ` (${trade.pnl_ratio < 0 ? '' : '+'}${formatRatio(trade.pnl_ratio, 2)})`}
        </span>
      )}
      <span>
        {isEntry
          ? `Signal: ${trade.entry_tag ? tagWords(trade.entry_tag) : 'no tag'}`
          : `Reason: ${trade.exit_reason ? exitWords(trade.exit_reason) : 'unknown'}`}
      </span>
    </div>
  );
}
