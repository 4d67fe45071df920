import { SegmentedControl } from '@mantine/core';
import { lazy, Suspense, useMemo, useState } from 'react';
import { chartColors, chartHeight } from '../chart/chart-style.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { periodLabel } from './backtest-form.ts';
import { endComparison } from './backtest-store.ts';
import { capitalised, MetricName } from './metric-sets.tsx';
import type { MetricPair } from './metric-text.ts';
import { asGain, asPercent, differenceText, metricText, pairMetrics } from './metric-text.ts';
import type { BacktestRun } from './run-list.ts';
import { useRunInFull } from './use-backtests.ts';
import { formatMoment } from '../ui/moment.ts';

const EquityChart = lazy(() => import('../chart/equity-chart.tsx').then((module) => ({ default: module.EquityChart })));

const none: NonNullable<BacktestRun['equity']> = [];

/** Two runs beside each other: both curves in one chart, each metric with the difference. */
export function Comparison({ first, second }: { first: BacktestRun; second: BacktestRun }) {
  return (
    <div className="bt-result" role="group" aria-label="Comparison of two runs">
      <Curves first={first} second={second} />
      <PairedMetrics first={first} second={second} />
    </div>
  );
}

function Curves({ first, second }: { first: BacktestRun; second: BacktestRun }) {
  const [unit, setUnit] = useState<'percent' | 'money'>('percent');
  const a = useMemo(() => curveOf(first, unit), [first, unit]);
  const b = useMemo(() => curveOf(second, unit), [second, unit]);
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
              { value: 'money', label: 'USDT' },
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
        <Key mark="━" letter="A" color={chartColors.long} run={first} />
        <Key mark="╍" letter="B" color={chartColors.stop} run={second} />
      </dl>
      <Suspense fallback={<div style={{ minHeight: chartHeight }} />}>
        <EquityChart label="Equity curves of both runs" first={a} second={b} unit={unit} />
      </Suspense>
    </CardPanel>
  );
}

function curveOf(run: BacktestRun, unit: 'percent' | 'money') {
  return unit === 'percent' ? asPercent(run.equity ?? none, run) : asGain(run.equity ?? none);
}

function Key({ mark, letter, color, run }: { mark: string; letter: string; color: string; run: BacktestRun }) {
  return (
    <div>
      <dt>
        <span aria-hidden style={{ color }}>
          {mark}
        </span>{' '}
        {letter}
      </dt>
      <dd>
        {run.strategy_name}, {run.symbol}, {run.timeframe}, {periodLabel(run.days)}, {run.exchange}, {run.stake_amount} USDT ×{' '}
        {run.max_open_trades}, run {formatMoment(run.created_at)}
      </dd>
    </div>
  );
}

function PairedMetrics({ first, second }: { first: BacktestRun; second: BacktestRun }) {
  const a = useRunInFull(first);
  const b = useRunInFull(second);
  const sets = a.data === undefined || b.data === undefined ? undefined : pairMetrics(a.data.details, b.data.details);
  const hasFailed = a.isError || b.isError;
  const retry = () => {
    for (const full of [a, b]) if (full.isError) void full.refetch();
  };
  return (
    <CardPanel title="Metrics compared" aside={<span>Difference: B minus A; pp: percentage points</span>} flush>
      {sets !== undefined ? (
        <div className="bt-sets">
          {[{ name: 'Summary', metrics: inShort(first, second) }, ...sets].map((set) => (
            <PairTable key={set.name} {...set} />
          ))}
        </div>
      ) : hasFailed ? (
        <div className="bt-failed">
          <Banner tone="error" text="Failed to load the details of both runs" />
          <Button variant="secondary" loading={a.isFetching || b.isFetching} onClick={retry}>
            Try Again
          </Button>
        </div>
      ) : (
        <RowsSkeleton rows={14} />
      )}
    </CardPanel>
  );
}

function PairTable({ name, metrics }: { name: string; metrics: readonly MetricPair[] }) {
  return (
    <table className="bt-metrics fl-number" aria-label={`Metrics compared, ${name}`}>
      <caption>{capitalised(name)}</caption>
      <thead>
        <tr>
          <th scope="col">Metric</th>
          <th scope="col">A</th>
          <th scope="col">B</th>
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        {metrics.map((metric) => (
          <tr key={metric.name}>
            <th scope="row">
              <MetricName name={metric.name} meaning={metric.meaning} />
            </th>
            <td>{metricText({ ...metric, value: metric.first })}</td>
            <td>{metricText({ ...metric, value: metric.second })}</td>
            <td>{differenceText(metric)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function inShort({ metrics: a }: BacktestRun, { metrics: b }: BacktestRun): MetricPair[] {
  return [
    { name: 'Total Trades', unit: 'count', meaning: 'Closed trades.', first: a?.total_trades ?? null, second: b?.total_trades ?? null },
    {
      name: 'Win Rate',
      unit: 'ratio',
      meaning: 'Winning trades ÷ all trades.',
      first: a?.win_rate ?? null,
      second: b?.win_rate ?? null,
    },
    {
      name: 'Net PnL',
      unit: 'money',
      meaning: 'Sum of all profits after fees and funding.',
      first: a?.net_pnl ?? null,
      second: b?.net_pnl ?? null,
    },
  ];
}
