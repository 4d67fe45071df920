import { Tooltip } from '@mantine/core';
import { CardPanel } from '../ui/card-panel.tsx';
import { metricText } from './metric-text.ts';
import type { BacktestDetails } from './run-list.ts';

/** The metrics of a run in a currency, set beside set: the same name may mean different things in them. */
export function MetricSets({ sets, currency }: { sets: BacktestDetails['metric_sets']; currency: string }) {
  return (
    <CardPanel title="Metrics" aside={<span>Hover a metric for its formula</span>} flush>
      <div className="bt-sets">
        {sets.map((set) => (
          <table key={set.name} className="bt-metrics fl-number" aria-label={`Metrics, ${set.name}`}>
            <caption>{capitalised(set.name)}</caption>
            <tbody>
              {set.metrics.map((metric) => (
                <tr key={metric.name}>
                  <th scope="row">
                    <MetricName name={metric.name} meaning={metric.meaning} />
                  </th>
                  <td>{metricText(metric, currency)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </div>
    </CardPanel>
  );
}

/** The name of a metric; hovered, focused or touched it shows its meaning. */
export function MetricName({ name, meaning }: { name: string; meaning: string }) {
  return (
    <Tooltip
      label={meaning}
      multiline
      w={280}
      withArrow
      position="top-start"
      events={{ hover: true, focus: true, touch: true }}
      transitionProps={{ duration: 0 }}
    >
      <button type="button" className="bt-metric-name">
        {name}
      </button>
    </Tooltip>
  );
}

/** With a capital first letter. */
export function capitalised(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
