const pausesMs = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000] as const;

/** How long to wait before what has failed `failures` times in a row is tried again, in ms: longer each time, a minute at most. */
export function pauseAfter(failures: number): number {
  return pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0;
}
