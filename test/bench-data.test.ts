import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addManyBots } from '../bench/support/many-bots.ts';
import { addLongUse } from '../bench/support/many-trades.ts';
import { freshDatabase } from './support/fresh-database.ts';

const { db } = await freshDatabase();

test('the measurements can fill the database as it is now', async () => {
  await addManyBots(db, 4);
  await addLongUse(db, { traders: 2, bots: 10, trades: 40, days: 5 }, 'none');
  const { rows } = await sql<{ active: number; bots: number; trades: number; hours: number }>`
    select (select count(*)::int from bots where status = 'active' and own_settings->>'timeframe' = '1m') as active, (select count(*)::int from bots) as bots,
      (select count(*)::int from trades) as trades, (select sum(candles)::int from decision_hours) as hours`.execute(db);
  expect(rows).toEqual([{ active: 4, bots: 10, trades: 40, hours: 4 * 3 * 24 }]);
});
