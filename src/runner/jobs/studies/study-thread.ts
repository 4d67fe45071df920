import { parentPort, workerData } from 'node:worker_threads';
import type { Point } from '#engine/lab/dimension.ts';
import { EpochRunner, type Hardship, type PointAnswer } from '#engine/lab/epoch-runner.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { computeSignals } from '#strategy-process/code/guarded-strategy.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import type { StudyAnswer, StudyQuestion } from '#strategy-process/study/study-questions.ts';
import { strategyOfTask } from '../../strategy-of-task.ts';
import { pythonEpochs } from './python-epochs.ts';
import { putBack, untouchedOf } from './candles-of-threads.ts';
import { beginningAt, type StudyTask } from './study-task.ts';

// A thread of a study: it runs the points it is sent, until it is ended.
const task = workerData as StudyTask;
const send = (answer: StudyAnswer): void => parentPort?.postMessage(answer);

/** Runs a point; one epoch that fails does not end the study. */
type RunPoint = (point: Point, hardship: Hardship | null) => PointAnswer | Promise<PointAnswer>;

try {
  const run = task.python === null ? await epochsHere(task) : await pythonEpochs(task, task.python);
  parentPort?.on('message', (question: StudyQuestion) => void answerAll(run, question));
} catch (error) {
  send({ faults: error instanceof StrategyError ? error.faults : [errorText(error)] });
}

async function answerAll(run: RunPoint, { points, hardship }: StudyQuestion): Promise<void> {
  const answers: PointAnswer[] = [];
  for (const point of points) answers.push(await run(point, hardship));
  send({ answers });
}

async function epochsHere(given: StudyTask): Promise<RunPoint> {
  const { parameters, settings, startupCandles, timeframe, untouched, ...setup } = given;
  const loaded = await strategyOfTask(given);
  const strategy = { ...loaded, startupCandles, parameters: beginningAt(loaded.parameters, parameters) };
  const copies = new WeakMap<CandleColumns, CandleColumns>();
  const runner = new EpochRunner({
    ...setup,
    base: { strategy, settings, timeframe },
    compute(candles, values, symbol, others) {
      const shown = [candles, ...Object.values(others)];
      for (const each of shown) {
        const before = copies.has(each) ? null : untouchedOf(untouched, each);
        if (before !== null) copies.set(each, before);
      }
      try {
        return computeSignals(loaded, values, candles, symbol, others, copies);
      } catch (error) {
        // It may have changed them, and all threads read the same.
        for (const each of shown) putBack(each, copies.get(each) ?? each);
        throw error;
      }
    },
    callbacks: loaded.callbacks ?? {},
  });
  return (point, hardship) => {
    try {
      return runner.outcome(point, hardship);
    } catch (error) {
      return { fault: errorText(error) };
    }
  };
}
