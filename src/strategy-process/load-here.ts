import type { Strategy } from '#engine/strategy/strategy.ts';
import { guardCallbacks } from './code/guarded-strategy.ts';
import { importStrategy } from './child/import-strategy.ts';
import { removeOutside } from './child/no-outside.ts';
import { StrategyError } from './strategy-error.ts';
import type { SourceFiles } from './wire/questions.ts';

/** What of a version is needed to run it. */
export interface CodeToRun {
  file: string;
  exportName: string;
  files: SourceFiles;
}

/**
 * The strategy of a version, loaded into this thread, which then has no timers, clock, chance or network any more, makes no code of texts, and
 * imports nothing but what strategies are made of: a thread for a calculation that ends with it, or continues with others of its kind. An endless
 * loop holds it up until somebody ends it.
 *
 * Fails: StrategyError
 */
export async function loadHere({ file, exportName, files }: CodeToRun): Promise<Strategy> {
  removeOutside();
  const { strategies } = await importStrategy({ file, files });
  const strategy = strategies.get(exportName);
  if (strategy === undefined) throw new StrategyError(`There is no strategy ${exportName} in ${file}.`);
  return { ...strategy, callbacks: guardCallbacks(strategy) };
}
