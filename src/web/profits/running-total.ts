import { fromText, plus, toNumber, zero } from '#engine/market/decimal.ts';
import type { Ledger } from './ledgers.ts';
import type { ProfitRange } from './profit-range.ts';
import { dayAfter } from './profit-range.ts';

/** How many days without a trade are drawn before the first one. */
const mostEmptyDays = 400;

/**
 * The profit so far at the end of each UTC day of a range, up to now: it is 0 when the range begins. Without a first day, or with
 * one long before, it begins with the first trade. No point without a trade. Times in ms.
 */
export function runningTotal(days: Ledger['days'], { from, to }: ProfitRange, now: number): { time: number; pnl: number }[] {
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return [];
  const start = from === null || dayAfter(from, mostEmptyDays) < first.day ? first.day : from;
  const today = new Date(now).toISOString().slice(0, 10);
  const end = [to === null || to > today ? today : to, last.day].toSorted()[1] ?? last.day;
  const byDay = new Map(days.map((each) => [each.day, each.profit]));
  const points = [{ time: Date.parse(start), pnl: 0 }];
  let total = zero;
  for (let day = start; day <= end; day = dayAfter(day, 1)) {
    total = plus(total, fromText(byDay.get(day) ?? '0'));
    const dayEnd = Date.parse(dayAfter(day, 1));
    points.push({ time: day === today ? Math.max(Date.parse(day) + 1_000, Math.min(now, dayEnd)) : dayEnd, pnl: toNumber(total) });
  }
  return points;
}
