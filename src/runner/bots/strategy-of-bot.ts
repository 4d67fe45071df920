import type { Timeframe } from '#engine/market/timeframe.ts';
import type { StoredBot } from '#storage/bots/running-bots.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { onCandles } from '#strategies/known-strategy.ts';
import type { StrategyOfVersion, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import type { StrategyDescription } from '#strategy-process/wire/questions.ts';
import { strategyOfRules } from '#strategies/strategy-of-rules.ts';
import { fileToRun } from '../strategy-of-task.ts';
import type { RunnableStrategy } from './runnable-strategy.ts';
import { localStrategy, outsideStrategy } from './runnable-strategy.ts';

/** The strategy of a bot in the version that the bot names, for candles of its timeframe. Fails: Error with one sentence when this version of the program has none */
export function strategyOfBot(
  { strategy, code }: Pick<StoredBot, 'code'> & { strategy: { className: string } },
  timeframe: Timeframe,
  processes: StrategyProcesses,
  onError: (error: unknown) => void,
): RunnableStrategy {
  if (code === null) return localStrategy(strategyOfClass(strategy.className));
  // Of the same version bots share their rows, also where two people have made the same.
  if (code.document !== null) return localStrategy(strategyOfRules(code, timeframe), `rules ${code.hash}`);
  return outsideStrategy(processes, versionOf(code), onCandles(code.description as unknown as StrategyDescription, timeframe), onError);
}

/** What a strategy process is given to run a version. Fails: Error for what is no file */
function versionOf(code: StrategyCode): StrategyOfVersion {
  const { file, files, exportName } = fileToRun(code);
  return { version: { id: code.hash, file, files }, exportName };
}
