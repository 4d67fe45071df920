import { errorText } from '#engine/ports/error-text.ts';
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { CannotReplay } from './certificates/cannot-replay.ts';
import { SeriesWanted } from './certificates/python-on-day.ts';
import { runCertificate } from './certificates/run-certificate.ts';
import type { CalculatedResult, CalculatingTask } from './calculating-thread.ts';
import { runHindsight } from './run-hindsight.ts';
import { strategyOfTask } from '../strategy-of-task.ts';
import { KeptPython } from './what-if/kept-python.ts';
import { runWhatIf } from './what-if/run-what-if.ts';
import { runReplay } from './run-replay.ts';

// Pure work beside the page: it waits for everybody else. Linux knows the priority of a thread; elsewhere it would be that of
// the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const keptPython = new KeptPython();

parentPort?.on('message', (task: CalculatingTask) => {
  void resultOf(task).then((result) => parentPort?.postMessage(result));
});

async function resultOf(task: CalculatingTask): Promise<CalculatedResult> {
  try {
    if ('stretches' in task) return { ok: true, replay: await runCertificate(task) };
    if ('changes' in task && task.python !== null) return await keptPython.replay({ ...task, python: task.python });
    const strategy = await strategyOfTask(task);
    if ('changes' in task) return runWhatIf(strategy, task);
    if ('entries' in task) return { ok: true, replay: runReplay(strategy, task) };
    return { ok: true, figures: runHindsight(strategy, task) };
  } catch (error) {
    if (error instanceof SeriesWanted) return { ok: true, wanted: error.names };
    if (error instanceof CannotReplay) return { ok: false, why: error.message, mayPass: error.mayPass };
    return { ok: false, fault: errorText(error) };
  }
}
