import { useMemo } from 'react';
import { chartHeight } from '../chart/chart-style.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { decimalsOf, formatPnl } from '../ui/money.ts';
import { onDemand } from '../ui/on-demand.tsx';
import type { Ledger } from './ledgers.ts';
import type { ProfitRange } from './profit-range.ts';
import { utcDay } from './profit-range.ts';
import { runningTotal } from './running-total.ts';

const PnlChart = onDemand(
  () => import('../chart/pnl-chart.tsx').then((module) => module.PnlChart),
  <div style={{ minHeight: chartHeight }} />,
);

/** The running total of a range, from 0 when it begins. */
export function RunningLine({ ledger, range, now }: { ledger: Ledger; range: ProfitRange; now: number }) {
  const { days, currency, figures } = ledger;
  const points = useMemo(() => runningTotal(days, range, now), [days, range, now]);
  const [first] = points;
  const broken = (
    <div role="alert">
      <EmptyState text="Chart Error" hint="The figures beside it are not affected." minHeight={chartHeight} />
    </div>
  );
  return (
    <CardPanel
      title="Running Total"
      flush
      aside={
        first === undefined ? undefined : (
          <span className="fl-number">
            change {formatPnl(Number(figures.profit), currency)} since {utcDay(first.time)}
          </span>
        )
      }
    >
      {points.length === 0 ? (
        <EmptyState text="No trade was closed in this range" minHeight={chartHeight} />
      ) : (
        <ErrorBoundary instead={broken}>
          <PnlChart label="Running total of the range" points={points} decimals={decimalsOf(currency)} />
        </ErrorBoundary>
      )}
    </CardPanel>
  );
}
