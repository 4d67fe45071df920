import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { PgBoss } from 'pg-boss';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { anOutcome } from '../../../test/support/an-outcome.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addBacktest, findBacktest, stopBacktest } from './backtests.ts';
import type { BacktestHandler, Jobs } from './jobs.ts';
import { openJobs } from './jobs.ts';
import { aBacktest } from '../testing/a-backtest.ts';
import { addUser } from '../users/users.ts';
import { patienceMs } from '../../../test/support/patience.ts';

const { db, url } = await freshDatabase();
await sql`
  insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop,
    trailing_only_offset_is_reached, minimal_roi, order_types, order_time_in_force, position)
  values ('A', 'A', '', '{binance}', '5m', -0.1, false, false, '{}', '{}', '{}', 1)`.execute(db);

// The queue's schema is there before any test, so that what a test leaves can be removed whichever test runs first or fails.
await (await openJobs(db, url, { isWorker: false, onError() {} })).close();

const outcome = anOutcome();
let opened: Jobs[] = [];

afterEach(async () => {
  await Promise.all(opened.map((jobs) => jobs.close()));
  opened = [];
  logs = null;
  // What a test leaves is not the next one's work.
  await sql`delete from pgboss.job`.execute(db);
});

let logs: [what: string, cause: string][] | null = null; // null: nothing is to go wrong

async function open(isWorker = true): Promise<Jobs> {
  const jobs = await openJobs(db, url, {
    isWorker,
    onError: (error) => {
      if (logs === null) throw error;
      logs.push([error.message, error.cause instanceof Error ? error.cause.message : '']);
    },
  });
  opened.push(jobs);
  return jobs;
}

async function work(handler: BacktestHandler, concurrency = 1): Promise<Jobs> {
  const jobs = await open();
  await jobs.workBacktests(handler, { concurrency });
  return jobs;
}

let users = 0;

/** Enters a run of a new user and enqueues it, as a server does. */
async function request(jobs: Jobs): Promise<string> {
  const user = await addUser(db, { email: `user${++users}@example.com`, passwordHash: 'x', role: 'trader', verified: true });
  const strategy = await db.selectFrom('strategies').select('id').executeTakeFirstOrThrow();
  return db.transaction().execute(async (trx) => {
    const id = await addBacktest(trx, aBacktest({ userId: user?.id ?? '', strategyId: strategy.id }));
    await jobs.enqueueBacktest(trx, id ?? '');
    return id ?? '';
  });
}

/** Waits until the run's row looks so. */
async function until(id: string, wanted: Record<string, unknown>, wait = patienceMs): Promise<void> {
  const start = Date.now();
  for (;;) {
    const row = await findBacktest(db, id);
    if (Object.entries(wanted).every(([name, value]) => row?.[name as keyof typeof row] === value)) return;
    if (Date.now() - start > wait) expect(row).toMatchObject(wanted);
    await sleep(50);
  }
}

const hang: BacktestHandler = async (_, { signal }) => {
  await once(signal, 'abort');
  throw new Error('stopped');
};

test('a run is worked on, reports its progress and is done', async () => {
  const seen: unknown[] = [];
  const jobs = await work(async (run, { progress }) => {
    seen.push(run.symbol, run.days);
    await progress('downloading', 0.5, 'Downloading candles 2025-03 (120 of 365 days)');
    seen.push(await findBacktest(db, run.id).then((row) => [row?.status, row?.progress, row?.step]));
    await progress('running', 0.25, 'Loading candles');
    seen.push(await findBacktest(db, run.id).then((row) => [row?.status, row?.progress, row?.step]));
    return outcome;
  });
  const id = await request(jobs);
  await until(id, { status: 'done', progress: '1' });
  expect(seen).toEqual([
    'BTC/USDT',
    30,
    ['downloading', '0.5', 'Downloading candles 2025-03 (120 of 365 days)'],
    ['running', '0.25', 'Loading candles'],
  ]);
  expect((await findBacktest(db, id))?.metrics).toEqual(outcome.metrics);
});

test('a handler that throws ends its run with its sentence, once', async () => {
  let calls = 0;
  const jobs = await work(async () => {
    calls++;
    throw new Error('Failed to download historical data');
  });
  const id = await request(jobs);
  await until(id, { status: 'failed', error: 'Failed to download historical data' });
  await sleep(1_500);
  expect(calls).toBe(1);
});

test('a run that was rolled back is never worked on', async () => {
  const seen: string[] = [];
  const jobs = await work(async (run) => {
    seen.push(run.id);
    return outcome;
  });
  const rolledBack = { id: '' };
  await expect(
    db.transaction().execute(async (trx) => {
      const [user] = await trx.selectFrom('users').select('id').limit(1).execute();
      const strategy = await trx.selectFrom('strategies').select('id').executeTakeFirstOrThrow();
      rolledBack.id = (await addBacktest(trx, aBacktest({ userId: user?.id ?? '', strategyId: strategy.id }))) ?? '';
      await jobs.enqueueBacktest(trx, rolledBack.id);
      throw new Error('roll back');
    }),
  ).rejects.toThrow('roll back');
  const { rows: kept } = await sql`select 1 from pgboss.job where id = ${rolledBack.id}`.execute(db);
  expect(kept).toEqual([]); // the job goes with its run
  const id = await request(jobs);
  await until(id, { status: 'done' });
  expect(rolledBack.id).not.toBe('');
  expect(seen).toEqual([id]);
});

test('four programs that open the queue of a new database at once all get it', async () => {
  const fresh = await freshDatabase();
  const options = { isWorker: true, onError() {} };
  opened.push(...(await Promise.all([1, 2, 3, 4].map(() => openJobs(fresh.db, fresh.url, options)))));
  expect(opened).toHaveLength(4);
});

test('a connection that the server ends while the queue is closed is not an error', async () => {
  const errors: string[] = [];
  const fresh = await freshDatabase();
  for (let round = 0; round < 5; round++) {
    const jobs = await openJobs(fresh.db, fresh.url, { isWorker: true, onError: (error) => errors.push(error.message) });
    await Promise.all(Array.from({ length: 8 }, () => jobs.recoverBacktests()));
    const cut = sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'flotilla jobs' and datname = current_database()`;
    const state = { isClosed: false };
    const closed = jobs.close().then(() => (state.isClosed = true));
    while (!state.isClosed) await cut.execute(fresh.db); // the last one too: it would end connections of the next round
    await closed;
    await sleep(50);
  }
  expect(errors).toEqual([]);
});

test('what a program that only enqueues has sent is worked on by another', async () => {
  const server = await open(false);
  const id = await request(server);
  await sleep(1_000);
  expect((await findBacktest(db, id))?.status).toBe('downloading');
  await work(async () => outcome);
  await until(id, { status: 'done' });
});

test('no more runs at a time than the worker takes', async () => {
  let [now, most] = [0, 0];
  const two = Promise.withResolvers<void>();
  const jobs = await work(async () => {
    most = Math.max(most, ++now);
    if (now === 2) two.resolve();
    await two.promise;
    await sleep(400); // a third would come meanwhile
    now--;
    return outcome;
  }, 2);
  const ids = await Promise.all(Array.from({ length: 5 }, () => request(jobs)));
  for (const id of ids) await until(id, { status: 'done' });
  expect(most).toBe(2);
});

test('a cancelled run is ended at once, its worker is stopped within a second, and nobody takes it up again', async () => {
  let calls = 0;
  let stoppedAt = 0;
  const jobs = await work(async (run, context) => {
    calls++;
    return hang(run, context).finally(() => (stoppedAt = Date.now()));
  });
  const id = await request(jobs);
  await vi.waitFor(() => expect(calls).toBe(1), patienceMs);
  expect(await jobs.cancelBacktest(id, 'Cancelled')).toBe(true);
  await until(id, { status: 'failed', error: 'Cancelled', cancelled: true }, 0);
  expect(await jobs.cancelBacktest(id, 'Cancelled again')).toBe(false);
  await vi.waitFor(() => expect(stoppedAt).toBeGreaterThan(0), patienceMs);
  await sleep(1_500);
  expect(calls).toBe(1);
});

test('progress fails once the run has ended, so that a handler stops', async () => {
  const failed: unknown[] = [];
  const jobs = await work(async (run, { progress }) => {
    await stopBacktest(db, run.id, 'Cancelled');
    await progress('running', 0.5, 'Running').catch((error: unknown) => failed.push(error));
    return outcome;
  });
  const id = await request(jobs);
  await until(id, { status: 'failed', error: 'Cancelled' });
  await sleep(500);
  expect(failed).toHaveLength(1);
  expect(await findBacktest(db, id)).toMatchObject({ status: 'failed', metrics: null });
});

test('progress that cannot be written is left to the next time: the run continues', async () => {
  logs = [];
  await sql`create function refused() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`.execute(db);
  await sql`create trigger refused before update on backtests for each row when (new.step = 'Refused') execute function refused()`.execute(
    db,
  );
  onTestFinished(async () => void (await sql`drop trigger refused on backtests`.execute(db)));
  const steps: unknown[] = [];
  const jobs = await work(async (run, { progress }) => {
    for (const step of ['Before', 'Refused', 'After']) {
      await progress('running', 0.5, step);
      steps.push((await findBacktest(db, run.id))?.step);
    }
    return outcome;
  });
  const id = await request(jobs);
  await until(id, { status: 'done', error: null });
  expect(steps).toEqual(['Before', 'Before', 'After']);
  expect(logs).toEqual([[`The progress of the backtest ${id} could not be written`, 'not now']]);
});

test('a run whose worker loses the database is tried again; it has not failed', async () => {
  logs = [];
  const attempts: number[] = [];
  const jobs = await work(async (run) => {
    attempts.push(run.attempt);
    if (attempts.length === 1) throw Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' });
    return outcome;
  });
  const id = await request(jobs);
  await until(id, { status: 'done', error: null });
  expect(attempts).toEqual([0, 1]);
  expect(logs).toEqual([[expect.stringContaining(id), 'terminating connection due to administrator command']]);
});

test('a run for which the database takes too long each time ends with the general sentence, and each reason in the log', async () => {
  logs = [];
  const attempts: number[] = [];
  const jobs = await work(async (run) => {
    attempts.push(run.attempt);
    throw new Error('Query read timeout');
  });
  const id = await request(jobs);
  const isSpent = async () => (await sql`select from pgboss.job where id = ${id} and state = 'failed'`.execute(db)).rows.length === 1;
  await expect.poll(isSpent, { timeout: 4 * patienceMs }).toBe(true);
  await jobs.recoverBacktests();
  await until(id, {
    status: 'failed',
    error: 'The backtest was interrupted and could not be taken up again. Run it once more.',
  });
  expect(attempts).toEqual([0, 1, 2, 3, 4, 5]);
  expect(logs.map(([, cause]) => cause)).toEqual(attempts.map(() => 'Query read timeout'));
});

test('a worker that closes hands its run to the next one', async () => {
  let calls = 0;
  const first = await work(async (run, context) => {
    calls++;
    return hang(run, context);
  });
  const id = await request(first);
  await vi.waitFor(() => expect(calls).toBe(1), patienceMs);
  const stop = vi.spyOn(PgBoss.prototype, 'stop');
  onTestFinished(() => stop.mockRestore());
  await first.close();
  expect(stop.mock.calls).toEqual([[{ graceful: false }]]); // no run is waited for
  await work(async () => outcome);
  await until(id, { status: 'done' });
});

test('however many workers close while they are at it, it is done by the one that stays', async () => {
  const id = await request(await open());
  for (let stopped = 0; stopped < 7; stopped++) {
    const begun = Promise.withResolvers<void>();
    const worker = await work(async (run, context) => {
      begun.resolve();
      return hang(run, context);
    });
    await begun.promise;
    await worker.close();
  }
  await work(async () => outcome);
  await until(id, { status: 'done' });
});

test('the run of a worker that was killed is taken over, within 20 s', async () => {
  const asked = vi.spyOn(PgBoss.prototype, 'work');
  onTestFinished(() => asked.mockRestore());
  const jobs = await open();
  const id = await request(jobs);
  const program = `
    const { openDatabase } = await import(${JSON.stringify(join(import.meta.dirname, '../database.ts'))});
    const { openJobs } = await import(${JSON.stringify(join(import.meta.dirname, 'jobs.ts'))});
    const jobs = await openJobs(openDatabase(process.argv[1]), process.argv[1], { isWorker: true, onError() {} });
    await jobs.workBacktests(async (run, { progress }) => {
      await progress('running', 0.75, 'Running');
      console.log(run.id);
      await new Promise(() => {});
    }, { concurrency: 1 });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  expect(said.trim()).toBe(id);
  await until(id, { status: 'running', progress: '0.75' });
  const attempts: number[] = [];
  await jobs.workBacktests(
    async (run) => {
      attempts.push(run.attempt);
      return outcome;
    },
    { concurrency: 1 },
  );
  await sleep(3_000);
  expect(attempts).toEqual([]); // it is alive, so it keeps its run
  child.kill('SIGKILL');
  await once(child, 'exit');
  await until(id, { status: 'done' });
  expect(attempts).toEqual([1]);
  // What the 20 s come to, whatever the machine takes for it: the worker is dead 10 s after its last sign of life, ...
  const { rows } = await sql<{ heartbeatSeconds: number }>`select heartbeat_seconds from pgboss.job where id = ${id}`.execute(db);
  expect(rows).toEqual([{ heartbeatSeconds: 10 }]);
  // ... some seconds after that it is looked for, ...
  const looked: number[] = [];
  const leastPause = async (): Promise<number> => {
    const { rows: queues } = await sql<{ at: Date }>`select monitor_claim_on as at from pgboss.queue where name = 'backtests'`.execute(db);
    const at = queues[0]?.at.getTime() ?? 0;
    if (at !== looked.at(-1)) looked.push(at);
    return Math.min(...looked.slice(1).map((each, i) => each - (looked[i] ?? 0)));
  };
  await expect.poll(leastPause).toBeLessThan(7_000);
  // ... and its run is asked for every half a second.
  expect(asked.mock.calls.map(([, options]) => options)).toMatchObject([{ pollingIntervalSeconds: 0.5 }]);
});

test('a run may take six hours: it is not taken from its worker before, to begin again', async () => {
  const id = await request(await open());
  const { rows } = await sql`select expire_seconds from pgboss.job where id = ${id}`.execute(db);
  expect(rows).toEqual([{ expireSeconds: 6 * 3600 }]);
});

test('a run whose job is gone is ended while the worker runs, and its owner can start another', async () => {
  const everyMs = globalThis.setInterval;
  const intervals = vi
    .spyOn(globalThis, 'setInterval')
    .mockImplementation((work: () => void, ms?: number) => everyMs(work, ms === 30_000 ? 20 : ms));
  onTestFinished(() => intervals.mockRestore());
  const jobs = await work(hang);
  const id = await request({ ...jobs, enqueueBacktest: async () => undefined });
  await until(id, { status: 'failed', error: 'The backtest was interrupted and could not be taken up again. Run it once more.' });
});

test('runs whose job is gone or has failed for good are ended with a sentence, others are left', async () => {
  const jobs = await open();
  const [lost, spent, waiting] = [await request(jobs), await request(jobs), await request(jobs)];
  await sql`delete from pgboss.job where id = ${lost}`.execute(db);
  await sql`update pgboss.job set state = 'failed' where id = ${spent}`.execute(db);
  expect(await jobs.recoverBacktests()).toBe(2);
  for (const id of [lost, spent]) {
    expect(await findBacktest(db, id)).toMatchObject({
      status: 'failed',
      error: 'The backtest was interrupted and could not be taken up again. Run it once more.',
    });
  }
  expect(await findBacktest(db, waiting)).toMatchObject({ status: 'downloading' });
  await stopBacktest(db, waiting, 'end of the test');
});
