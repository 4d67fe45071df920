import type { Point } from '#engine/lab/dimension.ts';
import type { Hardship, PointAnswer } from '#engine/lab/epoch-runner.ts';

/** Points for a thread to run, one after the other. */
export interface StudyQuestion {
  points: readonly Point[];
  hardship: Hardship | null;
}

/** What a thread answers: for each point one; or why it cannot run any, in sentences. */
export type StudyAnswer = { answers: PointAnswer[] } | { faults: readonly string[] };
