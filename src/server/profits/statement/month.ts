import { dayMs } from '#engine/market/durations.ts';

/** A UTC month. */
export interface Month {
  name: string; // YYYY-MM
  start: Date;
  end: Date; // the first moment after it
  firstDay: string; // YYYY-MM-DD
  lastDay: string;
  dayBefore: string; // the last day of the month before
}

/** The UTC month of a name such as '2026-11'. */
export function monthOf(name: string): Month {
  const start = new Date(`${name}-01T00:00:00Z`);
  const end = new Date(start);
  end.setUTCMonth(end.getUTCMonth() + 1);
  const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
  return {
    name,
    start,
    end,
    firstDay: dayOf(start.getTime()),
    lastDay: dayOf(end.getTime() - 1),
    dayBefore: dayOf(start.getTime() - dayMs),
  };
}
