import { tradableAtStart } from '#engine/account/wallet.ts';
import type { Point } from '#engine/lab/dimension.ts';
import { valuesAt } from '#engine/lab/dimension.ts';
import { EpochRunner, type Hardship, type PointAnswer } from '#engine/lab/epoch-runner.ts';
import { turnedSettings } from '#engine/lab/search-space.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { CallbackName, StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { turnedWords } from '#strategy-process/python/bot-words.ts';
import { marketWords } from '#strategy-process/python/market-words.ts';
import { pythonCommand } from '#strategy-process/python/python-command.ts';
import { startWaited } from '#strategy-process/python/started-process.ts';
import { PythonStrategy } from '#strategy-process/python/python-strategy.ts';
import { nameOfSeries } from '#strategy-process/python/series-name.ts';
import { Wanted } from '#strategy-process/python/wanted.ts';
import type { PythonOfStudy, StudyTask } from './study-task.ts';
import { beginningAt } from './study-task.ts';

/**
 * Runs the epochs of a strategy in Python, in a process of its own. Where its author has written callbacks each epoch is computed, since
 * they look at what was computed last, or where its texts look at settings; else only other parameters are. An epoch that fails is followed
 * by a new process.
 *
 * Fails: StrategyError
 */
export async function pythonEpochs(
  task: StudyTask,
  python: PythonOfStudy,
): Promise<(point: Point, hardship: Hardship | null) => Promise<PointAnswer>> {
  const { parameters, settings, startupCandles, timeframe, untouched: _, ...setup } = task;
  let isAccountShown = false; // whatever its texts ask for
  let loaded = await load(task, python);
  const again = async (): Promise<void> => {
    await loaded.end();
    loaded = await load(task, python);
  };
  const callbacks = currentCallbacks(() => loaded, loaded);
  const { description } = loaded;
  const wordsOf = (point: Point) => turnedWords(turnedSettings(valuesAt(setup.dimensions, point)));
  const turns = Object.keys(wordsOf(setup.dimensions.map(() => 0))).length > 0;
  const runner = new EpochRunner({
    ...setup,
    base: {
      strategy: { ...description, startupCandles, parameters: beginningAt(description.parameters, parameters) },
      settings,
      timeframe,
    },
    compute(candles, values, symbol) {
      loaded.giveParameters(values);
      return loaded.columns(symbol, candles, { indicators: false, keep: true });
    },
    callbacks,
    watch: (view) => loaded.begin(isAccountShown || loaded.readsAccount ? { view, startingBalance: tradableAtStart(settings) } : null),
    keepsNoSignals: (loaded.readsSettings && turns) || Object.keys(callbacks).some((name) => name !== 'stopAfterFill'),
  });
  return async (point, hardship) => {
    for (;;) {
      try {
        if (turns) loaded.giveSettings(wordsOf(point));
        return runner.outcome(point, hardship);
      } catch (error) {
        const wantsAccount = error instanceof Wanted && error.what === 'account' && !isAccountShown;
        isAccountShown ||= wantsAccount;
        const fault =
          error instanceof Wanted
            ? 'The strategy asks for series that it did not ask for before.'
            : errorText(await loaded.explained(error));
        await again();
        if (!wantsAccount) return { fault };
      }
    }
  };
}

async function load({ code }: StudyTask, { folder, program, config, pairs, parameters, series }: PythonOfStudy): Promise<PythonStrategy> {
  if (code === null || 'document' in code) throw new Error('A strategy in Python has texts');
  const source = { folder, file: code.file };
  const words = { source, exportName: code.exportName, config, pairs, markets: marketWords(pairs), parameters };
  const loaded = await PythonStrategy.load(startWaited(pythonCommand(program, wallsOfSystem())), words);
  const given = new Map(series.map(({ name, candles }) => [nameOfSeries(name), { name, candles }]));
  for (const { name, candles } of given.values()) loaded.putSeries(name, candles);
  return loaded;
}

/** The callbacks of whichever process there is. */
function currentCallbacks(current: () => PythonStrategy, { description }: PythonStrategy): StrategyCallbacks {
  const ask = (name: CallbackName) =>
    [
      name,
      (question: unknown): unknown => (current().callbacks() as Record<string, (asked: unknown) => unknown>)[name]?.(question),
    ] as const;
  return { ...Object.fromEntries(description.callbacks.map(ask)), stopAfterFill: description.stopAfterFill };
}
