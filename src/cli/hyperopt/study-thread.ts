import { parentPort, workerData } from 'node:worker_threads';
import { EpochRunner, type Hardship } from '#engine/lab/epoch-runner.ts';
import type { Point } from '#engine/lab/dimension.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { computeSignals, guardCallbacks } from '#strategy-process/code/guarded-strategy.ts';
import { CommandError } from '../command-error.ts';
import { loadStrategy } from '../backtest/strategy-file.ts';
import type { PointAnswer, StudyAnswer, StudyQuestion, StudyTask } from './study-task.ts';

// A thread of a study: it runs the points it is sent, until it is ended.
const task = workerData as StudyTask;
const answer = (given: StudyAnswer): void => parentPort?.postMessage(given);

try {
  const runner = await runnerOf(task);
  parentPort?.on('message', ({ points, hardship }: StudyQuestion) => {
    answer({ answers: points.map((point) => outcomeOf(runner, point, hardship)) });
  });
} catch (error) {
  answer({ faults: error instanceof CommandError ? error.faults : [errorText(error)] });
}

async function runnerOf({ strategyWord, startupCandles, settings, timeframe, ...setup }: StudyTask): Promise<EpochRunner> {
  const loaded = await loadStrategy(strategyWord);
  const strategy = { ...loaded, startupCandles };
  const copies = new WeakMap<CandleColumns, CandleColumns>();
  return new EpochRunner({
    ...setup,
    base: { strategy, settings, timeframe },
    compute: (candles, parameters, symbol, others) => computeSignals(loaded, parameters, candles, symbol, others, copies),
    callbacks: guardCallbacks(loaded),
  });
}

/** One epoch that fails does not end the study. */
function outcomeOf(runner: EpochRunner, point: Point, hardship: Hardship | null): PointAnswer {
  try {
    return runner.outcome(point, hardship);
  } catch (error) {
    return { fault: errorText(error) };
  }
}
