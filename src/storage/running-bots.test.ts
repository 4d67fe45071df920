import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { readBot, setEngineMemory } from './running-bots.ts';

const { db } = await freshDatabase();
const memory = { nextTradeId: 8, nextOrderNumber: 15, locks: [], exitTimeouts: {} };

test('a bot is read with the step that is being written, not with what was there before', async () => {
  const id = await addTestBot(db, { strategy: 'EmaCross', nickname: 'between two runners' });
  const reading = await db.transaction().execute(async (trx) => {
    await setEngineMemory(trx, id, 'paper', memory); // the last step of the runner that has lost the bot
    const read = readBot(db, id);
    const waiting = async () =>
      (await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(db)).rows.length;
    await Promise.race([read, expect.poll(waiting).toBe(1)]);
    return { read };
  });
  expect((await reading.read)?.memory).toEqual(memory);
});

test('reading a bot keeps nobody waiting', async () => {
  const id = await addTestBot(db, { strategy: 'EmaCross', nickname: 'read often' });
  await readBot(db, id);
  await sql`select from bots where id = ${id} for update nowait`.execute(db);
});
