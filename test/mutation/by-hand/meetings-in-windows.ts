import type { Mutant } from './mutant.ts';

/** Where a window lies in another, or its question is cancelled while an answer is under way. */
export const meetingsInWindows: readonly Mutant[] = [];
