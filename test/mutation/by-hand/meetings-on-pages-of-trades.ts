import { type Mutant } from './mutant.ts';

export const meetingsOnPagesOfTrades: readonly Mutant[] = [];
