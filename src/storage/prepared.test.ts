import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { openDatabase } from './database.ts';
import { writeFact } from './installation/facts.ts';
import { prepared } from './prepared.ts';

const { url } = await freshDatabase();
const db = openDatabase(url, { connections: 3 });
afterAll(() => db.destroy());
for (let i = 0; i < 50; i++) await writeFact(db, `fact ${i}`, { number: i });

const factByKey = prepared('fact by key', (on, of: { key: string }) =>
  on.selectFrom('facts').select(['key', 'value']).where('key', '=', of.key),
);

test('everybody who asks at the same time gets the answer to the own question', async () => {
  const keys = Array.from({ length: 500 }, (_, i) => `fact ${i % 50}`);
  const answers = await Promise.all(keys.map((key) => factByKey(db, { key })));
  expect(answers.map((rows) => rows[0]?.key)).toEqual(keys);
  expect(await factByKey(db, { key: 'none' })).toEqual([]);
});

test('a statement is planned once by a connection, and one that is built each time is not kept', async () => {
  const one = openDatabase(url, { connections: 1 });
  try {
    for (let i = 0; i < 10; i++) await factByKey(one, { key: `fact ${i}` });
    await one.selectFrom('facts').select('key').limit(1).execute();
    const { rows } = await sql<{ name: string; runs: number }>`
      select name, (generic_plans + custom_plans)::int as runs from pg_prepared_statements`.execute(one);
    expect(rows).toEqual([{ name: 'fact by key', runs: 10 }]);
  } finally {
    await one.destroy();
  }
});

test('in a transaction it sees what the transaction has written, and nothing of it after a rollback', async () => {
  const undone = db.transaction().execute(async (trx) => {
    await writeFact(trx, 'unsure', 1);
    expect(await factByKey(trx, { key: 'unsure' })).toEqual([{ key: 'unsure', value: 1 }]);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await factByKey(db, { key: 'unsure' })).toEqual([]);
});

test('open connections keep working when a migration adds a column', async () => {
  const one = openDatabase(url, { connections: 1 });
  try {
    const before = await factByKey(one, { key: 'fact 1' });
    await sql`alter table facts add column later text`.execute(db);
    expect(await factByKey(one, { key: 'fact 1' })).toEqual(before);
  } finally {
    await sql`alter table facts drop column later`.execute(db);
    await one.destroy();
  }
});

test('a statement that asks for all columns is refused, because a migration would break it', async () => {
  const all = prepared('all facts', (on) => on.selectFrom('facts').selectAll());
  await expect(all(db, {})).rejects.toThrow('names no columns');
});
