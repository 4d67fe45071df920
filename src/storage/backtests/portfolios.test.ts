import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { aBacktest, aPlan } from '../testing/a-backtest.ts';
import { addBacktest } from './backtests.ts';
import { listPortfolios } from './portfolios.ts';

test('tries of a run are those of its owner with that strategy over a range that overlaps, and not those of others', async () => {
  const { db } = await freshDatabase();
  const botOf = async (strategy: string, owner: string) => {
    const id = await addTestBot(db, { strategy, owner });
    return db.selectFrom('bots').select(['userId', 'strategyId']).where('id', '=', id).executeTakeFirstOrThrow();
  };
  const mine = await botOf('EmaCross', 'mine@example.com');
  const other = { ...mine, strategyId: (await botOf('RsiReversal', 'mine@example.com')).strategyId };
  const theirs = await botOf('EmaCross', 'theirs@example.com');
  const run = async (of: typeof mine, range: { from: string; to: string }): Promise<void> => {
    const id = await addBacktest(db, aBacktest({ ...of, plan: { ...aPlan, ...range } }));
    await sql`update backtests set status = 'failed', finished_at = now() where id = ${id}`.execute(db);
  };
  const january = { from: '2026-01-01', to: '2026-01-31' };
  for (let i = 0; i < 3; i++) await run(theirs, january);
  await run(other, january);
  await run(mine, { from: '2025-11-01', to: '2025-12-31' });
  await run(mine, { from: '2025-12-15', to: '2026-01-01' });
  await run(mine, january);
  expect((await listPortfolios(db, mine.userId)).map(({ tries }) => tries)).toEqual([2, 2, 1, 1]);
  expect((await listPortfolios(db, theirs.userId)).map(({ tries }) => tries)).toEqual([3, 2, 1]);
});
