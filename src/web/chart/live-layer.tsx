import { useEffect, useState } from 'react';
import { placeOf } from './chart-data.ts';
import { quoteOf } from '../ui/money.ts';
import { EdgeLevels } from './edge-levels.tsx';
import type { CandleChartParts } from './chart-parts.ts';
import type { LiveLayerProps } from './live-chart.ts';
import { MarkCard } from './mark-card.tsx';
import { Readout } from './readout.tsx';
import { viewOf } from './trade-marks.ts';
import { useIndicators } from './use-indicators.ts';
import { useLevels } from './use-levels.ts';
import { useStopDrag } from './use-stop-drag.ts';

const movements = ['pointerdown', 'wheel', 'touchmove'] as const;

/** How many candles before the first one is in sight older ones are asked for. */
const reach = 20;

/** Levels, indicators, readout, cards, and the way back to the newest candle. */
export function LiveLayer(props: LiveLayerProps) {
  const { parts, candles, overlays, stopPrice, openedTradeId, indicators, onNeedOlder } = props;
  useLevels(parts, overlays.trades, stopPrice, candles.at(-1)?.close ?? null);
  useStopDrag(parts, props.stopPrice ?? overlays.trades.find(({ status }) => status === 'open')?.stop_price ?? null, props.onDropStop);
  useIndicators(parts, indicators, candles);
  const isAway = useIsAway(parts, candles.length);

  // Older candles are for a reader who has moved the chart; a market with few candles is not asked for more by itself.
  useEffect(() => {
    const scale = parts.chart.timeScale();
    const host = parts.chart.chartElement();
    let hasMoved = false;
    const move = () => {
      hasMoved = true;
    };
    const check = (range: { from: number } | null) => {
      if (hasMoved && range !== null && range.from < reach) onNeedOlder();
    };
    for (const event of movements) host.addEventListener(event, move, { passive: true });
    scale.subscribeVisibleLogicalRangeChange(check);
    return () => {
      for (const event of movements) host.removeEventListener(event, move);
      scale.unsubscribeVisibleLogicalRangeChange(check);
    };
  }, [parts, onNeedOlder]);

  // Opening a trade brings it into view, once its candles are there; what changes in it later does not.
  const opened = overlays.trades.find((each) => each.trade_id === openedTradeId);
  const isThere = opened !== undefined && placeOf(candles, opened.timestamp) !== -1;
  useEffect(() => {
    if (opened !== undefined) parts.chart.timeScale().setVisibleLogicalRange(viewOf(candles, opened));
    // oxlint-disable-next-line react/exhaustive-deps
  }, [parts, openedTradeId, isThere]);

  return (
    <>
      <Readout {...props} />
      <MarkCard {...props} />
      <EdgeLevels
        parts={parts}
        trades={overlays.trades}
        stopPrice={stopPrice}
        price={candles.at(-1)?.close ?? null}
        quote={quoteOf(props.symbol)}
        priceTick={props.priceTick}
      />
      {isAway ? (
        <button type="button" className="chart-latest" onClick={() => showLatest(parts, candles.length)}>
          Latest <span aria-hidden>»</span>
        </button>
      ) : null}
    </>
  );
}

/** Moves the newest candle into sight at the zoom that is set. */
function showLatest({ chart }: CandleChartParts, count: number): void {
  const range = chart.timeScale().getVisibleLogicalRange();
  const width = range === null ? 154 : range.to - range.from;
  chart.timeScale().setVisibleLogicalRange({ from: count + 4 - width, to: count + 4 });
}

/** Whether the newest candle is out of sight. */
function useIsAway(parts: CandleChartParts, count: number): boolean {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    const scale = parts.chart.timeScale();
    const onRange = (range: { to: number } | null) => setAway(range !== null && range.to < count - 1);
    onRange(scale.getVisibleLogicalRange());
    scale.subscribeVisibleLogicalRangeChange(onRange);
    return () => scale.unsubscribeVisibleLogicalRangeChange(onRange);
  }, [parts, count]);
  return isAway;
}
