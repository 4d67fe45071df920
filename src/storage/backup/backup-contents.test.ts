import { Client } from 'pg';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { contentsFault, readContents } from './backup-contents.ts';

const { db, url } = await freshDatabase();
await addTestBot(db, { strategy: 'BuyAndHold' });
await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit)
  select gen_random_uuid(), id, 'BTC/USDT', 'long', 'paper', 'closed', now(), now(), 1, 5, 1, 0.1 from bots`.execute(db);

const client = new Client({ connectionString: url });
await client.connect();
afterAll(() => client.end());
const before = await readContents(client);

test.each([
  ['a row that is gone', 'delete from trades', 'trades has 0 rows instead of 1, and 0 other tables differ.'],
  [
    'a profit that is another by its last digit',
    'update trades set profit = 0.100000000000000001',
    'The values of trades.profit add up to 0.100000000000000001 instead of 0.100000000000000000.',
  ],
  [
    'a trigger that is off',
    'alter table orders disable trigger orders_life',
    'The constraint or trigger orders orders_life does not guard the restored rows.',
  ],
  [
    'a constraint that was not checked for all rows',
    'alter table orders drop constraint orders_filled_check, add constraint orders_filled_check check (filled >= 0) not valid',
    'The constraint or trigger orders orders_filled_check does not guard the restored rows.',
  ],
  ['what it was', 'select 1', null],
])('what is restored is compared: %s', async (_, change, fault) => {
  await client.query('begin');
  await client.query(change);
  expect(contentsFault(before, await readContents(client))).toBe(fault);
  await client.query('rollback');
});
