import { ActionIcon, Checkbox } from '@mantine/core';
import { IconRotateClockwise } from '@tabler/icons-react';
import { useMediaQuery } from '@mantine/hooks';
import { useMemo } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { formatPnl, settleOf, toneOf } from '../ui/money.ts';
import { formatMoment } from '../ui/moment.ts';
import { formatRatio } from '../ui/ratio.ts';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import type { Choice } from './backtest-form.ts';
import { formOfRun, periodLabel } from './backtest-form.ts';
import { comparedMax, fillIn, formStore, showRun, toggleCompared, useComparedIds } from './backtest-store.ts';
import type { BacktestRun } from './run-list.ts';
import { isWhole, strategyText } from './run-list.ts';
import type { Backtests } from './use-backtests.ts';
import { runFailed } from './use-backtests.ts';

const unknown = '—';

const columnsFor = (exchanges: readonly Choice[], isNarrow: boolean): readonly DataColumn<BacktestRun>[] => [
  {
    key: 'when',
    title: 'When (UTC)',
    value: (run) => Date.parse(run.created_at),
    show: (run) => <When run={run} isNarrow={isNarrow} />,
    width: isNarrow ? 210 : 122,
  },
  { key: 'compare', title: 'Compare', value: () => null, sortable: false, show: (run) => <Compare run={run} />, width: 66 },
  {
    key: 'again',
    title: 'Again',
    value: () => null,
    sortable: false,
    show: (run) => <RunAgain run={run} exchanges={exchanges} />,
    width: 52,
  },
  { key: 'status', title: 'Status', value: (run) => run.status, show: (run) => <Status run={run} />, width: 112 },
  { key: 'strategy', title: 'Strategy', value: (run) => run.strategy_name, show: (run) => <Cut text={strategyText(run)} />, width: 150 },
  { key: 'symbol', title: 'Symbol', value: (run) => run.symbol, show: (run) => <Cut text={run.symbol} />, width: 120 },
  { key: 'exchange', title: 'Exchange', value: (run) => run.exchange, show: (run) => <Cut text={run.exchange} />, width: 70 },
  { key: 'timeframe', title: 'Timeframe', value: (run) => run.timeframe, width: 78 },
  { key: 'days', title: 'Period', value: (run) => run.days, show: (run) => periodLabel(run.days), width: 66 },
  {
    key: 'pnl',
    title: 'Net PnL',
    value: (run) => run.metrics?.net_pnl ?? null,
    show: (run) => (run.metrics === null ? unknown : <Profit run={run} pnl={run.metrics.net_pnl} />),
    numeric: true,
    width: 82,
  },
  {
    key: 'win_rate',
    title: 'Win Rate',
    value: (run) => run.metrics?.win_rate ?? null,
    show: ({ metrics }) => (metrics === null ? unknown : formatRatio(metrics.win_rate)),
    numeric: true,
    width: 72,
  },
];

/** See `RunTable`. */
export type RunTableProps = Pick<Backtests, 'runs' | 'runsFailed' | 'reloadRuns' | 'exchanges'> & {
  shownId: string | null;
};

/** The earlier runs: choose one to see it, tick two or more to compare them. */
export function RunTable({ runs, runsFailed, reloadRuns, exchanges, shownId }: RunTableProps) {
  const comparedIds = useComparedIds();
  const isNarrow = useMediaQuery('(max-width: 40em)', false, { getInitialValueInEffect: false });
  const columns = useMemo(() => columnsFor(exchanges ?? [], isNarrow), [exchanges, isNarrow]);
  const hint = hintFor(comparedIds.length);
  return (
    <CardPanel title="Earlier Runs" aside={<span>{hint}</span>} flush>
      {runsFailed ? (
        <div className="bt-failed">
          <Banner tone="error" text="Failed to load the earlier runs" />
          <Button variant="secondary" onClick={reloadRuns}>
            Try Again
          </Button>
        </div>
      ) : runs === undefined ? (
        <RowsSkeleton rows={8} />
      ) : runs.length === 0 ? (
        <EmptyState text="There are no backtests yet." hint="Each run is kept here with its result." minHeight={240} />
      ) : (
        <DataTable
          label="Earlier Runs"
          columns={columns}
          rows={runs}
          rowKey={(run) => run.id}
          maxHeight={348}
          onSelect={(run) => showRun(run.id)}
          selectedKey={shownId}
        />
      )}
    </CardPanel>
  );
}

/** What the head of the table says while runs are ticked, by their number. */
function hintFor(ticked: number): string {
  if (ticked === 0) return 'Newest 50';
  if (ticked === 1) return 'Tick a second run to compare';
  return ticked === comparedMax ? `Comparing ${ticked}, the most there can be` : `Comparing ${ticked}; up to ${comparedMax} can be ticked`;
}

/** When a run was started. On a phone, where the other columns are out of sight, also what it was of and what it came to. */
function When({ run, isNarrow }: { run: BacktestRun; isNarrow: boolean }) {
  const when = formatMoment(run.created_at).slice(0, 16);
  if (!isNarrow) return when;
  return (
    <>
      {when}
      <span className="bt-second">{`${strategyText(run)}, ${run.symbol.split(':')[0]}`}</span>
      <span className="bt-second">
        {`${run.timeframe}, ${periodLabel(run.days)}`}
        {run.metrics === null ? null : (
          <>
            {' '}
            <Profit run={run} pnl={run.metrics.net_pnl} />
          </>
        )}
      </span>
    </>
  );
}

function Profit({ run, pnl }: { run: BacktestRun; pnl: number }) {
  const currency = settleOf(run.symbol);
  return <span className={`fl-${toneOf(pnl, currency)}`}>{formatPnl(pnl, currency)}</span>;
}

function Compare({ run }: { run: BacktestRun }) {
  const compared = useComparedIds();
  const isCompared = compared.includes(run.id);
  const isFull = compared.length >= comparedMax && !isCompared;
  return (
    // a tick does not choose the row
    <span onClick={(event) => event.stopPropagation()}>
      <Checkbox
        aria-label={`Compare the run of ${formatMoment(run.created_at)}`}
        checked={isCompared}
        disabled={!isWhole(run) || isFull}
        {...(isFull ? { title: `${comparedMax} runs are compared at most: take one out first` } : {})}
        onChange={() => toggleCompared(run.id)}
      />
    </span>
  );
}

/** Fills the form with what a run was started with, and shows it. */
export function fillInLike(run: BacktestRun, exchanges: readonly Choice[]): void {
  fillIn(formOfRun(run, exchanges, formStore.getState().form));
  document.querySelector('.bt-form')?.scrollIntoView({ block: 'nearest' });
}

/** Fills the form with what this run was started with. */
function RunAgain({ run, exchanges }: { run: BacktestRun; exchanges: readonly Choice[] }) {
  const whose = run.bot === null ? '' : `, but of its strategy and not of ${run.bot.nickname}`;
  return (
    // filling the form does not choose the row
    <span onClick={(event) => event.stopPropagation()}>
      <ActionIcon
        variant="subtle"
        size="sm"
        title={run.bot === null ? 'Run again' : `Run again with the settings of its strategy, not of ${run.bot.nickname}`}
        aria-label={`Run again with the settings of ${formatMoment(run.created_at)}${whose}`}
        onClick={() => fillInLike(run, exchanges)}
      >
        <IconRotateClockwise size={15} aria-hidden />
      </ActionIcon>
    </span>
  );
}

function Status({ run: { status, progress, error, is_cancelled: isCancelled } }: { run: BacktestRun }) {
  const isOpen = status === 'downloading' || status === 'running';
  if (isCancelled) {
    return (
      <span className="bt-state bt-state-cancelled">
        <span aria-hidden>⊘</span> cancelled
      </span>
    );
  }
  return (
    <span className={`bt-state bt-state-${status}`} {...(status === 'failed' ? { title: error ?? runFailed } : {})}>
      <span aria-hidden>{marks[status]}</span> {status}
      {status === 'failed' ? `: ${error ?? runFailed}` : null}
      {isOpen ? <span className="fl-number"> {Math.round(progress * 100)}%</span> : null}
    </span>
  );
}

const marks = { downloading: '↓', running: '▸', done: '✓', failed: '✕' } as const;

function Cut({ text }: { text: string }) {
  return (
    <span className="bt-cut" title={text}>
      {text}
    </span>
  );
}
