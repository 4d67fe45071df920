import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { findCode, keepCode, newestCode } from './strategy-code.ts';

const { db } = await freshDatabase();

async function strategyIds(): Promise<string[]> {
  await addTestBot(db, { strategy: 'EmaCross' });
  const rows = await db.selectFrom('strategies').select('id').orderBy('position').limit(2).execute();
  return rows.map(({ id }) => id);
}

const files = (text: string) => ({
  file: 'mine.ts',
  exportName: 'default',
  files: { 'mine.ts': text },
  description: { name: 'Mine' },
  madeBy: null,
});

test('each new code of a strategy is a version; the same as the newest is that, an earlier one is a version again; two at once get two numbers', async () => {
  const [strategyId = '', other = ''] = await strategyIds();
  expect(await newestCode(db, strategyId)).toBeNull();
  const first = await keepCode(db, { strategyId, hash: 'a', ...files('one') });
  expect(first.number).toBe(1);
  expect(await keepCode(db, { strategyId, hash: 'a', ...files('one') })).toEqual(first);
  const both = await Promise.all(['b', 'c'].map((hash) => keepCode(db, { strategyId, hash, ...files(hash) })));
  expect(new Set(both.map(({ number }) => number))).toEqual(new Set([2, 3]));
  expect(await keepCode(db, { strategyId, hash: 'a', ...files('one') })).toMatchObject({ number: 4 });
  expect((await newestCode(db, strategyId))?.number).toBe(4);
  expect(await keepCode(db, { strategyId: other, hash: 'a', ...files('one') })).toMatchObject({ number: 1 });
  expect(await findCode(db, first.id)).toMatchObject({
    number: 1,
    file: 'mine.ts',
    files: { 'mine.ts': 'one' },
    document: null,
    description: { name: 'Mine' },
  });
});

test('a bot names a version of its own strategy only, and what a bot uses cannot be removed', async () => {
  const [strategyId = '', other = ''] = await strategyIds();
  const bot = await addTestBot(db, { strategy: 'EmaCross' });
  await sql`update bots set strategy_id = ${strategyId} where id = ${bot}`.execute(db);
  const own = await keepCode(db, { strategyId, hash: 'x', document: { enter: [] }, description: {}, madeBy: null });
  const foreign = await keepCode(db, { strategyId: other, hash: 'x', document: {}, description: {}, madeBy: null });
  await expect(sql`update bots set code_id = ${foreign.id} where id = ${bot}`.execute(db)).rejects.toThrow('bots_code');
  await sql`update bots set code_id = ${own.id} where id = ${bot}`.execute(db);
  await expect(sql`delete from strategy_code where id = ${own.id}`.execute(db)).rejects.toThrow('bots_code');
});
