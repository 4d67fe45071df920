import { metricsText } from './metrics-text.ts';
import type { Monitoring } from './use-monitoring.ts';

/** The figures of the selected pair in one line; empty while they are not known. */
export function MetricsLine({ metrics, strategy }: Pick<Monitoring, 'metrics'> & { strategy: string | null }) {
  return <p className="mon-metrics fl-number">{metrics === undefined ? '' : metricsText(metrics, strategy)}</p>;
}
