import { useMemo } from 'react';
import { dayChartHeight } from '../chart/chart-style.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import type { CertificateFigures } from './use-certificate.ts';

const ShareChart = onDemand(
  () => import('../chart/share-chart.tsx').then((module) => module.ShareChart),
  <div style={{ minHeight: dayChartHeight }} />,
);

/** How much of the promise arrived, day by day; a day on which nothing was promised has no share. */
export function ShareLine({ certificates }: { certificates: readonly CertificateFigures[] }) {
  const points = useMemo(
    () =>
      certificates
        .flatMap(({ day, share }) => (share === null ? [] : [{ time: Date.parse(`${day}T00:00:00Z`), share }]))
        .toSorted((a, b) => a.time - b.time),
    [certificates],
  );
  const without = certificates.filter(({ share, promised }) => promised !== null && share === null).length;
  const broken = (
    <div role="alert">
      <EmptyState text="Chart Error" hint="The figures above are not affected." minHeight={dayChartHeight} />
    </div>
  );
  return (
    <CardPanel
      title="Share of the Promise That Arrived"
      flush
      aside={`${points.length} ${points.length === 1 ? 'day' : 'days'}${without === 0 ? '' : `; ${without} without a promise`}`}
    >
      {points.length < 2 ? (
        <EmptyState
          text="The line begins with the second day on which something was promised"
          hint="Each night adds a day, five minutes after it has ended."
          minHeight={dayChartHeight}
        />
      ) : (
        <ErrorBoundary instead={broken}>
          <ShareChart label="Share of the promise that arrived, day by day" points={points} />
        </ErrorBoundary>
      )}
    </CardPanel>
  );
}
