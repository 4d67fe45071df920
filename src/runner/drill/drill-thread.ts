import { errorText } from '#engine/ports/error-text.ts';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { DrillMessage, DrillPlan } from './drill-plan.ts';
import { runDrill } from './run-drill.ts';

// Pure work beside the page: it waits for everybody else, where the priority of a thread is its own.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const send = (message: DrillMessage): void => parentPort?.postMessage(message);
runDrill(workerData as DrillPlan).then(
  (result) => send({ result }),
  (error: unknown) => send({ fault: errorText(error) }),
);
