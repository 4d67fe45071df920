import { minus, toDecimal, toNumber } from '#engine/market/decimal.ts';
import { dayMs } from '#engine/market/durations.ts';

/** What each range of a profit and loss chart shows, up to now. */
export const pnlRangeSpans = {
  daily: { label: 'Daily', words: 'last 24 hours', ms: dayMs },
  weekly: { label: 'Weekly', words: 'last 7 days', ms: 7 * dayMs },
  monthly: { label: 'Monthly', words: 'last 30 days', ms: 30 * dayMs },
  yearly: { label: 'Yearly', words: 'last 365 days', ms: 365 * dayMs },
} as const;

/** See `pnlRangeSpans`. */
export type PnlRangeName = keyof typeof pnlRangeSpans;

/** The part of a running profit that lies in a range. */
export interface PnlWindow {
  points: { time: number; pnl: number }[]; // from 0 on; time in ms
  change: number; // over the range
  knownSince: number | null; // ms, where nothing is known of the beginning of the range
}

/**
 * A running profit as it is seen in the range that ends at `now`: what it was when the range began is 0. Points in their order.
 *
 * The point before the range stands at its beginning: until the next one the profit was what it said.
 */
export function pnlWindow(points: readonly { time: number; pnl: number }[], range: PnlRangeName, now: number): PnlWindow {
  const start = now - pnlRangeSpans[range].ms;
  const before = points.findLast(({ time }) => time <= start);
  if (before === undefined) {
    const { points: shown, change } = sinceFirst(points);
    const first = shown[0];
    return { points: shown, change, knownSince: first !== undefined && first.time - start > toleratedMs ? first.time : null };
  }
  const inside = points.filter(({ time }) => time > start);
  return sinceFirst([{ time: start, pnl: before.pnl }, ...inside]);
}

/** A running profit from its first point on, which is 0. */
export function sinceFirst(points: readonly { time: number; pnl: number }[]): PnlWindow {
  const base = toDecimal(points[0]?.pnl ?? 0);
  const shown = points.map(({ time, pnl }) => ({ time, pnl: toNumber(minus(toDecimal(pnl), base)) }));
  return { points: shown, change: shown.at(-1)?.pnl ?? 0, knownSince: null };
}

/** An answer was made a moment before it is drawn: its first point is not missing anything. */
const toleratedMs = 5 * 60_000;
