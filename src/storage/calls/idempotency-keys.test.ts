import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { freeKey, keepAnswer, reserveKey } from './idempotency-keys.ts';

const { db } = await freshDatabase();
const now = new Date('2026-03-01T12:00:00Z');
const at = (ms: number) => new Date(now.getTime() + ms);
const body = Buffer.from('body');
const answer = { status: 200, reply: '{}', cookies: ['a=1'] };
let keys = 0;
const newKey = () => ({ caller: 'somebody', call: 'POST /bots', key: `key ${++keys}` });

test('of twenty with one key at once one does the call, the others wait for it', async () => {
  const of = newKey();
  const states = (await Promise.all(Array.from({ length: 20 }, () => reserveKey(db, of, body, now)))).map(({ state }) => state);
  expect(states.toSorted()).toEqual([...Array.from({ length: 19 }, () => 'busy'), 'new']);
});

test('the first answer is given to the same body alone, until it ends', async () => {
  const of = newKey();
  await reserveKey(db, of, body, now);
  await keepAnswer(db, of, answer, at(5_000));
  expect(await reserveKey(db, of, body, at(4_999))).toEqual({ state: 'done', answer });
  expect(await reserveKey(db, of, Buffer.from('other'), at(4_999))).toEqual({ state: 'other' });
  for (const other of [{ caller: 'else' }, { call: 'POST /x' }, { key: 'else' }])
    expect(await reserveKey(db, { ...of, ...other }, body, now)).toEqual({ state: 'new' });
  expect(await reserveKey(db, of, body, at(5_000))).toEqual({ state: 'new' });
});

test('a call whose server died may be made again after a minute, one that failed at once', async () => {
  const of = newKey();
  await reserveKey(db, of, body, now);
  expect(await reserveKey(db, of, body, at(59_999))).toEqual({ state: 'busy' });
  expect(await reserveKey(db, of, body, at(60_000))).toEqual({ state: 'new' });
  await freeKey(db, of);
  expect(await reserveKey(db, of, body, at(60_000))).toEqual({ state: 'new' });
});

test('a caller that meets a key just as it is freed is asked to come again', async () => {
  const of = newKey();
  const started = await db.transaction().execute(async (first) => {
    await reserveKey(first, of, body, now);
    const second = reserveKey(db, of, body, now); // its row is there already, it does not know yet
    await untilWaiting(db, 1);
    // Comes between the two statements of the second caller, because it waited for the table before the second of them.
    const freeing = db.transaction().execute(async (trx) => {
      await sql`lock table idempotency_keys in access exclusive mode`.execute(trx);
      await freeKey(trx, of);
    });
    await untilWaiting(db, 2);
    return { second, freeing };
  });
  await started.freeing;
  expect(await started.second).toEqual({ state: 'busy' });
});
