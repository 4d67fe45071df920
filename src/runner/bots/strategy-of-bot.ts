import type { StoredBot } from '#storage/bots/running-bots.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import type { StrategyOfVersion, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import type { StrategyDescription } from '#strategy-process/wire/questions.ts';
import { codeToRun } from '../strategy-of-task.ts';
import type { RunnableStrategy } from './runnable-strategy.ts';
import { localStrategy, outsideStrategy } from './runnable-strategy.ts';

/** The strategy of a bot in the version that the bot names. Fails: Error with one sentence when this version of the program has none */
export function strategyOfBot(
  { strategy, code }: Pick<StoredBot, 'code'> & { strategy: { className: string } },
  processes: StrategyProcesses,
  onError: (error: unknown) => void,
): RunnableStrategy {
  if (code === null) return localStrategy(strategyOfClass(strategy.className));
  return outsideStrategy(processes, versionOf(code), code.description as unknown as StrategyDescription, onError);
}

/** What a strategy process is given to run a version. Fails: Error for what is no file */
function versionOf(code: StrategyCode): StrategyOfVersion {
  const { file, files, exportName } = codeToRun(code);
  return { version: { id: code.hash, file, files }, exportName };
}
