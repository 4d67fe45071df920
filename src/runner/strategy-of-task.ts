import type { Strategy } from '#engine/strategy/strategy.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import type { CodeToRun } from '#strategy-process/load-here.ts';
import { loadHere } from '#strategy-process/load-here.ts';

/** Which strategy a thread is to calculate with: plain data. */
export interface StrategyOfTask {
  strategyClass: string;
  code: CodeToRun | null; // null for one that is part of the program
}

/** The strategy of a task, in this thread. Fails: Error in one sentence */
export async function strategyOfTask({ strategyClass, code }: StrategyOfTask): Promise<Strategy> {
  return code === null ? strategyOfClass(strategyClass) : loadHere(code);
}

/** What of a version a thread is given. Fails: Error for one that is no file */
export function codeToRun({ file, exportName, files }: StrategyCode): CodeToRun {
  if (file === null || exportName === null || files === null) throw new Error('This version of Flotilla cannot run the strategy');
  return { file, exportName, files };
}
