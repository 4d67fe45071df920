import { errorText } from '#engine/ports/error-text.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { HindsightResult, HindsightTask } from './hindsight-task.ts';
import { runHindsight } from './run-hindsight.ts';

// Pure work beside the page: it waits for everybody else. Linux knows the priority of a thread; elsewhere it would be that of
// the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', (task: HindsightTask) => parentPort?.postMessage(resultOf(task)));

function resultOf(task: HindsightTask): HindsightResult {
  try {
    return { ok: true, figures: runHindsight(strategyOfClass(task.strategyClass), task) };
  } catch (error) {
    return { ok: false, fault: errorText(error) };
  }
}
