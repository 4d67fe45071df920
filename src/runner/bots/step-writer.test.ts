import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#storage/database.ts';
import { renewLease } from '#storage/bots/runners.ts';
import type { Step } from '#storage/bots/running-bots.ts';
import { writeStepsTogether } from '#storage/bots/running-bots.ts';
import { aStep } from '#storage/testing/a-step.ts';
import { anEntryStep } from '#storage/testing/an-entry-step.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { databasePermits } from '../orders/order-store.ts';
import { databaseSteps } from './step-writer.ts';

const { db, url } = await freshDatabase();
const runnerId = randomUUID();
await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
const some = async (n: number): Promise<Step[]> => {
  const steps: Step[] = [];
  for (let i = 0; i < n; i++) steps.push(await anEntryStep(db, runnerId, new Date()));
  return steps;
};

/** Somebody else holds a lock of the database, as a frozen runner would, until it is released. */
async function hold(lock: ReturnType<typeof sql>): Promise<() => Promise<void>> {
  const other = openDatabase(url, { connections: 1 });
  onTestFinished(() => other.destroy());
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = other.transaction().execute(async (trx) => {
    await lock.execute(trx);
    held.resolve();
    await release.promise;
  });
  await held.promise;
  return async () => {
    release.resolve();
    await holding;
  };
}
const waitingForLocks = async (): Promise<number> =>
  (await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)).rows.length;

test('OP-85 a step that enters nothing is written while entries wait for the limits of the server', async () => {
  const writer = databaseSteps(db);
  const [exit, ...entries] = (await some(6)) as [Step, ...Step[]];
  const release = await hold(sql`select pg_advisory_xact_lock(hashtextextended('limits of the server', 0))`);
  const first = entries.slice(0, 2).map((step) => writer.write(step));
  await expect.poll(waitingForLocks).toBe(1);
  const second = entries.slice(2).map((step) => writer.write(step)); // nothing of its kind can be written now
  await expect.poll(waitingForLocks).toBe(2);
  await writer.write({ ...exit, writes: aStep({ consecutiveLosses: 5 }) });
  expect(await waitingForLocks()).toBe(2);
  await release();
  await Promise.all([...first, ...second]);
  const { rows } = await sql<{ losses: number }>`select consecutive_losses as losses from bots order by 1`.execute(db);
  expect(rows.map(({ losses }) => losses)).toEqual([2, 2, 2, 2, 2, 5]);
});

test('OP-85 an exit may be sent while entries wait for the kill switch', async () => {
  const permits = databasePermits(db);
  const steps = await some(6);
  expect((await writeStepsTogether(db, steps)).size).toBe(steps.length);
  const ask = ({ holder, writes }: Step, isEntry: boolean) =>
    permits.ask({ holder, clientOrderId: writes.trades[0]?.orders[0]?.clientOrderId ?? '', isEntry, expiryMs: 2_000 });
  const [exit, ...entries] = steps as [Step, ...Step[]];
  const release = await hold(sql`select pg_advisory_xact_lock(7364002)`);
  const first = entries.slice(0, 2).map((step) => ask(step, true));
  await expect.poll(waitingForLocks).toBe(1);
  const second = entries.slice(2).map((step) => ask(step, true));
  await expect.poll(waitingForLocks).toBe(2);
  expect(await ask(exit, false)).toEqual({ kind: 'sent', expiresInMs: 2_000 });
  expect(await waitingForLocks()).toBe(2);
  await release();
  expect((await Promise.all([...first, ...second])).map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent', 'sent', 'sent']);
});
