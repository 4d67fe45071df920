import { workerData } from 'node:worker_threads';
import type { DeadlineData } from './waiting-process.ts';

// A thread that ends a process which has not answered in time: the thread that waits for the answer can do nothing else.
const { pid, shared, pollMs } = workerData as DeadlineData;
const deadlineAt = new BigInt64Array(shared, 0, 1); // ms; 0: nothing was asked; -1: it was ended
const over = new Int32Array(shared, 8, 1);

while (Atomics.wait(over, 0, 0, pollMs) === 'timed-out') {
  const deadline = Atomics.load(deadlineAt, 0);
  if (deadline <= 0n || BigInt(Date.now()) <= deadline) continue;
  // Another question may have come in the meantime, with a deadline of its own.
  if (Atomics.compareExchange(deadlineAt, 0, deadline, -1n) !== deadline) continue;
  try {
    process.kill(-pid, 'SIGKILL'); // with whatever it has started
  } catch {
    break; // it has ended already
  }
}
