import { parentPort, workerData } from 'node:worker_threads';
import { judgeChoice } from '#engine/lab/judgement/judgement.ts';

// A thread of its own: thousands of epochs take seconds, and the worker must report meanwhile.
parentPort?.postMessage(judgeChoice(workerData as Float64Array[]));
