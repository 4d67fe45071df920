import type { Mutant } from './mutant.ts';

/** Where processes, databases, backups and commands meet an upgrade, a restart or a second one of their kind. */
export const meetingsOfProcesses: readonly Mutant[] = [];
