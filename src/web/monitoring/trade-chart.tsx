import { useCallback, useEffect, useMemo, useState } from 'react';
import { chartColors, chartHeight, largeChartHeight } from '../chart/chart-style.ts';
import { indicatorColor } from '../chart/indicator-lines.ts';
import type { LiveChart } from '../chart/live-chart.ts';
import { LateCandleChart } from '../chart/late-candle-chart.tsx';
import type { LegendMark } from '../chart/legend.tsx';
import { Legend } from '../chart/legend.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { ChartTools } from './chart-tools.tsx';
import { openTrade, useChartChoices, useOpenedTrade } from './chart-store.ts';
import { candlesMax } from './use-chart.ts';
import type { Monitoring } from './use-monitoring.ts';

const EnterByHand = onDemand(() => import('../by-hand/enter-by-hand.tsx').then((module) => module.EnterByHand));
const MoveDraggedStop = onDemand(() => import('../by-hand/move-dragged-stop.tsx').then((module) => module.MoveDraggedStop));

const DecisionStrip = onDemand(
  () => import('./decision-strip.tsx').then((module) => module.DecisionStrip),
  <div className="mon-decisions" />,
);

const marks: readonly LegendMark[] = [
  ['▲', 'Long', chartColors.long],
  ['▼', 'Short', chartColors.short],
  ['●', 'Stop', chartColors.stop],
  ['■', 'Exit', chartColors.up],
  ['━', 'AVWAP', chartColors.avwap],
];

const tooOld = 'The opened trade lies before the oldest candle. A longer timeframe reaches further back.';

const noIndicators: NonNullable<NonNullable<Monitoring['overlays']>['indicators']> = [];

/** The candles of the selected pair with what the bot did there. */
export function TradeChart(monitoring: Monitoring) {
  const { bots, bot, selectedBotId, selectedPair, candles, overlays, timeframe, stopPrice, priceTick, loadOlder } = monitoring;
  const openedTradeId = useOpenedTrade();
  const { isLarge, indicators: chosen, timeframe: chosenTimeframe } = useChartChoices();
  const isSelected = selectedBotId !== null && selectedPair !== null;
  const height = isLarge ? largeChartHeight : chartHeight;
  const known = overlays?.indicators ?? noIndicators;
  const indicators = useMemo(
    () => known.map((line, place) => ({ ...line, color: indicatorColor(place) })).filter(({ name }) => chosen.includes(name)),
    [known, chosen],
  );
  // A trade that is opened in the log may lie before the first candle: the older ones are loaded until they reach it.
  const openedAt = monitoring.metrics?.trades.find(({ trade_id: id }) => id !== undefined && id === openedTradeId)?.timestamp;
  const isBefore = openedAt !== undefined && candles !== undefined && Date.parse(openedAt) < (candles[0]?.timestamp ?? 0);
  useEffect(() => {
    if (isBefore) loadOlder();
  }, [isBefore, loadOlder]);
  const isTooOld = isBefore && candles.length >= candlesMax && !monitoring.isLoadingOlder;
  const mayTrade = bot?.may_change === true;
  const openTradeId = overlays?.trades.find(({ status }) => status === 'open')?.trade_id;
  const [asked, setAsked] = useState<{ kind: 'enter' } | { kind: 'stop'; tradeId: string; price: number } | null>(null);
  const dropStop = useCallback(
    (price: number) => {
      if (openTradeId !== undefined) setAsked({ kind: 'stop', tradeId: openTradeId, price });
    },
    [openTradeId],
  );
  const below = useCallback<NonNullable<LiveChart['below']>>(
    (parts, drawn) => <DecisionStrip botId={selectedBotId ?? ''} symbol={selectedPair ?? ''} parts={parts} candles={drawn} />,
    [selectedBotId, selectedPair],
  );
  const live = useMemo(
    () => ({
      onDropStop: mayTrade && openTradeId !== undefined ? dropStop : undefined,
      symbol: selectedPair ?? '',
      stopPrice,
      openedTradeId,
      onOpenTrade: openTrade,
      indicators,
      onNeedOlder: loadOlder,
      below: mayTrade ? below : undefined,
    }),
    [selectedPair, stopPrice, openedTradeId, indicators, loadOlder, mayTrade, openTradeId, dropStop, below],
  );
  return (
    <div className="chart-panel">
      <CardPanel title="Trade Chart" aside={isSelected ? <Legend marks={marks} timeframe={timeframe} /> : undefined} flush>
        {!isSelected ? (
          <EmptyState
            text="Select a bot and trading pair to view chart"
            minHeight={chartHeight}
            {...(bots?.length === 0 ? { hint: 'There are no bots to watch yet' } : {})}
          />
        ) : (
          <>
            <ChartTools
              timeframe={timeframe}
              names={known.map(({ name }) => name)}
              onEnter={mayTrade && bot.status === 'active' && openTradeId === undefined ? () => setAsked({ kind: 'enter' }) : null}
              notice={isTooOld ? tooOld : monitoring.isLoadingOlder ? 'Loading older candles ...' : null}
            />
            {candles === undefined ? (
              <div style={{ minHeight: height }} />
            ) : (
              <LateCandleChart
                key={`${selectedBotId} ${selectedPair} ${chosenTimeframe ?? ''}`}
                label={`Candle chart of ${selectedPair}`}
                candles={candles}
                overlays={overlays}
                height={height}
                priceTick={priceTick}
                live={live}
              />
            )}
          </>
        )}
      </CardPanel>
      {asked?.kind === 'enter' && selectedBotId !== null ? (
        <EnterByHand botId={selectedBotId} symbol={selectedPair ?? undefined} onDone={() => setAsked(null)} />
      ) : asked?.kind === 'stop' ? (
        <MoveDraggedStop tradeId={asked.tradeId} price={asked.price} onDone={() => setAsked(null)} />
      ) : null}
    </div>
  );
}
