/** A point of the profit and loss line; time in ms. */
export interface PnlPoint {
  time: number;
  pnl: number;
}

/** How many points the dashboard keeps. */
export const pnlPointsMax = 100;

/**
 * The points after a load: at first the answer's history, at each later load the known points and the current one, which
 * is the newest of the answer. The newest 100 stay.
 */
export function pnlAfterLoad(known: readonly PnlPoint[], history: readonly PnlPoint[]): PnlPoint[] {
  const current = history.at(-1);
  if (known.length === 0 || current === undefined) return [...(known.length === 0 ? history : known)].slice(-pnlPointsMax);
  return [...known.filter(({ time }) => time < current.time), current].slice(-pnlPointsMax);
}

/** The points with the current one at the price of now: `change` is what open trades have gained since the last load, `time` is now in ms. */
export function pnlNow(points: readonly PnlPoint[], change: number, time: number | undefined): readonly PnlPoint[] {
  const current = points.at(-1);
  if (current === undefined || time === undefined || time <= current.time) return points;
  return [...points.slice(0, -1), { time, pnl: current.pnl + change }];
}

/** The points from the beginning of the range on: of those that are kept the oldest have made room for newer ones. */
export function withStart(points: readonly PnlPoint[], start: PnlPoint | undefined): readonly PnlPoint[] {
  return start === undefined ? points : [start, ...points.filter(({ time }) => time > start.time)];
}
