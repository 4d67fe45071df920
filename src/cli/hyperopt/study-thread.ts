import { parentPort, workerData } from 'node:worker_threads';
import { EpochRunner, type Hardship, type PointAnswer } from '#engine/lab/epoch-runner.ts';
import type { Point } from '#engine/lab/dimension.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { computeSignals, guardCallbacks } from '#strategy-process/code/guarded-strategy.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import type { StudyAnswer, StudyQuestion } from '#strategy-process/study/study-questions.ts';
import { CommandError } from '../command-error.ts';
import { loadStrategy } from '../backtest/strategy-file.ts';
import { pythonEpochs } from './python-epochs.ts';
import type { StudyTask } from './study-task.ts';

// A thread of a study: it runs the points it is sent, until it is ended.
const task = workerData as StudyTask;
const answer = (given: StudyAnswer): void => parentPort?.postMessage(given);

/** Runs a point; one epoch that fails does not end the study. */
type RunPoint = (point: Point, hardship: Hardship | null) => PointAnswer | Promise<PointAnswer>;

try {
  const run = task.python === null ? await epochsHere(task) : await pythonEpochs(task, task.python);
  parentPort?.on('message', (question: StudyQuestion) => void answerAll(run, question));
} catch (error) {
  answer({ faults: error instanceof CommandError || error instanceof StrategyError ? error.faults : [errorText(error)] });
}

async function answerAll(run: RunPoint, { points, hardship }: StudyQuestion): Promise<void> {
  const answers: PointAnswer[] = [];
  for (const point of points) answers.push(await run(point, hardship));
  answer({ answers });
}

async function epochsHere({ strategyWord, startupCandles, settings, timeframe, ...setup }: StudyTask): Promise<RunPoint> {
  const loaded = await loadStrategy(strategyWord);
  const strategy = { ...loaded, startupCandles };
  const copies = new WeakMap<CandleColumns, CandleColumns>();
  const runner = new EpochRunner({
    ...setup,
    base: { strategy, settings, timeframe },
    compute: (candles, parameters, symbol, others) => computeSignals(loaded, parameters, candles, symbol, others, copies),
    callbacks: guardCallbacks(loaded),
  });
  return (point, hardship) => {
    try {
      return runner.outcome(point, hardship);
    } catch (error) {
      return { fault: errorText(error) };
    }
  };
}
