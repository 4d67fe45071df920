import { rmSync } from 'node:fs';
import type { AccountView } from '#engine/backtest/account-view.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { BacktestOutcome } from '#storage/backtests/backtests.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import type { CodeToRun } from '#strategy-process/load-here.ts';
import { engineStrategy } from '#strategy-process/python/engine-strategy.ts';
import { importedBy } from '#strategy-process/python/imported-by.ts';
import { failureNotes } from '#strategy-process/python/failure-notes.ts';
import { marketWords } from '#strategy-process/python/market-words.ts';
import { processFolder, writeTexts } from '#strategy-process/python/process-folder.ts';
import { pythonCommand } from '#strategy-process/python/python-command.ts';
import type { SeriesName } from '#strategy-process/wire/python-load.ts';
import { startWaited } from '#strategy-process/python/started-process.ts';
import { PythonStrategy } from '#strategy-process/python/python-strategy.ts';
import { nameOfSeries } from '#strategy-process/python/series-name.ts';
import { Wanted } from '#strategy-process/python/wanted.ts';
import { copyFromParent } from './copy-from-parent.ts';
import type { PythonOfTask } from './python-of-task.ts';
import type { Watched } from './watched.ts';

/** A run: its outcome, or the series that the strategy reads besides and that it was not given. */
export type RunInPython = { outcome: BacktestOutcome } | { wanted: readonly SeriesName[] };

/**
 * Runs a backtest of a strategy in Python, in a process of its own, which ends with it. Where the strategy asks for the account, the run
 * begins again with it.
 *
 * Fails: StrategyError, and as `run`
 */
export async function runInPython(
  code: CodeToRun,
  python: PythonOfTask,
  startingBalance: number,
  run: (strategy: Strategy, watched: Watched) => BacktestOutcome,
): Promise<RunInPython> {
  const folder = processFolder();
  try {
    writeTexts(folder, code.files);
    const first = await once(folder, code, python, startingBalance, false, run);
    return first === 'account' ? ((await once(folder, code, python, startingBalance, true, run)) as RunInPython) : first;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function once(
  folder: string,
  { file, files, exportName }: CodeToRun,
  { program, config, pairs, parameters, series, notes }: PythonOfTask,
  startingBalance: number,
  isAccountShown: boolean, // whatever its texts ask for
  run: (strategy: Strategy, watched: Watched) => BacktestOutcome,
): Promise<RunInPython | 'account'> {
  const load = { source: { folder, file }, exportName, config, pairs, markets: marketWords(pairs), parameters };
  const started = (await copyFromParent(program, importedBy(files))) ?? startWaited(pythonCommand(program, wallsOfSystem()));
  const loaded = await PythonStrategy.load(started, load);
  try {
    const given = new Set(series.map(({ name }) => nameOfSeries(name)));
    const wanted = loaded.description.announced.filter((name) => !given.has(nameOfSeries(name)));
    if (wanted.length > 0) return { wanted };
    for (const { name, candles } of series) loaded.putSeries(name, candles);
    const { description } = loaded;
    const strategy = engineStrategy(
      description,
      (symbol, candles) => loaded.columns(symbol, candles, { indicators: true, keep: true }),
      loaded.callbacks(),
    );
    const isShown = isAccountShown || loaded.readsAccount;
    const watch = (view: AccountView): void => loaded.begin(isShown ? { view, startingBalance } : null);
    const outcome = run(strategy, { watch });
    outcome.result.notes = [...notes, ...failureNotes(description.name, loaded.failures())];
    return { outcome };
  } catch (error) {
    if (!(error instanceof Wanted)) throw await loaded.explained(error);
    const { what } = error;
    if (what === 'account') return what;
    // Who asks for a timeframe of one of the pairs asks for it of each.
    return { wanted: pairs.includes(what.symbol) ? pairs.map((symbol) => ({ ...what, symbol })) : [what] };
  } finally {
    await loaded.end();
  }
}
