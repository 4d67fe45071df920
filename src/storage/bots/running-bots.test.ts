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

test('a bot has changed when its own row or its strategy was changed last', async () => {
  const runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: 'test', exchanges: [] }, 60_000, true);
  const [mine, others] = [
    await addTestBot(db, { strategy: 'EmaCross', nickname: 'mine' }),
    await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'of others' }),
  ];
  const set = async (botAt: number, strategyAt: number): Promise<void> => {
    await sql`update bots set runner_id = ${runnerId}, epoch = 5, updated_at = ${new Date(botAt)} where id = ${mine}`.execute(db);
    await sql`update strategies set updated_at = ${new Date(strategyAt)}`.execute(db);
  };
  await set(7_000, 6_000);
  expect(await listClaimedBots(db, runnerId)).toEqual([{ id: mine, epoch: '5', changedAt: 7_000, tradingState: 'active' }]);
  await set(7_000, 8_000);
  expect(await listClaimedBots(db, runnerId)).toEqual([{ id: mine, epoch: '5', changedAt: 8_000, tradingState: 'active' }]);
  await sql`update bots set updated_at = ${new Date(9_000)} where id = ${others}`.execute(db);
  expect(await listBotChanges(db, [others])).toEqual([{ id: others, epoch: '0', changedAt: 9_000, tradingState: 'active' }]);
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
