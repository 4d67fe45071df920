import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import type { Database } from './database.ts';
import { sentTogether } from './sent-together.ts';

const { db } = await freshDatabase();
await sql`create table said (n serial, word text unique)`.execute(db);

const say = (on: Database, word: string) => sql`insert into said (word) values (${word})`.execute(on);
const said = async (on: Database = db): Promise<string[]> => {
  const { rows } = await sql<{ word: string }>`select word from said order by n`.execute(on);
  return rows.map(({ word }) => word);
};

/** Says something when the statements before its second one have been answered. */
async function sayTwice(on: Database, word: string): Promise<void> {
  await say(on, `${word} 1`);
  await say(on, `${word} 2`);
}

test('statements that are sent together are done in their sequence, and each sees what those before it have done', async () => {
  await db.transaction().execute(async (trx) => {
    const results = await sentTogether(trx, (now) => [
      said(now),
      say(now, 'a'),
      null,
      said(now),
      sayTwice(now, 'b'),
      say(now, 'c'),
      said(now),
    ]);
    expect([results[0], results[2], results[3], results[6]]).toEqual([[], null, ['a'], ['a', 'b 1', 'c']]);
    await sql`delete from said`.execute(trx);
  });
});

test('those inside others go in their place', async () => {
  await db.transaction().execute(async (trx) => {
    await sentTogether(trx, (now) => [
      say(now, 'a'),
      sentTogether(now, (inner) => [say(inner, 'b'), say(inner, 'c')]),
      say(now, 'd'),
      sentTogether(now, (inner) => [say(inner, 'e')]),
    ]);
    expect(await said(trx)).toEqual(['a', 'b', 'c', 'd', 'e']);
    await sql`delete from said`.execute(trx);
  });
});

test('the first failure is what it fails with, when all have been answered; nothing is left of the transaction', async () => {
  let isLastAnswered = false;
  const failed = db.transaction().execute(async (trx) => {
    await sentTogether(trx, (now) => [
      say(now, 'a'),
      say(now, 'a'), // the first: a word is said once
      say(now, 'b'),
      sayTwice(now, 'c').finally(() => (isLastAnswered = true)),
    ]);
  });
  await expect(failed).rejects.toThrow('duplicate key value');
  expect(isLastAnswered).toBe(true);
  expect(await said()).toEqual([]);
  await db.transaction().execute((trx) => sentTogether(trx, (now) => [say(now, 'again')])); // the connection can be used
  expect(await said()).toEqual(['again']);
});
