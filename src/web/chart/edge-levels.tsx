import { useEffect, useState } from 'react';
import { formatPrice } from '../ui/money.ts';
import type { CandleChartParts } from './chart-parts.ts';
import { toLevels } from './trade-lines.ts';
import type { ChartTrade } from './trade-marks.ts';

/** See `EdgeLevels`. */
export interface EdgeLevelsProps {
  parts: CandleChartParts;
  trades: readonly ChartTrade[];
  stopPrice: number | null;
  price: number | null; // now
  quote: string;
  priceTick: number | null;
}

interface Edge {
  text: string;
  color: string;
  side: 'top' | 'bottom';
}

/** Stop and target of the open trade that lie beyond what the price scale shows, named at the edge behind which they are. */
export function EdgeLevels({ parts, trades, stopPrice, price, quote, priceTick }: EdgeLevelsProps) {
  const [edges, setEdges] = useState<readonly Edge[]>([]);
  useEffect(() => {
    let frame = 0;
    // The scale is known once the chart has been drawn.
    const measure = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        const levels = price === null ? [] : toLevels(trades, stopPrice, price).filter(({ name }) => name !== 'entry');
        const { height } = parts.chart.paneSize();
        const next = levels.flatMap(({ price: at, color, title }): Edge[] => {
          const y = parts.candles.priceToCoordinate(at);
          if (y === null || (y >= 0 && y <= height)) return [];
          return [{ text: `${title}, ${formatPrice(at, quote, priceTick)}`, color, side: y < 0 ? 'top' : 'bottom' }];
        });
        setEdges((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
      });
    };
    measure();
    const scale = parts.chart.timeScale();
    scale.subscribeVisibleLogicalRangeChange(measure);
    return () => {
      cancelAnimationFrame(frame);
      scale.unsubscribeVisibleLogicalRangeChange(measure);
    };
  }, [parts, trades, stopPrice, price, quote, priceTick]);
  return edges.map(({ text, color, side }) => (
    <p key={text} className={`chart-edge chart-edge-${side} fl-number`} style={{ borderColor: color, color }}>
      <span aria-hidden>{side === 'top' ? '↑' : '↓'}</span> {text}
    </p>
  ));
}
