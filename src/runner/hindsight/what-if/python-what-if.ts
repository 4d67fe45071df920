import { withChanges } from '#engine/lab/what-if/changes.ts';
import type { WhatIfAnswer } from '#engine/lab/what-if/what-if-answer.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import type { PythonPlaces } from '#strategy-process/python/find-python.ts';
import { pythonOf } from '#strategy-process/python/python-facts.ts';
import { readsSettings } from '#strategy-process/python/reads-settings.ts';
import { nameOfSeries } from '#strategy-process/python/series-name.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import type { PythonOfTask } from '../../jobs/python-of-task.ts';
import { pythonOfRun } from '../../jobs/python-of-run.ts';
import { pythonSeries } from '../../jobs/python-series.ts';
import { type CalculationDependencies, Calculations } from '../calculations.ts';
import { type WhatIfQuestion, withTask } from './answer-what-if.ts';

/** What answers about the past need. */
export interface HindsightDependencies extends CalculationDependencies {
  python?: PythonPlaces; // of strategies in Python; without, they are not replayed
}

/** A strategy that asks for more series than this, one after the other, is not waited for. */
const mostBeginnings = 20;

/** Whether a version is in Python. */
export function isInPython(code: StrategyCode | null): boolean {
  return code !== null && pythonOf(code.description) !== null;
}

/** Replays of strategies in Python, in a thread of their own: loading one takes seconds, which nobody else is to wait for. */
export class PythonWhatIf {
  readonly #dependencies: HindsightDependencies;
  readonly #calculations: Calculations;
  readonly #series = new Map<string, PythonOfTask['series']>(); // that a strategy was given, by the key of its task

  constructor(dependencies: HindsightDependencies) {
    this.#dependencies = dependencies;
    this.#calculations = new Calculations({ ...dependencies, thread: { longestMs: 90_000, idleMs: 120_000 } });
  }

  /** Answers a question; `signal` ends it when nobody waits any more. */
  async ask(question: WhatIfQuestion, signal: AbortSignal): Promise<WhatIfAnswer> {
    return this.#calculations.newest(`what-if ${question.userId}`, signal, async (over) => {
      try {
        return await this.#answer(question, over);
      } catch (error) {
        if (error instanceof StrategyError) return { state: 'unavailable', why: error.message };
        throw error;
      }
    });
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await this.#calculations.close();
  }

  async #answer(question: WhatIfQuestion, over: AbortSignal): Promise<WhatIfAnswer> {
    const { code, terms, changes } = question;
    const { python: places } = this.#dependencies;
    if (places === undefined || code === null) return { state: 'unavailable', why: 'Strategies in Python are not calculated here.' };
    const changed = withChanges({ ...terms, declared: terms.strategy.parameters }, changes);
    if (!changed.ok) return { state: 'unavailable', why: changed.reasons.join(' ') };
    // A class that looks at its settings is loaded again with others; else it stays loaded.
    const settings = readsSettings(code.files ?? {}) ? changed.settings : terms.settings;
    const { exchangeId, pairs, timeframe, parameters, from, to } = terms;
    const python = pythonOfRun({ python: places }, code, { exchangeId, pairs, timeframe, settings, parameters });
    if (python === null) return { state: 'unavailable', why: 'Strategies in Python are not calculated here.' };
    const key = JSON.stringify([code.id, python.config, terms.settings, parameters, from, to, terms.detailTimeframe]);
    return withTask(this.#calculations, question, over, async (task, thread) => {
      for (let beginnings = 0; beginnings <= mostBeginnings; beginnings++) {
        const given = { ...python, series: this.#series.get(key) ?? [] };
        const result = await thread.calculate({ ...task, python: given, key });
        if (!result.ok) return { state: 'unavailable', why: result.fault };
        if (!('wanted' in result)) return { state: 'done', report: result.report, tookMs: result.tookMs };
        await this.#give(key, question, result.wanted, over);
      }
      return { state: 'unavailable', why: 'The strategy asks for more and more series that it does not announce.' };
    });
  }

  /** Reads series for the next beginning. */
  async #give(
    key: string,
    { terms }: WhatIfQuestion,
    wanted: readonly PythonOfTask['series'][number]['name'][],
    signal: AbortSignal,
  ): Promise<void> {
    const { db, markets, disk, now, log } = this.#dependencies;
    const dependencies = { db, markets, disk, now, log, cacheFolder: null };
    for (const name of wanted) {
      const known = this.#series.get(key) ?? [];
      if (known.some((each) => nameOfSeries(each.name) === nameOfSeries(name))) continue;
      const work = { signal, progress: () => Promise.resolve() };
      const { candles } = await pythonSeries(dependencies, terms.exchangeId, name, terms, terms.strategy.startupCandles, work).catch(
        (error: unknown) => {
          throw new StrategyError(errorText(error));
        },
      );
      if (this.#series.size > 4 && !this.#series.has(key)) this.#series.clear(); // candles take memory
      this.#series.set(key, [...known, { name, candles }]);
    }
  }
}
