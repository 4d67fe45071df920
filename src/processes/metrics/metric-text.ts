/** A figure of this process with what it means, and a value for each set of labels. Labels never name a person, a bot or a secret. */
export interface Metric {
  name: string; // 'flotilla_bots'; a counter ends in _total, a time in _seconds
  help: string;
  type: 'counter' | 'gauge';
  samples: readonly Sample[];
}

/** A value of a metric. */
export interface Sample {
  value: number;
  labels?: Readonly<Record<string, string>>;
}

/** A metric of one value. */
export function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', samples: [{ value }] };
}

/**
 * Metrics in the text format of Prometheus, version 0.0.4.
 *
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function metricText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) =>
      [
        `# HELP ${name} ${escaped(help)}`,
        `# TYPE ${name} ${type}`,
        ...samples.map((sample) => `${name}${labelText(sample)} ${sample.value}`),
        '',
      ].join('\n'),
    )
    .join('');
}

function labelText({ labels = {} }: Sample): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
