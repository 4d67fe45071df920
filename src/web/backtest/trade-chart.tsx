import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { chartColors } from '../chart/chart-style.ts';
import type { CandleChartParts } from '../chart/chart-parts.ts';
import { LateCandleChart } from '../chart/late-candle-chart.tsx';
import type { LegendMark } from '../chart/legend.tsx';
import { Legend } from '../chart/legend.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import type { BacktestDetails } from './run-list.ts';
import { segmentOf, tradeMarkers, viewOf } from './trade-markers.ts';

const marks: readonly LegendMark[] = [
  ['▲', 'Long', chartColors.long],
  ['▼', 'Short', chartColors.short],
  ['■', 'Exit at a gain', chartColors.up],
  ['■', 'Exit at a loss', chartColors.down],
  ['●', 'Stop', chartColors.stop],
];

/** See `TradeChart`. */
export interface TradeChartProps {
  symbol: string;
  details: BacktestDetails;
  chosen: number | null; // the place of the chosen trade
  onChoose: (place: number) => void;
}

/** The candles of a run with its trades. The chosen trade is brought into view; a click on a mark chooses its trade. */
export function TradeChart({ symbol, details, chosen, onChoose }: TradeChartProps) {
  const [parts, setParts] = useState<CandleChartParts | null>(null);
  const host = useRef<HTMLDivElement>(null);
  const byClick = useRef(false);
  const markers = useMemo(() => tradeMarkers(details.candles, details.trades), [details]);
  const segment = useMemo(() => {
    const trade = chosen === null ? undefined : details.trades[chosen];
    return trade === undefined ? null : segmentOf(details.candles, trade);
  }, [details, chosen]);
  const keep = useCallback((made: CandleChartParts) => setParts(made), []);

  useEffect(() => {
    if (parts === null) return undefined;
    const choose = ({ hoveredInfo }: { hoveredInfo?: { objectId?: unknown } }) => {
      if (typeof hoveredInfo?.objectId !== 'string') return;
      byClick.current = true;
      onChoose(Number(hoveredInfo.objectId));
    };
    parts.chart.subscribeClick(choose);
    return () => parts.chart.unsubscribeClick(choose);
  }, [parts, onChoose]);

  useEffect(() => {
    const trade = chosen === null ? undefined : details.trades[chosen];
    if (parts === null || trade === undefined) return;
    if (!byClick.current) {
      parts.chart.timeScale().setVisibleLogicalRange(viewOf(details.candles, trade));
      host.current?.closest('.fl-panel')?.scrollIntoView({ block: 'nearest' });
    }
    byClick.current = false;
  }, [parts, chosen, details]);

  return (
    <CardPanel title="Trade Chart" aside={<Legend marks={marks} timeframe={details.candle_timeframe} />} flush>
      <div ref={host}>
        <LateCandleChart
          label={`Candle chart of ${symbol} with the trades of the run`}
          candles={details.candles}
          markers={markers}
          segment={segment}
          view="all"
          onReady={keep}
        />
      </div>
    </CardPanel>
  );
}
