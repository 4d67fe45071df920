import { formatDuration } from '../ui/moment.ts';

/** The time of day in UTC to the millisecond: '06:45:00.412'. Takes ISO 8601 text. */
export function preciseTime(moment: string): string {
  return new Date(moment).toISOString().slice(11, 23);
}

/** The time in UTC with its day: '2026-11-21 06:45:00.412'. */
export function preciseMoment(moment: string): string {
  return new Date(moment).toISOString().slice(0, 23).replace('T', ' ');
}

/** A length of time: '38 ms' below a second, '2.812 s' below a minute, then the two largest units, '3h 12m'. */
export function preciseDuration(ms: number): string {
  if (Math.abs(ms) < 1_000) return `${ms} ms`;
  if (Math.abs(ms) < 60_000) return `${(ms / 1_000).toFixed(3)} s`;
  return formatDuration(ms);
}
