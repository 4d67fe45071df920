import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { askToClose, tradesToClose } from './close-asked.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import type { TradeRow } from './trade-writes.ts';
import { writeTrades } from './trade-writes.ts';
import { lockSwitch, setSwitch } from '../trading/trading-states.ts';

const { db } = await freshDatabase();
const botId = await addTestBot(db, { strategy: 'AlwaysFlat' });
const runnerId = randomUUID();
await sql`update bots set runner_id = ${runnerId} where id = ${botId}`.execute(db);
const [first, second] = [new Date(1_000), new Date(2_000)];

async function entered(given: Partial<TradeRow> = {}): Promise<TradeRow> {
  const trade = aTradeRow(botId, given);
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  return trade;
}

test('ADD-close-trade asked twice is once, also at the same moment, and stays through the writes of the bot', async () => {
  const trade = await entered();
  const answers = await Promise.all([askToClose(db, trade.id, first), askToClose(db, trade.id, first)]);
  expect(answers.filter((answer) => answer?.isNew === true)).toHaveLength(1);
  expect(answers.filter((answer) => answer?.isNew === false)).toHaveLength(1);
  await writeTrades(db, [{ trade: { ...trade, amount: 2 }, orders: [], fills: [] }]);
  expect(await askToClose(db, trade.id, second)).toEqual({ askedAt: first, isNew: false });
});

test('ADD-close-trade only an open trade is asked about', async () => {
  for (const status of ['closed', 'cancelled', 'failed'] as const)
    expect(await askToClose(db, (await entered({ status, closedAt: first })).id, first), status).toBeNull();
  expect(await askToClose(db, randomUUID(), first)).toBeNull();
  // One that is closed after it was asked for is no longer open.
  const trade = await entered();
  await askToClose(db, trade.id, first);
  await writeTrades(db, [{ trade: { ...trade, status: 'closed', closedAt: second, profit: 1 }, orders: [], fills: [] }]);
  expect(await askToClose(db, trade.id, second)).toBeNull();
});

test('a runner finds what its own bots are to close, until it is closed', async () => {
  await sql`truncate trades cascade`.execute(db);
  const [one, two] = [await entered(), await entered()];
  await entered(); // nobody asked
  for (const { id } of [one, two]) await askToClose(db, id, first);
  const found = await tradesToClose(db, runnerId);
  expect([...found.keys()]).toEqual([botId]);
  expect(found.get(botId)?.sort()).toEqual([one.id, two.id].sort());
  expect(await tradesToClose(db, randomUUID())).toEqual(new Map());
  await writeTrades(db, [{ trade: { ...one, status: 'closed', closedAt: second, profit: 1 }, orders: [], fills: [] }]);
  expect(await tradesToClose(db, runnerId)).toEqual(new Map([[botId, [two.id]]]));
});

test('ADD-close-all under a switch that closes everything a runner finds every open trade of its bots, also one opened later', async () => {
  await sql`truncate trades cascade`.execute(db);
  const one = await entered();
  const set = (closeAllAt: Date | null) =>
    db.transaction().execute(async (trx) => {
      await lockSwitch(trx, { level: 'server' });
      await setSwitch(trx, { level: 'server' }, { state: 'halted', setBy: null, isImposed: false, closeAllAt });
    });
  await set(null);
  expect(await tradesToClose(db, runnerId)).toEqual(new Map());
  await set(first);
  const two = await entered();
  expect((await tradesToClose(db, runnerId)).get(botId)?.sort()).toEqual([one.id, two.id].sort());
  expect(await tradesToClose(db, randomUUID())).toEqual(new Map());
  await sql`delete from trading_states`.execute(db);
  expect(await tradesToClose(db, runnerId)).toEqual(new Map());
});

test.each(['user', 'bot'] as const)(
  'ADD-close-all under the switch of a %s a runner finds the open trades of those bots, and no trade of another',
  async (level) => {
    await sql`truncate trades cascade`.execute(db);
    const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow();
    const other = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `other ${level}`, owner: 'other@example.com' });
    await sql`update bots set runner_id = ${runnerId} where id = ${other}`.execute(db);
    const own = await entered();
    await writeTrades(db, [{ trade: aTradeRow(other), orders: [], fills: [] }]);
    const target = { level, id: level === 'user' ? userId : botId };
    await setSwitch(db, target, { state: 'halted', setBy: null, isImposed: false, closeAllAt: first });
    expect(await tradesToClose(db, runnerId)).toEqual(new Map([[botId, [own.id]]]));
    await sql`delete from trading_states`.execute(db);
  },
);
