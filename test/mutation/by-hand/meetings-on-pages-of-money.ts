import { type Mutant } from './mutant.ts';

export const meetingsOnPagesOfMoney: readonly Mutant[] = [];
