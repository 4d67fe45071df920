// What live bots wait for before an order may leave: the step on the disk, and the permit to send it, without an exchange beside them.
//   BOTS=500 npm run bench steps
import { databaseSteps } from '#runner/bots/step-writer.ts';
import { databasePermits } from '#runner/orders/order-store.ts';
import type { Step } from '#storage/bots/running-bots.ts';
import { renewLease } from '#storage/bots/runners.ts';
import { openDatabase } from '#storage/database.ts';
import { anEntryStep } from '#storage/testing/an-entry-step.ts';
import { randomUUID } from 'node:crypto';
import { quantile, row } from './support/figures.ts';
import { newInstance } from './support/instance.ts';

const bots = Number(process.env['BOTS'] ?? 500);
const botsOfOne = 20;
const bursts = [...Array.from({ length: 20 }, () => 1), ...Array.from({ length: 10 }, () => 10), 40, 40, 40];

const instance = await newInstance();
const db = openDatabase(instance.server.url, { connections: 12, staysOpen: true });
try {
  const runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: 'bench', exchanges: ['sandbox'] }, 3_600_000, true);
  const now = new Date();
  const entries: Step[] = [];
  for (let n = 0; n < bots; n++) entries.push(await anEntryStep(db, runnerId, now, `o${Math.floor(n / botsOfOne)}@example.com`));
  const steps = databaseSteps(db);
  const permits = databasePermits(db);
  const enter = async (step: Step): Promise<number> => {
    const from = performance.now();
    await steps.write(step);
    for (const { clientOrderId } of step.writes.entries ?? [])
      await permits.ask({ holder: step.holder, clientOrderId, isEntry: true, expiryMs: 10_000 });
    return performance.now() - from;
  };
  const taken = new Map<number, number[]>();
  for (const size of bursts) {
    const ms = await Promise.all(entries.splice(0, size).map(enter));
    taken.set(size, [...(taken.get(size) ?? []), ...ms]);
  }
  for (const [size, ms] of taken)
    row(
      `${size} of ${bots} live bots enter at once: step, commit and permit, p50 / p99`,
      `${quantile(ms, 0.5).toFixed(1)} / ${quantile(ms, 0.99).toFixed(1)} ms`,
      size === 1 ? 'no promise' : 'p99 under 50 ms',
    );
} finally {
  await db.destroy();
  await instance.remove();
}
