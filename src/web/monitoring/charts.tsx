import { lazy, memo, Suspense } from 'react';
import { chartColors, chartHeight } from '../chart/chart-look.ts';
import type { LegendMark } from '../chart/legend.tsx';
import { Legend } from '../chart/legend.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { Monitoring } from './use-monitoring.ts';

const CandleChart = lazy(() => import('../chart/candle-chart.tsx').then((module) => ({ default: module.CandleChart })));
const PnlLineChart = lazy(() => import('../chart/pnl-chart.tsx').then((module) => ({ default: module.PnlChart })));

const marks: readonly LegendMark[] = [
  ['▲', 'Long', chartColors.long],
  ['▼', 'Short', chartColors.short],
  ['●', 'Stop', chartColors.stop],
  ['━', 'AVWAP', chartColors.avwap],
];

const blank = <div style={{ minHeight: chartHeight }} />;

/** The candles of the selected pair with what the bot did there. */
export function TradeChart({ bots, selectedBotId, selectedPair, candles, overlays, timeframe, dark }: Monitoring) {
  const isSelected = selectedBotId !== null && selectedPair !== null;
  return (
    <CardPanel title="Trade Chart" aside={isSelected ? <Legend marks={marks} timeframe={timeframe} /> : undefined} flush>
      {!isSelected ? (
        <EmptyState
          text="Select a bot and trading pair to view chart"
          minHeight={chartHeight}
          {...(bots?.length === 0 ? { hint: 'There are no bots to watch yet' } : {})}
        />
      ) : candles === undefined ? (
        blank
      ) : (
        <Suspense fallback={blank}>
          <CandleChart
            key={`${selectedBotId} ${selectedPair}`}
            label={`Candle chart of ${selectedPair}`}
            candles={candles}
            overlays={overlays}
            theme={dark ? 'dark' : 'light'}
          />
        </Suspense>
      )}
    </CardPanel>
  );
}

/** See `PnlLine`. */
export type PnlLineProps = Pick<Monitoring, 'selectedBotId' | 'selectedPair' | 'pnlData' | 'pnlRange' | 'dark'>;

/** Profit and loss of the selected pair over the chosen range. */
export const PnlLine = memo(function PnlLine({ selectedBotId, selectedPair, pnlData, pnlRange, dark }: PnlLineProps) {
  return (
    <CardPanel title="PnL" flush>
      {selectedBotId === null || selectedPair === null ? (
        <EmptyState text="Select a bot and trading pair to view PNL data" minHeight={chartHeight} />
      ) : pnlData === undefined ? (
        blank
      ) : pnlData.length === 0 ? (
        <EmptyState text="No PNL data available" minHeight={chartHeight} />
      ) : (
        <Suspense fallback={blank}>
          <PnlLineChart
            key={`${selectedBotId} ${selectedPair} ${pnlRange}`}
            label={`PnL chart of ${selectedPair}`}
            points={pnlData}
            theme={dark ? 'dark' : 'light'}
          />
        </Suspense>
      )}
    </CardPanel>
  );
});
