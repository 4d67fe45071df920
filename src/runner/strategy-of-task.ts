import type { Timeframe } from '#engine/market/timeframe.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { onCandles } from '#strategies/known-strategy.ts';
import { cannotRun, type RulesToRun, strategyOfRules } from '#strategies/strategy-of-rules.ts';
import type { CodeToRun } from '#strategy-process/load-here.ts';
import { loadHere } from '#strategy-process/load-here.ts';

/** Which strategy a thread is to calculate with: plain data. */
export interface StrategyOfTask {
  strategyClass: string;
  code: CodeToRun | RulesToRun | null; // null for one that is part of the program
  timeframe: Timeframe; // of the candles it is given
}

/** The strategy of a task, in this thread. Fails: Error in one sentence; `CannotRun` where its candles cannot give it what it reads */
export async function strategyOfTask({ strategyClass, code, timeframe }: StrategyOfTask): Promise<Strategy> {
  if (code === null) return strategyOfClass(strategyClass);
  return 'document' in code ? strategyOfRules(code, timeframe) : onCandles(await loadHere(code), timeframe);
}

/** What of a version a thread is given. Fails: Error for what this version of the program does not know */
export function codeToRun(code: StrategyCode): CodeToRun | RulesToRun {
  return code.document === null ? fileToRun(code) : { hash: code.hash, document: code.document };
}

/** What of a version of a file is needed to run it. Fails: Error for what is not a file */
export function fileToRun({ file, exportName, files }: StrategyCode): CodeToRun {
  if (file === null || exportName === null || files === null) throw new Error(cannotRun);
  return { file, exportName, files };
}
