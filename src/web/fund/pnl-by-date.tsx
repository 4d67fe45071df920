import { useMemo, useState } from 'react';
import { chartHeight } from '../chart/chart-style.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import type { FundOverview } from './overview.ts';
import { chartPoints } from './overview.ts';

const PnlChart = onDemand(
  () => import('../chart/pnl-chart.tsx').then((module) => module.PnlChart),
  <div style={{ minHeight: chartHeight }} />,
);

const kinds = [
  { value: 'day', label: 'each day' },
  { value: 'sum', label: 'sum of all days' },
] as const;

/** What live trades brought on each UTC day of the last year, or the sum of it. */
export function PnlByDate({ history }: { history: FundOverview['pnl_history'] }) {
  const [kind, setKind] = useState<(typeof kinds)[number]['value']>('day');
  const points = useMemo(() => chartPoints(history, kind === 'sum'), [history, kind]);
  const broken = (
    <div role="alert">
      <EmptyState text="Chart Error" hint="The figures beside it are not affected." minHeight={chartHeight} />
    </div>
  );
  return (
    <CardPanel
      title="PnL by Date"
      flush
      aside={
        <>
          <span>realized, UTC days</span>
          <SelectBox className="fund-kind" label="What the chart shows" hideLabel options={kinds} value={kind} onChange={setKind} />
        </>
      }
    >
      {points.length === 0 ? (
        <EmptyState text="No PNL data available" minHeight={chartHeight} />
      ) : (
        <ErrorBoundary instead={broken}>
          <PnlChart label={`Chart of PnL by date, ${kind === 'day' ? 'each day' : 'sum of all days'}`} points={points} />
        </ErrorBoundary>
      )}
    </CardPanel>
  );
}
