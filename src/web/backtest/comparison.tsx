import { SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { chartHeight, comparedLines } from '../chart/chart-style.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { decimalsOf, settleOf } from '../ui/money.ts';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { formatMoment } from '../ui/moment.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { periodLabel } from './backtest-form.ts';
import { endComparison } from './backtest-store.ts';
import { capitalised, MetricName } from './metric-sets.tsx';
import type { ComparedMetric } from './metric-text.ts';
import { asGain, asPercent, compareMetrics, differenceText, metricText } from './metric-text.ts';
import type { BacktestRun } from './run-list.ts';
import { isWhole, strategyText } from './run-list.ts';
import { useRunsInFull } from './use-backtests.ts';

const EquityChart = onDemand(
  () => import('../chart/equity-chart.tsx').then((module) => module.EquityChart),
  <div style={{ minHeight: chartHeight }} />,
);

const none: NonNullable<BacktestRun['equity']> = [];

/** What compared runs are called, in the chart and in the table. */
const letters = ['A', 'B', 'C', 'D', 'E', 'F'] as const;

/** Runs beside each other: all curves in one chart, each metric with what it differs from that of the first. */
export function Comparison({ runs: chosen }: { runs: readonly BacktestRun[] }) {
  const runs = chosen.filter(isWhole);
  const removed = chosen.filter(({ details_removed_at: removedAt }) => removedAt !== null);
  return (
    <div className="bt-result" role="group" aria-label={`Comparison of ${runs.length} runs`}>
      {removed.length === 0 ? null : <WithoutDetails runs={removed} isAll={runs.length === 0} />}
      {runs.length === 0 ? null : (
        <>
          <Curves runs={runs} />
          <ComparedMetrics runs={runs} />
        </>
      )}
    </div>
  );
}

/** A link may name runs that have become old since: they are named, not drawn as empty curves. */
function WithoutDetails({ runs, isAll }: { runs: readonly BacktestRun[]; isAll: boolean }) {
  const names = runs.map((run) => `${strategyText(run)}, ${run.symbol}, run ${formatMoment(run.created_at).slice(0, 16)}`);
  return (
    <CardPanel title="Not Compared">
      <div className="bt-failed">
        <Banner
          tone="warning"
          text="The candles, trades and curves of these runs were removed because they are old."
          detail={names.join('; ')}
        />
        {isAll ? (
          <Button variant="secondary" onClick={endComparison}>
            End Comparison
          </Button>
        ) : null}
      </div>
    </CardPanel>
  );
}

type Unit = 'percent' | 'money';

function Curves({ runs }: { runs: readonly BacktestRun[] }) {
  const [chosen, setUnit] = useState<Unit>('percent');
  const currencies = new Set(runs.map(({ symbol }) => settleOf(symbol)));
  const [currency = 'USDT'] = currencies;
  // Amounts of two currencies have no scale in common.
  const unit = currencies.size === 1 ? chosen : 'percent';
  const curves = useMemo(() => runs.map((run) => curveOf(run, unit)), [runs, unit]);
  const others = useMemo(() => curves.slice(1), [curves]);
  return (
    <CardPanel
      title="Comparison"
      aside={
        <>
          <span>Gain since the start</span>
          <SegmentedControl
            size="xs"
            aria-label="Unit of the curves"
            value={unit}
            onChange={(value) => setUnit(value === 'money' ? 'money' : 'percent')}
            data={[
              { value: 'percent', label: '% of stake capital' },
              { value: 'money', label: currencies.size === 1 ? currency : 'Money', disabled: currencies.size > 1 },
            ]}
          />
          <Button variant="secondary" onClick={endComparison}>
            End Comparison
          </Button>
        </>
      }
      flush
    >
      <dl className="bt-legend fl-number">
        {runs.map((run, place) => (
          <Key key={run.id} place={place} run={run} />
        ))}
      </dl>
      <EquityChart
        label={`Equity curves of ${runs.length} runs`}
        first={curves[0] ?? none}
        others={others}
        unit={unit}
        decimals={decimalsOf(currency)}
      />
    </CardPanel>
  );
}

function curveOf(run: BacktestRun, unit: Unit) {
  return unit === 'percent' ? asPercent(run.equity ?? none, run) : asGain(run.equity ?? none);
}

function Key({ place, run }: { place: number; run: BacktestRun }) {
  return (
    <div>
      <dt>
        <span aria-hidden style={{ color: comparedLines[place]?.color }}>
          {comparedLines[place]?.mark}
        </span>{' '}
        {letters[place]}
      </dt>
      <dd>
        {strategyText(run)}, {run.symbol}, {run.timeframe}, {periodLabel(run.days)}, {run.exchange}, {run.stake_amount}{' '}
        {settleOf(run.symbol)} × {run.max_open_trades}, run {formatMoment(run.created_at)}
      </dd>
    </div>
  );
}

function ComparedMetrics({ runs }: { runs: readonly BacktestRun[] }) {
  const queries = useRunsInFull(runs);
  const details = queries.flatMap(({ data }) => data?.details ?? []);
  const sets = details.length === runs.length ? compareMetrics(details) : undefined;
  const retry = () => {
    for (const full of queries) if (full.isError) void full.refetch();
  };
  return (
    <CardPanel
      title="Metrics compared"
      aside={<span>{runs.length === 2 ? 'Difference: B minus A' : 'Below each figure: minus that of A'}; pp: percentage points</span>}
      flush
    >
      {sets !== undefined ? (
        <div className={runs.length === 2 ? 'bt-sets' : 'bt-sets bt-sets-wide'}>
          {[{ name: 'Summary', metrics: inShort(runs) }, ...sets].map((set) => (
            <SetTable key={set.name} {...set} currencies={runs.map(({ symbol }) => settleOf(symbol))} />
          ))}
        </div>
      ) : queries.some(({ isError }) => isError) ? (
        <div className="bt-failed">
          <Banner tone="error" text="Failed to load the details of the runs" />
          <Button variant="secondary" loading={queries.some(({ isFetching }) => isFetching)} onClick={retry}>
            Try Again
          </Button>
        </div>
      ) : (
        <RowsSkeleton rows={14} />
      )}
    </CardPanel>
  );
}

function SetTable({ name, metrics, currencies }: { name: string; metrics: readonly ComparedMetric[]; currencies: readonly string[] }) {
  const count = metrics[0]?.values.length ?? 0;
  const label = `Metrics compared, ${name}`;
  return (
    // Six runs are wider than a phone: the table is scrolled in its frame, by the keyboard too.
    <div className="bt-scroll" role="region" aria-label={`${label}, scrollable`} tabIndex={0}>
      <table className="bt-metrics fl-number" aria-label={label}>
        <caption>{capitalised(name)}</caption>
        <thead>
          <tr>
            <th scope="col">Metric</th>
            {letters.slice(0, count).map((letter) => (
              <th key={letter} scope="col">
                {letter}
              </th>
            ))}
            {count === 2 ? <th scope="col">Difference</th> : null}
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric) => (
            <tr key={metric.name}>
              <th scope="row">
                <MetricName name={metric.name} meaning={metric.meaning} />
              </th>
              <Values metric={metric} currencies={currencies} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The figure of each run; of two the difference in a column of its own, of more below each. */
function Values({ metric, currencies }: { metric: ComparedMetric; currencies: readonly string[] }) {
  const { name, unit, values } = metric;
  const ofRun = (place: number) => ({ value: values[place] ?? null, currency: currencies[place] ?? '' });
  const difference = (place: number) => differenceText(metric, ofRun(0), ofRun(place));
  return (
    <>
      {values.map((value, place) => (
        <td key={letters[place]}>
          {metricText({ name, unit, value }, ofRun(place).currency)}
          {values.length === 2 || place === 0 ? null : <span className="bt-second">{difference(place)}</span>}
        </td>
      ))}
      {values.length === 2 ? <td>{difference(1)}</td> : null}
    </>
  );
}

function inShort(runs: readonly BacktestRun[]): ComparedMetric[] {
  return [
    { name: 'Total Trades', unit: 'count', meaning: 'Closed trades.', values: runs.map(({ metrics }) => metrics?.total_trades ?? null) },
    {
      name: 'Win Rate',
      unit: 'ratio',
      meaning: 'Winning trades ÷ all trades.',
      values: runs.map(({ metrics }) => metrics?.win_rate ?? null),
    },
    {
      name: 'Net PnL',
      unit: 'money',
      meaning: 'Sum of all profits after fees and funding.',
      values: runs.map(({ metrics }) => metrics?.net_pnl ?? null),
    },
  ];
}
