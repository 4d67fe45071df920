import type { Database } from '#storage/database.ts';
import type { Step } from '#storage/bots/running-bots.ts';
import { waitsForOthers, writeStep, writeStepsTogether } from '#storage/bots/running-bots.ts';
import { Together } from '../together.ts';

/** Writes the steps of the bots of a runner. */
export interface StepWriter {
  /** Fails: as `writeStep` */
  write(step: Step): Promise<void>;
}

/**
 * Writes steps to the database, those of the same moment in one transaction. Steps that wait for the kill switch or for limits go
 * together, the others by themselves: an exit or a stop is never held up by the entries of other bots.
 */
export function databaseSteps(db: Database): StepWriter {
  const writer = (): Together<Step, boolean> =>
    new Together({
      all: async (steps) => {
        const written = await writeStepsTogether(db, steps);
        return steps.map((step) => (written.has(step) ? true : null));
      },
      one: async ({ holder, mode, writes }) => {
        await writeStep(db, holder, mode, writes);
        return true;
      },
      mostAtOnce: 64,
    });
  const [waiting, others] = [writer(), writer()];
  return {
    async write(step) {
      await (waitsForOthers(step) ? waiting : others).do(step);
    },
  };
}
