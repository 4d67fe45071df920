import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BacktestPair } from '#engine/backtest/input.ts';
import { KeptStudy } from '#engine/lab/kept-study.ts';
import type { StudyRange } from '#engine/lab/study-range.ts';
import { fromKeptInstrument } from '#engine/market/kept-instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { OtherPairs } from '#engine/strategy/series.ts';
import type { StudyRow } from '#storage/studies/studies.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import { findStrategyById } from '#storage/strategies/strategies.ts';
import type { KnownStrategy } from '#strategies/known-strategy.ts';
import { knownOnCandles } from '#strategies/known-strategy.ts';
import { processFolder, writeTexts } from '#strategy-process/python/process-folder.ts';
import { StudyThreads } from '#strategy-process/study/study-threads.ts';
import type { BacktestDependencies } from '../backtest-dependencies.ts';
import { loadPlan } from '../plan-candles.ts';
import type { PythonOfTask } from '../python-of-task.ts';
import { pythonOfRun } from '../python-of-run.ts';
import { pythonSeries } from '../python-series.ts';
import { settingsOfPlan } from '../settings-of-plan.ts';
import { codeToRun } from '../../strategy-of-task.ts';
import { candlesHash } from './candles-hash.ts';
import { sharedByThreads } from './candles-of-threads.ts';
import type { StudyTask } from './study-task.ts';

/** The strategy of a study, as far as it is known without running it. */
export interface StrategyOfStudy {
  terms: StrategyView;
  code: StrategyCode | null;
  strategy: KnownStrategy;
}

/** The strategy of a study. Fails: Error in one sentence */
export async function strategyOfStudy({ db }: Pick<BacktestDependencies, 'db'>, row: StudyRow): Promise<StrategyOfStudy> {
  const terms = await findStrategyById(db, row.strategyId);
  if (terms === null) throw new Error('Strategy not found');
  const code = row.codeId === null ? null : await findCode(db, row.codeId);
  return { terms, code, strategy: knownOnCandles(terms.className, code, row.plan.timeframe as Timeframe) };
}

/** What the epochs of a study run on, loaded. */
interface Loaded {
  pairs: readonly Omit<BacktestPair, 'signals'>[];
  others: OtherPairs;
  range: StudyRange;
}

/** What threads run the epochs of a study with; a strategy in Python has no folder yet. */
export function taskOfStudy(
  dependencies: Pick<BacktestDependencies, 'python'>,
  { plan, bot, exchangeId, search, ground }: StudyRow,
  { terms, code, strategy }: StrategyOfStudy,
  { pairs, others, range }: Loaded,
  series: PythonOfTask['series'],
): Omit<StudyTask, 'python' | 'untouched'> & { python: PythonOfTask | null } {
  const timeframe = plan.timeframe as Timeframe;
  const [first] = pairs;
  if (first === undefined) throw new Error('A study has pairs');
  const stakeAmount = String(plan.stake_amount ?? plan.starting_balance / plan.max_open_trades);
  const { parameters, settings, uncosted } = settingsOfPlan(
    { exchangeId, plan, bot: bot ?? ground?.settings ?? null, stakeAmount },
    terms,
    strategy,
    first.instrument,
  );
  const symbols = pairs.map(({ instrument }) => instrument.symbol);
  const python = pythonOfRun(dependencies, code, { exchangeId, pairs: symbols, timeframe, settings: uncosted, parameters });
  return {
    strategyClass: terms.className,
    code: code === null ? null : codeToRun(code),
    timeframe,
    parameters,
    settings,
    startupCandles: strategy.startupCandles,
    dimensions: search.dimensions,
    loss: search.loss,
    minTrades: search.minTrades,
    pairs,
    others,
    detailTimeframe: plan.detail_timeframe as Timeframe | null,
    range,
    quirksOff: [],
    python: python === null ? null : { ...python, series },
  };
}

/** A study with the threads that run its epochs. */
export class OpenStudy {
  readonly threads: StudyThreads;
  #folder: string | null;
  #kept: KeptStudy;
  readonly #row: StudyRow;

  private constructor(row: StudyRow, threads: StudyThreads, folder: string | null) {
    this.#row = row;
    this.threads = threads;
    this.#folder = folder;
    this.#kept = new KeptStudy(row.search);
  }

  /** Opens a study, or its sealed time, from what is stored. Fails: Error in one sentence, also where its candles are others by now */
  static async open(
    dependencies: BacktestDependencies,
    row: StudyRow,
    what: 'studied' | 'sealed',
    threads: number,
    signal: AbortSignal,
  ): Promise<OpenStudy> {
    const { ground, plan, exchangeId } = row;
    const range = what === 'studied' ? ground?.range : ground?.sealed;
    if (ground === null || range === null || range === undefined) throw new Error('The study has not been prepared');
    const known = await strategyOfStudy(dependencies, row);
    const { strategy } = known;
    const span = { from: Date.parse(plan.from), to: ground.until };
    const instruments = new Map(ground.instruments.map((kept) => [kept.symbol, fromKeptInstrument(kept)]));
    const { pairs, others } = await loadPlan(dependencies, { exchangeId, plan, strategy, span }, instruments);
    if (candlesHash(pairs, others) !== ground.candles)
      throw new Error('The candles of this study have changed since it began, so its epochs cannot be compared any more: begin another.');
    const work = { signal, progress: () => Promise.resolve() };
    const series = await Promise.all(
      ground.series.map(async (each) => {
        return { name: each, candles: (await pythonSeries(dependencies, exchangeId, each, span, strategy.startupCandles, work)).candles };
      }),
    );
    const { python, ...task } = taskOfStudy(dependencies, row, known, { pairs, others, range }, series);
    const folder = python === null ? null : folderOf(task.code);
    const given = await sharedByThreads({ ...task, python: python === null || folder === null ? null : { ...python, folder } }).catch(
      (error: unknown) => {
        if (folder !== null) rmSync(folder, { recursive: true, force: true });
        throw error;
      },
    );
    return new OpenStudy(row, new StudyThreads(join(import.meta.dirname, 'study-thread.ts'), given, threads), folder);
  }

  /** A study that knows a beginning of what is stored. */
  get kept(): KeptStudy {
    return this.#kept;
  }

  /** Begins again to learn from what is stored: it may know what was not kept after all. */
  forget(): void {
    this.#kept = new KeptStudy(this.#row.search);
  }

  /** Ends its threads. */
  async close(): Promise<void> {
    await this.threads.close();
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }
}

/** A new folder with the texts of a strategy. */
function folderOf(code: StudyTask['code']): string {
  const folder = processFolder();
  if (code !== null && !('document' in code)) writeTexts(folder, code.files);
  return folder;
}
