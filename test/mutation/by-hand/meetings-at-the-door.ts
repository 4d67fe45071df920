import type { Mutant } from './mutant.ts';

/** Where sign-in, second factors, windows and channels meet something else: a clock that was set back, a crowd, another window. */
export const meetingsAtTheDoor: readonly Mutant[] = [];
