import type { Mutant } from './mutant.ts';

/** Where orders, streams and accounts of an exchange meet what real exchanges do. */
export const meetingsWithExchanges: readonly Mutant[] = [];
