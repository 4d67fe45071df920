import type { EpochSetup } from '#engine/lab/epoch-runner.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { ParameterValues, StrategyParameter } from '#engine/strategy/strategy.ts';
import type { PythonOfTask } from '../python-of-task.ts';
import type { StrategyOfTask } from '../../strategy-of-task.ts';

/** What a thread of a study is given: plain data, with candles in shared memory. It loads the strategy itself. */
export interface StudyTask extends StrategyOfTask, Omit<EpochSetup, 'base' | 'compute' | 'callbacks' | 'watch' | 'keepsNoSignals'> {
  parameters: ParameterValues; // where nothing is turned
  settings: TradingSettings; // the same
  startupCandles: number;
  python: PythonOfStudy | null; // of a strategy in Python
  untouched: Untouched; // nothing, where the strategy is part of the program or in Python
}

/** Memory with candles that code is shown, and a copy of what was in it before. */
export type Untouched = ReadonlyMap<ArrayBufferLike, ArrayBufferLike>;

/** What a thread makes a strategy in Python with: each has a process of its own. */
export interface PythonOfStudy extends PythonOfTask {
  folder: string; // with its texts
}

/** Parameters that begin at these values: a study turns some of them, and the others stay. */
export function beginningAt(
  parameters: Readonly<Record<string, StrategyParameter>>,
  values: ParameterValues,
): Record<string, StrategyParameter> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, { ...parameter, default: values[name] ?? parameter.default }]),
  );
}
