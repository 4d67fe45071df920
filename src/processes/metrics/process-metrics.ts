import { secondMs } from '#engine/market/durations.ts';
import type { LoopDelay } from './loop-delay.ts';
import type { Metric } from './metric-text.ts';
import { gauge } from './metric-text.ts';

/** What every process says of itself. */
export function processMetrics(role: string, loop: LoopDelay): Metric[] {
  return [
    { name: 'flotilla_process_info', help: 'The role of this process.', type: 'gauge', samples: [{ value: 1, labels: { role } }] },
    gauge('flotilla_process_start_time_seconds', 'When this process was started, since 1970.', performance.timeOrigin / secondMs),
    gauge('flotilla_loop_delay_seconds', 'The longest delay of the event loop since the last reading.', loop.takeLongestMs() / secondMs),
    gauge('flotilla_memory_bytes', 'Memory this process holds.', process.memoryUsage.rss()),
  ];
}
