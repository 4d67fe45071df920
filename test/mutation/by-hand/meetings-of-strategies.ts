import { type Mutant } from './mutant.ts';

export const meetingsOfStrategies: readonly Mutant[] = [];
