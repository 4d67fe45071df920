/** The ranges that have a name, and one of one's own. */
export const ranges = [
  { value: 'this-month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
  { value: 'this-year', label: 'This year' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: 'all', label: 'All' },
  { value: 'own', label: 'Own range' },
] as const;

/** See `ranges`. */
export type RangeName = (typeof ranges)[number]['value'];

/** From one UTC day to another, YYYY-MM-DD, both included; null has no end on that side. */
export interface ProfitRange {
  from: string | null;
  to: string | null;
}

const dayMs = 86_400_000;

/** The UTC day of a moment in ms, YYYY-MM-DD. */
export function utcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The day that is `count` days after another one; before it when negative. */
export function dayAfter(day: string, count: number): string {
  return utcDay(Date.parse(day) + count * dayMs);
}

/** The month that is `count` months after another one, YYYY-MM; before it when negative. */
export function monthAfter(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7);
}

/** The last day of a month. */
export function lastDayOf(month: string): string {
  return dayAfter(`${monthAfter(month, 1)}-01`, -1);
}

/** The days of a range by its name, on the UTC day `today`; `own` is what was entered. */
export function rangeOf(name: RangeName, own: ProfitRange, today: string): ProfitRange {
  const month = today.slice(0, 7);
  switch (name) {
    case 'this-month':
      return { from: `${month}-01`, to: lastDayOf(month) };
    case 'last-month':
      return { from: `${monthAfter(month, -1)}-01`, to: dayAfter(`${month}-01`, -1) };
    case 'this-year':
      return { from: `${today.slice(0, 4)}-01-01`, to: `${today.slice(0, 4)}-12-31` };
    case 'all':
      return { from: null, to: null };
    case 'own':
      return own;
    default:
      return { from: dayAfter(today, 1 - Number(name)), to: today };
  }
}

/** What is wrong with a range; null when nothing is. */
export function issueOf({ from, to }: ProfitRange): string | null {
  return from !== null && to !== null && from > to ? 'Start date must be before end date' : null;
}

/** The days of a range in words: '2026-11-01 to 2026-11-23'. A day that is to come reads as today. */
export function rangeText({ from, to }: ProfitRange, today: string): string {
  const last = to === null || to > today ? 'today' : to;
  if (from === null) return last === 'today' ? 'since the first trade' : `up to ${last}`;
  if (from > today) return `from ${from} on`;
  return from === to ? from : `${from} to ${last}`;
}
