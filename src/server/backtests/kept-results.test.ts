import { backtestDetails } from '#contract/backtests.ts';
import { addBacktest } from '#storage/backtests/backtests.ts';
import { aBacktest } from '#storage/testing/a-backtest.ts';
import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { anOutcome } from '../../../test/support/an-outcome.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { lockWaits, untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { KeptResults } from './kept-results.ts';

const { db } = await freshDatabase();
const bot = await addTestBot(db, { strategy: 'EmaCross', owner: 'mine@example.com' });
const of = await db.selectFrom('bots').select(['userId', 'strategyId']).where('id', '=', bot).executeTakeFirstOrThrow();
const runId = (await addBacktest(db, aBacktest(of))) ?? '';
await sql`update backtests set result = ${JSON.stringify(anOutcome().result)}, status = 'done', finished_at = now() where id = ${runId}`.execute(
  db,
);

/** Keeps every reader of runs waiting until what it returns is called. */
async function noneIsRead(): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = db.transaction().execute(async (trx) => {
    await sql`lock table backtests in access exclusive mode`.execute(trx);
    locked.resolve();
    await promise;
  });
  await locked.promise;
  return () => {
    resolve();
    return done;
  };
}

test('of all people one result is read at a time: the others wait without a connection', async () => {
  const results = new KeptResults(db);
  const letRead = await noneIsRead();
  const read = ['a', 'a', 'b', 'c', 'd'].map(async (person) => {
    const { made, free } = await results.hold({ person, runId, schema: backtestDetails, isGone: () => false });
    free();
    return made;
  });
  await untilWaiting(db, 1);
  await sleep(200); // for whoever would wait too
  expect(await lockWaits(db)).toBe(1);
  await letRead();
  for (const made of await Promise.all(read))
    expect(JSON.parse(Buffer.concat(made as Buffer[]).toString())).toMatchObject({ from: 0, to: 1 });
});

test('a person has the next when the one before has been sent, waits with four others at most, and keeps nobody else waiting', async () => {
  const results = new KeptResults(db);
  const hold = async (person: string) => results.hold({ person, runId, schema: backtestDetails, isGone: () => false });
  const first = await hold('a');
  let isThere = false;
  const second = hold('a').finally(() => (isThere = true));
  const others = [hold('a'), hold('a'), hold('a')];
  await expect(hold('a')).rejects.toMatchObject({ status: 429 });
  (await hold('b')).free();
  expect(isThere).toBe(false);
  first.free();
  (await second).free();
  for (const each of others) (await each).free();
});

test('nothing is read for who has gone, and one that fails keeps nobody waiting', async () => {
  const results = new KeptResults(db);
  const hold = async (isGone: boolean, id = runId) =>
    results.hold({ person: 'a', runId: id, schema: backtestDetails, isGone: () => isGone });
  await expect(hold(true)).rejects.toMatchObject({ status: 400 });
  await expect(hold(false, 'no id')).rejects.toThrow();
  (await hold(false)).free();
});
