import type { Ledger } from './ledgers.ts';
import { dayAfter, lastDayOf } from './profit-range.ts';

/** A day of the calendar: its trades where it has some, and how far its colour goes. */
export interface CalendarDay {
  day: string; // YYYY-MM-DD
  sums: Ledger['days'][number] | null;
  strength: number; // of the colour: the share of the largest gain or loss of the month, 0 to 1
}

/** A month as weeks from Monday to Sunday; null before its first day and after its last. */
export function monthOfDays(month: string, days: Ledger['days']): (CalendarDay | null)[][] {
  const byDay = new Map(days.filter(({ day }) => day.startsWith(month)).map((each) => [each.day, each]));
  const largest = Math.max(0, ...[...byDay.values()].map(({ profit }) => Math.abs(Number(profit))));
  const first = `${month}-01`;
  const before = (new Date(first).getUTCDay() + 6) % 7;
  const cells: (CalendarDay | null)[] = Array.from({ length: before }, () => null);
  for (let day = first; day <= lastDayOf(month); day = dayAfter(day, 1)) {
    const sums = byDay.get(day) ?? null;
    cells.push({ day, sums, strength: sums === null || largest === 0 ? 0 : Math.abs(Number(sums.profit)) / largest });
  }
  while (cells.length % 7 !== 0) cells.push(null);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

/** The day that a key leads to from another one; null when it leads nowhere. */
export function dayByKey(day: string, key: string): string | null {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
  const step = steps[key];
  if (step !== undefined) return dayAfter(day, step);
  if (key === 'Home') return `${day.slice(0, 7)}-01`;
  return key === 'End' ? lastDayOf(day.slice(0, 7)) : null;
}
