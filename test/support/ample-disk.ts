import type { CandleDisk } from '#runner/jobs/refuse-full-disk.ts';

/** A disk on which there is always room, whatever else is on that of the machine. */
export const ampleDisk: CandleDisk = { freeBytes: async () => Infinity, makeRoom: async () => {} };
