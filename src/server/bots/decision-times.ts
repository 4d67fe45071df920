import { rangeTooLong, rangeUpsideDown } from '#contract/decisions.ts';
import { dayMs } from '#engine/market/durations.ts';
import { HttpError } from '../http/http-error.ts';

/** How long a time of decisions may be, in ms. */
export const longestRangeMs = 31 * dayMs;

/** The time that is asked about: the last day unless it is named. Fails: 400 when it is upside down or too long */
export function decisionTimes(asked: { from?: string | undefined; to?: string | undefined }, now: Date): { from: Date; to: Date } {
  const to = asked.to === undefined ? now : new Date(asked.to);
  const from = asked.from === undefined ? new Date(to.getTime() - dayMs) : new Date(asked.from);
  if (from >= to) throw new HttpError(400, rangeUpsideDown);
  if (to.getTime() - from.getTime() > longestRangeMs) throw new HttpError(400, rangeTooLong);
  return { from, to };
}
