import { parentPort, workerData } from 'node:worker_threads';
import { EpochRunner, type Hardship } from '#engine/lab/epoch-runner.ts';
import type { Point } from '#engine/lab/dimension.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { computeSignals, guardCallbacks } from '#strategy-process/code/guarded-strategy.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import { CommandError } from '../command-error.ts';
import { loadStrategy } from '../backtest/strategy-file.ts';
import { runnerInPython } from './runner-in-python.ts';
import type { PointAnswer, StudyAnswer, StudyQuestion, StudyTask } from './study-task.ts';

// A thread of a study: it runs the points it is sent, until it is ended.
const task = workerData as StudyTask;
const answer = (given: StudyAnswer): void => parentPort?.postMessage(given);

/** Runs a point. */
type Run = (point: Point, hardship: Hardship | null) => Promise<PointAnswer>;

try {
  const run = await runOf(task);
  parentPort?.on('message', (question: StudyQuestion) => void runAll(run, question));
} catch (error) {
  answer({ faults: error instanceof CommandError || error instanceof StrategyError ? error.faults : [errorText(error)] });
}

async function runAll(run: Run, { points, hardship }: StudyQuestion): Promise<void> {
  const answers: PointAnswer[] = [];
  for (const point of points) {
    try {
      answers.push(await run(point, hardship));
    } catch (error) {
      answers.push({ fault: errorText(error) }); // one epoch that fails does not end the study
    }
  }
  answer({ answers });
}

async function runOf(task: StudyTask): Promise<Run> {
  const { strategyWord, startupCandles, settings, timeframe, python, ...setup } = task;
  if (python !== null) return await runnerInPython(task, python);
  const loaded = await loadStrategy(strategyWord);
  const strategy = { ...loaded, startupCandles };
  const copies = new WeakMap<CandleColumns, CandleColumns>();
  const runner = new EpochRunner({
    ...setup,
    base: { strategy, settings, timeframe },
    compute: (candles, parameters, symbol, others) => computeSignals(loaded, parameters, candles, symbol, others, copies),
    callbacks: guardCallbacks(loaded),
  });
  return (point, hardship) => Promise.resolve(runner.outcome(point, hardship));
}
