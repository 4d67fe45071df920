import { type Mutant } from './mutant.ts';

export const meetingsOfLab: readonly Mutant[] = [];
