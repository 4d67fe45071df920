import { formatRatio } from '../ui/ratio.ts';
import type { Monitoring } from './use-monitoring.ts';

/** Win rate, number of closed trades and strategy in one line; empty while they are not known. */
export function MetricsLine({ metrics, strategy }: Pick<Monitoring, 'metrics' | 'strategy'>) {
  return <p className="mon-metrics fl-number">{metrics === undefined ? '' : metricsText(metrics, strategy)}</p>;
}

/** See `MetricsLine`. */
export function metricsText(metrics: { win_rate: number; trade_count: number }, strategy: string | null): string {
  return `Win Rate: ${formatRatio(metrics.win_rate)} | Trades: ${metrics.trade_count} | Strategy: ${strategy ?? ''}`;
}
