import { CardPanel } from '../../ui/card-panel.tsx';
import type { DataColumn } from '../../ui/data-table.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FailedLoad } from '../../ui/failed-load.tsx';
import { formatMoment } from '../../ui/moment.ts';
import { formatPnl, quoteOf, toneOf } from '../../ui/money.ts';
import { RowsSkeleton } from '../../ui/skeleton.tsx';
import { showPortfolio } from './portfolio-store.ts';
import type { PortfolioRun, Portfolios } from './use-portfolios.ts';
import { isOpen } from './use-portfolios.ts';

const columns: readonly DataColumn<PortfolioRun>[] = [
  { key: 'what', title: 'What', value: whatOf, show: (run) => <What run={run} /> },
  { key: 'net', title: 'Net PnL', value: ({ metrics }) => metrics?.net_pnl ?? null, show: netOf, numeric: true },
];

function whatOf({ strategy_name: name, code_version: version, plan }: PortfolioRun): string {
  return `${name}${version === null ? '' : ` ${version}`}, ${plan.pairs.length} ${plan.pairs.length === 1 ? 'pair' : 'pairs'}`;
}

function What({ run }: { run: PortfolioRun }) {
  return (
    <>
      {whatOf(run)}
      <span className="bp-run-range fl-number">
        {run.plan.from} to {run.plan.to}
      </span>
      <span className="bp-run-range fl-number">run {formatMoment(run.created_at).slice(0, 16)} UTC</span>
    </>
  );
}

/** The runs of before, newest first; one is chosen by a click. */
export function RunRows({ portfolios: { runs, runsFailed, reload }, shownId }: { portfolios: Portfolios; shownId: string | null }) {
  return (
    <CardPanel title="Earlier Runs" aside={<span>newest 50</span>} flush>
      {runs === undefined ? (
        runsFailed ? (
          <FailedLoad text="Failed to load backtests" isLoading={false} onRetry={reload} />
        ) : (
          <RowsSkeleton rows={4} />
        )
      ) : runs.length === 0 ? (
        <EmptyState text="No portfolio backtests yet" hint="Choose pairs and a range, and run one." minHeight={120} />
      ) : (
        <DataTable
          label="Earlier Runs"
          columns={columns}
          rows={runs}
          rowKey={({ id }) => id}
          selectedKey={shownId}
          onSelect={({ id }) => showPortfolio(id)}
          maxHeight={320}
        />
      )}
    </CardPanel>
  );
}

function netOf(run: PortfolioRun) {
  if (isOpen(run)) return 'running';
  if (run.metrics === null) return run.is_cancelled ? 'cancelled' : 'failed';
  const currency = quoteOf(run.plan.pairs[0] ?? '');
  return <span className={`fl-${toneOf(run.metrics.net_pnl, currency)}`}>{formatPnl(run.metrics.net_pnl, currency)}</span>;
}
