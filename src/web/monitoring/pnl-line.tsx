import { lazy, memo, Suspense } from 'react';
import { chartHeight } from '../chart/chart-style.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { Monitoring } from './use-monitoring.ts';

const PnlLineChart = lazy(() => import('../chart/pnl-chart.tsx').then((module) => ({ default: module.PnlChart })));

const blank = <div style={{ minHeight: chartHeight }} />;

/** See `PnlLine`. */
export type PnlLineProps = Pick<Monitoring, 'selectedBotId' | 'selectedPair' | 'pnlData' | 'pnlRange'>;

/** Profit and loss of the selected pair over the chosen range. Its title is not that of the panel the switch 'PnL' shows and hides. */
export const PnlLine = memo(function PnlLine({ selectedBotId, selectedPair, pnlData, pnlRange }: PnlLineProps) {
  return (
    <div className="chart-panel">
      <CardPanel title="Profit and Loss" aside={<span>{pnlRange}, net of fees and funding</span>} flush>
        {selectedBotId === null || selectedPair === null ? (
          <EmptyState text="Select a bot and trading pair to view PNL data" minHeight={chartHeight} />
        ) : pnlData === undefined ? (
          blank
        ) : pnlData.length === 0 ? (
          <EmptyState text="No PNL data available" minHeight={chartHeight} />
        ) : (
          <Suspense fallback={blank}>
            <PnlLineChart key={`${selectedBotId} ${selectedPair} ${pnlRange}`} label={`PnL chart of ${selectedPair}`} points={pnlData} />
          </Suspense>
        )}
      </CardPanel>
    </div>
  );
});
