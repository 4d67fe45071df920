/** A time for people: `2025-04-03 21:05` (UTC). */
export function minuteText(time: number): string {
  if (!(Math.abs(time) < 8.64e15)) return String(time);
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}
