import { clearTimeout, setTimeout } from 'node:timers';
import { performance } from 'node:perf_hooks';
import { rmSync } from 'node:fs';
import { tradableAtStart } from '#engine/account/wallet.ts';
import { WhatIfRunner } from '#engine/lab/what-if/what-if-runner.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import type { CodeToRun } from '#strategy-process/load-here.ts';
import { engineStrategy } from '#strategy-process/python/engine-strategy.ts';
import { marketWords } from '#strategy-process/python/market-words.ts';
import { processFolder, writeTexts } from '#strategy-process/python/process-folder.ts';
import { pythonCommand } from '#strategy-process/python/python-command.ts';
import { startWaited } from '#strategy-process/python/started-process.ts';
import { PythonStrategy } from '#strategy-process/python/python-strategy.ts';
import { nameOfSeries } from '#strategy-process/python/series-name.ts';
import { Wanted } from '#strategy-process/python/wanted.ts';
import type { PythonOfTask } from '../../jobs/python-of-task.ts';
import { setupOfTask } from './run-what-if.ts';
import type { WhatIfResult, WhatIfTask } from './what-if-task.ts';

/** How many strategies in Python are kept loaded at a time. */
const mostKept = 2;

/** How long one is kept that nobody asks for, in ms. */
const idleMs = 60_000;

interface Kept {
  python: PythonStrategy;
  folder: string;
  runner: WhatIfRunner;
  showsAccount: boolean;
}

/** Strategies in Python that wait for the next change: what they have computed is kept, and loading one takes longer than a replay. */
export class KeptPython {
  readonly #kept = new Map<string, Kept>(); // the one that was used last is the last one
  #idle: NodeJS.Timeout | undefined;

  /** Replays with changes, or says which series the strategy has to be given before. Fails: StrategyError, and as `backtest` */
  async replay(task: WhatIfTask & { python: PythonOfTask; key: string }): Promise<WhatIfResult> {
    clearTimeout(this.#idle);
    try {
      return await this.#replay(task, false);
    } finally {
      this.#idle = setTimeout(() => void this.#endAll(), idleMs).unref();
    }
  }

  async #replay(task: WhatIfTask & { python: PythonOfTask; key: string }, showsAccount: boolean): Promise<WhatIfResult> {
    const began = performance.now();
    const known = this.#kept.get(task.key);
    this.#kept.delete(task.key);
    if (known !== undefined && showsAccount && !known.showsAccount) await end(known);
    const usable = known === undefined || (showsAccount && !known.showsAccount) ? await load(task, showsAccount) : known;
    if ('wanted' in usable) return { ok: true, wanted: usable.wanted };
    this.#kept.set(task.key, usable);
    const [oldest] = this.#kept;
    if (this.#kept.size > mostKept && oldest !== undefined) {
      this.#kept.delete(oldest[0]);
      await end(oldest[1]);
    }
    try {
      const replayed = usable.runner.replay(task.changes);
      if (!replayed.ok) return { ok: false, fault: replayed.reasons.join(' ') };
      return { ok: true, report: replayed.report, tookMs: performance.now() - began };
    } catch (error) {
      this.#kept.delete(task.key);
      await end(usable);
      if (!(error instanceof Wanted)) throw await usable.python.explained(error);
      const { what } = error;
      if (what === 'account') return this.#replay(task, true);
      const { pairs } = task.python;
      // Who asks for a timeframe of one of the pairs asks for it of each.
      return { ok: true, wanted: pairs.includes(what.symbol) ? pairs.map((symbol) => ({ ...what, symbol })) : [what] };
    }
  }

  async #endAll(): Promise<void> {
    const all = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.all(all.map(end));
  }
}

async function load(
  task: WhatIfTask & { python: PythonOfTask },
  showsAccount: boolean,
): Promise<Kept | { wanted: PythonStrategy['description']['announced'] }> {
  const { code, python } = task;
  if (code === null || 'document' in code) throw new Error('A strategy in Python has texts');
  const { file, exportName, files } = code satisfies CodeToRun;
  const folder = processFolder();
  let loaded: PythonStrategy | null = null;
  try {
    writeTexts(folder, files);
    const { program, config, pairs, parameters, series } = python;
    const asked = { source: { folder, file }, exportName, config, pairs, markets: marketWords(pairs), parameters };
    loaded = await PythonStrategy.load(startWaited(pythonCommand(program, wallsOfSystem())), asked);
    const given = new Set(series.map(({ name }) => nameOfSeries(name)));
    const wanted = loaded.description.announced.filter((name) => !given.has(nameOfSeries(name)));
    if (wanted.length > 0) {
      await end({ python: loaded, folder });
      return { wanted };
    }
    for (const { name, candles } of series) loaded.putSeries(name, candles);
    return { python: loaded, folder, runner: runnerOf(loaded, task, showsAccount), showsAccount };
  } catch (error) {
    if (loaded !== null) await end({ python: loaded, folder });
    else rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function runnerOf(python: PythonStrategy, task: WhatIfTask, showsAccount: boolean): WhatIfRunner {
  const callbacks = python.callbacks();
  const strategy = engineStrategy(
    python.description,
    (symbol, candles) => python.columns(symbol, candles, { indicators: true, keep: true }),
    callbacks,
  );
  const isShown = showsAccount || python.readsAccount;
  const startingBalance = tradableAtStart(task.terms.settings);
  return new WhatIfRunner({
    ...setupOfTask(strategy, task),
    compute(candles, parameters, symbol) {
      python.giveParameters(parameters);
      return python.columns(symbol, candles, { indicators: true, keep: true });
    },
    watch: (view) => python.begin(isShown ? { view, startingBalance } : null),
    // Its callbacks look at what was computed last.
    keepsNoSignals: Object.keys(callbacks).some((name) => name !== 'stopAfterFill'),
  });
}

async function end({ python, folder }: Pick<Kept, 'python' | 'folder'>): Promise<void> {
  await python.end();
  rmSync(folder, { recursive: true, force: true });
}
