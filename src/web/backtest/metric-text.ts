import { minuteMs } from '#engine/market/durations.ts';
import { formatMoney, formatPnl } from '../ui/money.ts';
import { formatDuration } from '../ui/moment.ts';
import { formatRatio, notAvailable } from '../ui/ratio.ts';
import type { BacktestDetails } from './run-list.ts';

/** A metric of a run. */
export type Metric = BacktestDetails['metric_sets'][number]['metrics'][number];

/** A metric of a run in a currency as it is read: two decimals, a win rate has one; 'N/A' for what cannot be worked out. */
export function metricText({ name, value, unit }: Pick<Metric, 'name' | 'value' | 'unit'>, currency: string): string {
  if (value === null) return notAvailable;
  if (unit === 'money') return formatMoney(value, currency);
  if (unit === 'ratio') return formatRatio(value, isWinRate(name) ? 1 : 2);
  if (unit === 'minutes') return formatDuration(value * minuteMs);
  return unit === 'count' ? String(Math.round(value)) : `${plain(value)}${unit === 'days' ? ' d' : ''}`;
}

/** A value of a run, and the currency of that run. */
export interface OfRun {
  value: number | null;
  currency: string;
}

/**
 * What the second value has more than the first, with its sign; 'N/A' for amounts of two currencies. A difference of ratios is in
 * percentage points.
 */
export function differenceText({ name, unit }: Pick<Metric, 'name' | 'unit'>, first: OfRun, second: OfRun): string {
  if (first.value === null || second.value === null) return notAvailable;
  const difference = second.value - first.value;
  if (unit === 'money') return first.currency === second.currency ? formatPnl(difference, first.currency) : notAvailable;
  const sign = difference < 0 ? '-' : '+';
  const size = Math.abs(difference);
  if (unit === 'ratio') return `${sign}${(size * 100).toFixed(isWinRate(name) ? 1 : 2)} pp`;
  return `${sign}${metricText({ name, value: size, unit }, first.currency)}`;
}

/** A metric of the compared runs. */
export interface ComparedMetric {
  name: string;
  unit: Metric['unit'];
  meaning: string;
  values: readonly (number | null)[]; // of each run
}

/** The metrics of runs beside each other, set by set, in the order of the first run. */
export function compareMetrics(runs: readonly BacktestDetails[]): { name: string; metrics: ComparedMetric[] }[] {
  return (runs[0]?.metric_sets ?? []).map((set) => ({
    name: set.name,
    metrics: set.metrics.map(({ name, unit, meaning }) => ({
      name,
      unit,
      meaning,
      values: runs.map((run) => valueOf(run, set.name, name)),
    })),
  }));
}

function valueOf({ metric_sets: sets }: BacktestDetails, set: string, metric: string): number | null {
  return sets.find(({ name }) => name === set)?.metrics.find(({ name }) => name === metric)?.value ?? null;
}

/** A curve as percent gained or lost of the stake capital, which is the stake times the trades that may be open. */
export function asPercent(
  points: readonly { time: number; value: number }[],
  { stake_amount: stake, max_open_trades: trades }: { stake_amount: number; max_open_trades: number },
): { time: number; value: number }[] {
  const start = points[0]?.value ?? 0;
  return points.map(({ time, value }) => ({ time, value: ((value - start) / (stake * trades)) * 100 }));
}

/** A curve as gained or lost since its start. */
export function asGain(points: readonly { time: number; value: number }[]): { time: number; value: number }[] {
  const start = points[0]?.value ?? 0;
  return points.map(({ time, value }) => ({ time, value: value - start }));
}

function isWinRate(name: string): boolean {
  return name.toLowerCase() === 'win rate';
}

/** Two decimals; a value so small that they would hide it has two digits that say something. */
function plain(value: number): string {
  const size = Math.abs(value);
  if (size >= 0.01 || size === 0) return (Object.is(value, -0) ? 0 : value).toFixed(2);
  return size < 1e-4 ? value.toExponential(1) : value.toPrecision(2);
}
