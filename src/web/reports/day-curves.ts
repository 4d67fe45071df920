import type { CallReply } from '#contract/client.ts';
import { dayMs } from '#engine/market/durations.ts';
import type { DayCurve } from '../chart/day-chart.tsx';

/** A day by mode, and its trades. */
export type DayDetails = CallReply<'reportTrades'>;

/** The colours of the modes on the chart, which is dark in both looks. */
export const modeColors = { live: '#f5a524', testnet: '#1e9bd7', paper: '#8793a8' } as const;

/** The profit so far in each mode, from the first moment of a UTC day to its last one or to `now`, ms. */
export function dayCurves(day: string, modes: DayDetails['modes'], now: number): DayCurve[] {
  const start = Date.parse(day);
  const end = Math.max(start, Math.min(start + dayMs - 1, now));
  return modes.map(({ mode, curve }) => {
    const points = [{ time: start, value: 0 }, ...curve.map(({ time, pnl }) => ({ time, value: pnl }))];
    const last = points.at(-1) ?? { time: start, value: 0 };
    return { color: modeColors[mode], points: last.time < end ? [...points, { time: end, value: last.value }] : points };
  });
}
