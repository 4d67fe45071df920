import { chartColors, chartHeight } from '../chart/chart-style.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { decimalsOf, settleOf } from '../ui/money.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { periodLabel } from './backtest-form.ts';
import { ExitReasons } from './exit-reasons.tsx';
import { heldData } from '../api/outage.ts';
import { MetricSets } from './metric-sets.tsx';
import { Figures } from './result-figures.tsx';
import type { BacktestDetails, BacktestRun } from './run-list.ts';
import { type MakeBot, RunActions } from './run-actions.tsx';
import { RemovedRun } from './removed-run.tsx';
import { isOpen } from './run-list.ts';
import { settingsWords } from './settings-words.ts';
import { SignalCounts } from './signal-counts.tsx';
import { Trades } from './trades.tsx';
import { runFailed, useRunInFull } from './use-backtests.ts';

const curveHeight = chartHeight + 110; // with the drawdown

const EquityChart = onDemand(
  () => import('../chart/equity-chart.tsx').then((module) => module.EquityChart),
  <div style={{ minHeight: curveHeight }} />,
);
const none: BacktestDetails['drawdown'] = [];

/** How a run went: its figures and curve at once, the rest when it has come. */
export function RunResult({ run, onMakeBot }: { run: BacktestRun; onMakeBot: MakeBot }) {
  const full = useRunInFull(run);
  const title = `${run.strategy_name}, ${run.symbol}, ${run.timeframe}, ${periodLabel(run.days)}`;
  if (run.status === 'failed') {
    return (
      <CardPanel title={title}>
        <Banner tone={run.is_cancelled ? 'warning' : 'error'} text={run.error ?? runFailed} />
      </CardPanel>
    );
  }
  if (isOpen(run)) {
    return (
      <CardPanel title={title}>
        <EmptyState text="The result will appear here." hint="You may leave this page: the run continues on the server." minHeight={220} />
      </CardPanel>
    );
  }
  if (run.details_removed_at !== null) return <RemovedRun run={run} title={title} removedAt={run.details_removed_at} />;
  const held = heldData(full);
  const details = held?.details;
  return (
    <div className="bt-result" role="group" aria-label={`Result of ${title}`}>
      <Curve run={run} title={title} equity={run.equity ?? held?.equity ?? none} details={details} onMakeBot={onMakeBot} />
      {full.isError && details === undefined ? (
        <CardPanel title="Details">
          <div className="bt-failed">
            <Banner tone="error" text="Failed to load the details of this run" />
            <Button variant="secondary" loading={full.isFetching} onClick={() => void full.refetch()}>
              Try Again
            </Button>
          </div>
        </CardPanel>
      ) : details === undefined ? (
        <>
          <Waiting title="Trades" rows={20} />
          <Waiting title="Metrics" rows={12} />
        </>
      ) : (
        <>
          {details.notes.map((note) => (
            <Banner key={note} tone="warning" text={note} />
          ))}
          <Trades run={run} details={details} />
          <div className="bt-columns">
            <MetricSets sets={details.metric_sets} currency={settleOf(run.symbol)} />
            <div className="bt-result">
              {details.entries === null ? null : <SignalCounts entries={details.entries} />}
              <ExitReasons rows={details.exit_reasons} currency={settleOf(run.symbol)} />
            </div>
          </div>
        </>
      )}
    </div>
  );
}

interface CurveProps {
  run: BacktestRun;
  title: string;
  equity: NonNullable<BacktestRun['equity']>;
  details: BacktestDetails | undefined;
  onMakeBot: MakeBot;
}

function Curve({ run, title, equity, details, onMakeBot }: CurveProps) {
  const hold = details?.hold ?? none;
  const stopped = details?.entries?.stopped ?? null;
  return (
    <CardPanel
      title={title}
      aside={
        <>
          <span>{`Closed-trade equity and drawdown (${settleOf(run.symbol)})`}</span>
          {hold.length === 0 ? null : (
            <span>
              <span aria-hidden style={{ color: chartColors.hold }}>
                ━
              </span>{' '}
              Buy and hold
            </span>
          )}
        </>
      }
      flush
    >
      <Figures run={run} details={details} />
      {run.bot === null ? null : (
        <p className="bt-of-bot">
          Settings of bot <b>{run.bot.nickname}</b>: {settingsWords(run.bot)}
        </p>
      )}
      {run.metrics?.total_trades === 0 ? <NoTrades details={details} /> : null}
      {stopped === null ? null : (
        <div className="bt-finding">
          <Banner tone="warning" text={stopped} />
        </div>
      )}
      <EquityChart
        label={`Equity curve of ${title}`}
        first={equity}
        hold={hold}
        drawdown={details?.drawdown ?? none}
        unit="money"
        decimals={decimalsOf(settleOf(run.symbol))}
      />
      {details === undefined ? null : <RunActions run={run} details={details} onMakeBot={onMakeBot} />}
      <p className="bt-footer">{`Backtest over ${run.days} days on ${run.exchange}`}</p>
    </CardPanel>
  );
}

/** A run without trades is a finding: the gate that refused the signals is named. */
function NoTrades({ details }: { details: BacktestDetails | undefined }) {
  if (details === undefined) return null;
  // Of runs before signals were counted only the missing slots are known.
  const rejected = details.rejected_signals;
  const known = details.entries === null && rejected > 0 ? `${rejected} entry signals were rejected, because no slot was free.` : null;
  return (
    <div className="bt-finding">
      <Banner tone="warning" text={details.entries?.no_trades ?? 'No trades in this period.'} detail={known} />
    </div>
  );
}

function Waiting({ title, rows }: { title: string; rows: number }) {
  return (
    <CardPanel title={title} flush>
      <RowsSkeleton rows={rows} />
    </CardPanel>
  );
}
