import { dayMs } from '#engine/market/durations.ts';
import { numberOf } from './query.ts';
import { WireError } from './wire-error.ts';

/** The newest of a list in rising ids; or those from an id on, or of a time, the oldest of them first. */
export function pageOf<Row extends { id: number; time: number }>(rows: readonly Row[], parameters: URLSearchParams, idName: string): Row[] {
  const limit = Math.max(1, numberOf(parameters, 'limit', 500, 1000));
  const from = parameters.has(idName) ? numberOf(parameters, idName, 0) : null;
  const since = numberOf(parameters, 'startTime', 0);
  const until = numberOf(parameters, 'endTime', Infinity);
  const found = rows.filter(({ id, time }) => (from === null || id >= from) && time >= since && time <= until);
  return from !== null || since > 0 ? found.slice(0, limit) : found.slice(-limit);
}

/** Perpetuals give orders of the last 90 days, and refuse a question that begins before. Source of the days: ccxt's binance.js, `daysBack` */
export function refuseLongAgo(parameters: URLSearchParams, now: number): void {
  if (numberOf(parameters, 'startTime', Infinity) < now - 90 * dayMs)
    throw new WireError(400, -4166, 'Search window is restricted to recent 90 days only.');
}
