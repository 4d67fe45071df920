import type { Point } from '#engine/lab/dimension.ts';
import { valuesAt } from '#engine/lab/dimension.ts';
import { EpochRunner, type Hardship, type PointAnswer } from '#engine/lab/epoch-runner.ts';
import { turnedSettings } from '#engine/lab/search-space.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import { turnedWords } from '#strategy-process/python/bot-words.ts';
import { readConfigFile } from '../config/config-json.ts';
import { preparePython, type PythonJob } from '../python/python-job.ts';
import type { PythonOfStudy, StudyTask } from './study-task.ts';

/**
 * Runs the epochs of a strategy in Python, in a process of its own. Where its author has written callbacks each epoch is computed, since
 * they look at what was computed last, or where its texts look at settings; else only other parameters are.
 *
 * Fails: CommandError, StrategyError
 */
export async function pythonEpochs(
  { strategyWord, startupCandles, settings, timeframe, ...setup }: StudyTask,
  { config, wishes }: PythonOfStudy,
): Promise<(point: Point, hardship: Hardship | null) => Promise<PointAnswer>> {
  const python = await preparePython(strategyWord, readConfigFile(config), wishes);
  const symbols = setup.pairs.map(({ instrument }) => instrument.symbol);
  const callbacks = currentCallbacks(python);
  const wordsOf = (point: Point) => turnedWords(turnedSettings(valuesAt(setup.dimensions, point)));
  const turns = Object.keys(wordsOf(setup.dimensions.map(() => 0))).length > 0;
  const runner = new EpochRunner({
    ...setup,
    base: { strategy: { ...python.strategy, startupCandles }, settings, timeframe },
    compute(candles, parameters, symbol) {
      python.giveParameters(parameters);
      return python.columns(symbol, candles);
    },
    callbacks,
    watch: (account) => python.begin(account, settings),
    keepsNoSignals: (python.readsSettings && turns) || Object.keys(callbacks).some((name) => name !== 'stopAfterFill'),
  });
  return async (point, hardship) => {
    try {
      if (turns) python.giveSettings(wordsOf(point));
      return await python.withWanted(symbols, () => runner.outcome(point, hardship));
    } catch (error) {
      return { fault: errorText(await python.explained(error)) };
    }
  };
}

/** The callbacks of whichever process there is: it begins again when it turns out to need more candles. */
function currentCallbacks(python: PythonJob): StrategyCallbacks {
  const { stopAfterFill, ...named } = python.strategy.callbacks ?? {};
  const asks = Object.keys(named).map((name) => {
    const ask = (question: unknown): unknown => (python.strategy.callbacks as Record<string, (asked: unknown) => unknown>)[name]!(question);
    return [name, ask] as const;
  });
  return { ...Object.fromEntries(asks), ...(stopAfterFill === undefined ? {} : { stopAfterFill }) };
}
