/** Opening times in ms, both included. */
export interface StudyRange {
  from: number;
  to: number;
}

/**
 * The time of a study and, where a share of it at its end is sealed, that part. Null where there are too few candles for it.
 *
 * Unit: the share is a fraction; `stepMs` is the timeframe
 */
export function sealedRange(
  { from, to }: StudyRange,
  sealedShare: number | null,
  stepMs: number,
): { studied: StudyRange; sealed: StudyRange | null } | null {
  if (!(from < to)) return null;
  if (sealedShare === null) return { studied: { from, to }, sealed: null };
  const boundary = Math.floor((from + (to - from) * (1 - sealedShare)) / stepMs) * stepMs;
  if (boundary <= from || boundary >= to) return null;
  return { studied: { from, to: boundary }, sealed: { from: boundary + stepMs, to } };
}
