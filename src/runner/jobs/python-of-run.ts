import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { type BotOfClass, botWords } from '#strategy-process/python/bot-words.ts';
import { findPython } from '#strategy-process/python/find-python.ts';
import { pythonOf } from '#strategy-process/python/python-facts.ts';
import type { BacktestDependencies } from './backtest-dependencies.ts';
import type { PythonOfTask } from './python-of-task.ts';

/** What a run of a version in Python needs; null for one that is not. Fails: StrategyError where there is no Python */
export function pythonOfRun(
  { python }: Pick<BacktestDependencies, 'python'>,
  code: StrategyCode | null,
  { parameters, ...bot }: Omit<BotOfClass, 'runmode'> & { parameters: ParameterValues },
): PythonOfTask | null {
  const kept = code === null ? null : pythonOf(code.description);
  if (kept === null) return null;
  const { lookAhead, remarks } = kept.python;
  return {
    program: findPython(python),
    config: botWords({ ...bot, runmode: 'backtest' }),
    pairs: bot.pairs,
    parameters,
    series: [],
    notes: [...(lookAhead === null ? [] : [lookAhead]), ...remarks],
  };
}
