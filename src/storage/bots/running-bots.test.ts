import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { listVitals } from './bots.ts';
import { renewLease } from './runners.ts';
import { listBotChanges, listClaimedBots, readBot, setEngineMemory, writeLastError, writeVitals } from './running-bots.ts';

const { db } = await freshDatabase();
const memory = { nextTradeId: 8, nextOrderNumber: 15, locks: [], exitTimeouts: {} };

test('a bot is read with the step that is being written, not with what was there before', async () => {
  const id = await addTestBot(db, { strategy: 'EmaCross', nickname: 'between two runners' });
  const reading = await db.transaction().execute(async (trx) => {
    await setEngineMemory(trx, id, 'paper', memory); // the last step of the runner that has lost the bot
    const read = readBot(db, id);
    await Promise.race([read, untilWaiting(db, 1)]);
    return { read };
  });
  expect((await reading.read)?.memory).toEqual(memory);
});

test('reading a bot keeps nobody waiting', async () => {
  const id = await addTestBot(db, { strategy: 'EmaCross', nickname: 'read often' });
  await readBot(db, id);
  await sql`select from bots where id = ${id} for update nowait`.execute(db);
});

test('a bot has changed when its own row or its strategy was changed, in whatever order', async () => {
  const runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: 'test', exchanges: [] }, 60_000, true);
  const [mine, others] = [
    await addTestBot(db, { strategy: 'EmaCross', nickname: 'mine' }),
    await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'of others' }),
  ];
  const set = {
    bot: (id: string, at: number) =>
      sql`update bots set runner_id = ${id === mine ? runnerId : null}, epoch = 5, updated_at = ${new Date(at)} where id = ${id}`.execute(
        db,
      ),
    strategy: (at: number) => sql`update strategies set updated_at = ${new Date(at)}`.execute(db),
  };
  const changed = (id: string, botAt: number, strategyAt: number) => [
    {
      id,
      ownerId: expect.any(String) as string,
      exchangeId: 'sandbox',
      epoch: '5',
      changedAt: `${new Date(botAt).toISOString()} ${new Date(strategyAt).toISOString()}`,
      tradingState: 'active',
    },
  ];
  await set.bot(mine, 7_000);
  for (const at of [5_000, 6_000, 8_000]) {
    await set.strategy(at);
    expect(await listClaimedBots(db, runnerId)).toEqual(changed(mine, 7_000, at));
  }
  await set.bot(mine, 6_000);
  expect(await listClaimedBots(db, runnerId)).toEqual(changed(mine, 6_000, 8_000));
  await set.bot(others, 9_000);
  expect(await listBotChanges(db, [others])).toEqual(changed(others, 9_000, 8_000));
  expect(await listBotChanges(db, [])).toEqual([]);
});

test('the newest report of a bot counts; why it does not run is written beside what else is known of it', async () => {
  const [one, two] = [
    await addTestBot(db, { strategy: 'EmaCross', nickname: 'reported' }),
    await addTestBot(db, { strategy: 'EmaCross', nickname: 'never run' }),
  ];
  const vital = { botId: one, lastTickAt: new Date(1_000), openTrades: 2, unrealizedPnl: 1.25, lastError: 'no book' };
  await writeVitals(db, []);
  expect((await listVitals(db)).size).toBe(0);
  await writeVitals(db, [vital]);
  expect((await listVitals(db)).get(one)).toMatchObject({ openTrades: 2, lastError: 'no book' });
  await writeVitals(db, [{ ...vital, lastTickAt: new Date(2_000), openTrades: 1, unrealizedPnl: -0.5, lastError: null }]);
  expect((await listVitals(db)).get(one)).toEqual({
    botId: one,
    lastTickAt: new Date(2_000),
    openTrades: 1,
    unrealizedPnl: '-0.500000000000000000',
    lastError: null,
    isHeld: false, // no runner has it
  });
  for (const id of [one, two]) await writeLastError(db, id, 'cannot be started');
  const known = await listVitals(db);
  expect(known.get(one)).toMatchObject({ openTrades: 1, lastError: 'cannot be started' });
  expect(known.get(two)).toMatchObject({ lastTickAt: new Date(0), openTrades: 0, lastError: 'cannot be started' });
});
