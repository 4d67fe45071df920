const dayMs = 86_400_000;

/** The UTC day of a moment in ms, YYYY-MM-DD. */
export function utcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The day that is `count` days after another one; before it when negative. */
export function dayAfter(day: string, count: number): string {
  return utcDay(Date.parse(day) + count * dayMs);
}
