import type { Connection } from '../api/connection.ts';
import { pricesLateAfterMs } from '../live/price-age.ts';
import type { LiveStatus } from '../live/live-key.ts';
import { livePollMs } from '../live/use-live-status.ts';
import { formatDuration } from '../ui/moment.ts';

/** What the header says about the connection. Of several faults the worst is shown. */
export interface ConnectionState {
  kind: 'connected' | 'late' | 'lost';
  word: string;
  detail: string; // the age of what is shown
}

/** Answers may be late by three polls before it is said. */
export const lateAfterMs = 3 * livePollMs;

/** The state of the connection at `now`; null before the first answer. */
export function connectionState(connection: Connection, live: LiveStatus | undefined, now: number): ConnectionState | null {
  const { answeredAt, failingSince, failure } = connection;
  if (failingSince !== null) {
    const word = failure === 'no-answer' ? 'No connection' : 'Server error';
    return { kind: 'lost', word, detail: answeredAt === null ? 'no data yet' : dataAge(now - answeredAt) };
  }
  if (answeredAt === null) return null;
  const age = now - answeredAt;
  if (age > lateAfterMs) return { kind: 'late', word: 'Late', detail: dataAge(age) };
  const priceAge = live === undefined ? null : ageOfPrices(live);
  if (priceAge !== null && priceAge + age > pricesLateAfterMs) {
    return { kind: 'late', word: 'Late', detail: `prices ${formatDuration(priceAge + age)} old` };
  }
  return { kind: 'connected', word: 'Connected', detail: dataAge(age) };
}

/** The age of the newest price any active bot has seen, by the server's clock; null when no active bot has seen one. */
function ageOfPrices({ time, bots }: LiveStatus): number | null {
  const ticks = bots.flatMap(({ status, last_tick_at: at }) => (status === 'active' && at !== null ? [Date.parse(at)] : []));
  return ticks.length === 0 ? null : Math.max(0, Date.parse(time) - Math.max(...ticks));
}

function dataAge(ms: number): string {
  return `data ${formatDuration(ms)} old`;
}
