import { memo, useMemo } from 'react';
import { chartHeight } from '../chart/chart-style.ts';
import { pnlRangeSpans, pnlWindow } from '../chart/pnl-window.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { formatPnl, quoteOf } from '../ui/money.ts';
import { formatMoment } from '../ui/moment.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { withStart } from './pnl-points.ts';
import type { Monitoring } from './use-monitoring.ts';

const blank = <div style={{ minHeight: chartHeight }} />;
const PnlLineChart = onDemand(() => import('../chart/pnl-chart.tsx').then((module) => module.PnlChart), blank);

/** See `PnlLine`. */
export type PnlLineProps = Pick<Monitoring, 'selectedBotId' | 'selectedPair' | 'pnlData' | 'pnlStart' | 'pnlRange'>;

/** Profit and loss of the selected pair over the chosen range, from 0 at its beginning. Its title is not that of the panel the switch 'PnL' shows and hides. */
export const PnlLine = memo(function PnlLine({ selectedBotId, selectedPair, pnlData, pnlStart, pnlRange }: PnlLineProps) {
  const seen = useMemo(() => {
    const newest = pnlData?.at(-1);
    return newest === undefined ? undefined : pnlWindow(withStart(pnlData ?? [], pnlStart), pnlRange, newest.time);
  }, [pnlData, pnlStart, pnlRange]);
  const { words } = pnlRangeSpans[pnlRange];
  const aside =
    seen === undefined || selectedPair === null ? (
      `${pnlRange}, ${words}`
    ) : (
      <span className="fl-number" title="net of fees and funding">
        {pnlRange}, {words}: {formatPnl(seen.change, quoteOf(selectedPair))}
        {seen.knownSince === null ? null : `, known since ${formatMoment(seen.knownSince)}`}
      </span>
    );
  return (
    <div className="chart-panel">
      <CardPanel title="Profit and Loss" aside={aside} flush>
        {selectedBotId === null || selectedPair === null ? (
          <EmptyState text="Select a bot and trading pair to view PNL data" minHeight={chartHeight} />
        ) : pnlData === undefined ? (
          blank
        ) : seen === undefined ? (
          <EmptyState text="No PNL data available" minHeight={chartHeight} />
        ) : (
          <PnlLineChart key={`${selectedBotId} ${selectedPair} ${pnlRange}`} label={`PnL chart of ${selectedPair}`} points={seen.points} />
        )}
      </CardPanel>
    </div>
  );
});
