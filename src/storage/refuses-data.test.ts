import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { openDatabase } from './database.ts';
import { refusesData } from './refuses-data.ts';

const { db } = await freshDatabase();
const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('It did not fail'),
    (error: unknown) => error,
  );

test.each([
  ['a text that is not JSON', () => sql`select '{'::jsonb`.execute(db), true],
  ['a value that a column cannot hold', () => sql`insert into facts (key, value) values ('a', null)`.execute(db), true],
  ['a value that cannot be sent', async () => JSON.stringify(1n), true],
  ['an invalid time', async () => new Date(NaN).toISOString(), true],
  ['a table that is not there', () => sql`select from away`.execute(db), false],
  ['a statement that was given up', () => cancelled(), false],
  ['a server that does not answer', () => sql`select`.execute(openDatabase('postgresql://127.0.0.1:1/none')), false],
  ['a function that is there already', () => Promise.reject(Object.assign(new Error('42723'), { code: '42723' })), false],
  ['nothing', () => Promise.reject(null), false], // oxlint-disable-line prefer-promise-reject-errors
  ['something that is not an error', () => Promise.reject('gone'), false], // oxlint-disable-line prefer-promise-reject-errors
])('%s', async (_what, work, isRefused) => {
  expect(refusesData(await failureOf(work()))).toBe(isRefused);
});

const cancelled = () =>
  db.transaction().execute(async (trx) => {
    await sql`set local statement_timeout = 5`.execute(trx);
    await sql`select pg_sleep(10)`.execute(trx);
  });
