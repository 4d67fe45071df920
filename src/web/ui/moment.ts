/** A moment in UTC: '2026-11-21 00:31:06'. Takes ISO 8601 text or ms. */
export function formatMoment(moment: string | number): string {
  return new Date(moment).toISOString().slice(0, 19).replace('T', ' ');
}

/** The time of day in UTC: '00:31:06'. */
export function formatTimeOfDay(moment: string | number): string {
  return formatMoment(moment).slice(11);
}

/** A length of time in its two largest units: '2d 3h', '5m 0s'. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const units = [
    ['d', Math.floor(seconds / 86_400)],
    ['h', Math.floor(seconds / 3600) % 24],
    ['m', Math.floor(seconds / 60) % 60],
    ['s', seconds % 60],
  ] as const;
  const first = units.findIndex(([, count]) => count > 0);
  if (first === -1) return '0s';
  return units
    .slice(first, first + 2)
    .map(([unit, count]) => `${count}${unit}`)
    .join(' ');
}
