import type { Point } from '#engine/lab/dimension.ts';
import { type EpochOutcome, EpochRunner, type Hardship } from '#engine/lab/epoch-runner.ts';
import { Wanted } from '#strategy-process/python/wanted.ts';
import { preparePython } from '../python/python-job.ts';
import type { StudyTask } from './study-task.ts';

/**
 * Runs the points of a study of a strategy in Python, in a process of this thread. Columns are computed again where parameters of the class change; one
 * process runs epoch after epoch, as freqtrade's do.
 *
 * Fails: CommandError, StrategyError
 */
export async function runnerInPython(
  { strategyWord, startupCandles, settings, timeframe, ...setup }: StudyTask,
  { config, wishes }: NonNullable<StudyTask['python']>,
): Promise<(point: Point, hardship: Hardship | null) => Promise<EpochOutcome>> {
  const python = await preparePython(strategyWord, config, wishes);
  const symbols = setup.pairs.map(({ instrument }) => instrument.symbol);
  const newRunner = (): EpochRunner =>
    new EpochRunner({
      ...setup,
      base: { strategy: { ...python.strategy, startupCandles }, settings, timeframe },
      compute(candles, parameters, symbol) {
        python.setParameters(parameters);
        return python.columns(symbol, candles);
      },
      callbacks: python.strategy.callbacks ?? {},
      elsewhere: {
        begin(account, of, parameters) {
          python.setParameters(parameters);
          python.begin(account, of);
        },
      },
    });
  let runner: EpochRunner | null = null;
  return async (point, hardship) =>
    await python.withWanted(symbols, () => {
      try {
        return (runner ??= newRunner()).outcome(point, hardship);
      } catch (error) {
        if (error instanceof Wanted) runner = null; // a new process knows no columns
        throw error;
      }
    });
}
