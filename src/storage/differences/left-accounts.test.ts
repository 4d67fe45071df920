import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
import { listAlarms } from '../alarms/alarms.ts';
import { giveKey, lockBot, setBotMode } from '../bots/bots.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { noteDifference, staysIn } from './differences.ts';
import { listDifferences } from './found-differences.ts';
import { missingAmounts } from './missing-amounts.ts';

const { db } = await freshDatabase();
const { meets, expectWaited } = twoConnections(db);
const symbol = 'BTC/USDT:USDT';

/** A live bot of perpetuals, on an account of its own. */
async function liveBot() {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: randomUUID(), marketType: 'futures', symbols: [symbol] });
  return { id, apiKeyId: await goLive(db, id) };
}

/** A bot without a trade, whose owner has bought 40 by hand; and another account, with a short of 25. */
async function twoAccounts() {
  const [left, other] = [await liveBot(), await liveBot()];
  const trade = aTradeRow(other.id, { symbol, mode: 'testnet', direction: 'short', amount: 25 });
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  await noteDifference(db, { botId: left.id, symbol, expected: 0, actual: 40 });
  return { left, other };
}

const missing = async ({ id }: { id: string }) => await missingAmounts(db, { botId: id });
const alarmsOf = async (id: string) => (await listAlarms(db, null)).filter(({ targetId }) => targetId === id).map(({ kind }) => kind);

test.each([
  ['another key', async (id: string, key: string) => await db.transaction().execute((trx) => giveKey(trx, id, key))],
  [
    'another mode, and then the key',
    async (id: string, key: string) => {
      expect(await setBotMode(db, id, 'paper')).toBe(true);
      await sql`update bots set api_key_id = ${key} where id = ${id}`.execute(db);
      await sql`update bots set mode = 'live' where id = ${id}`.execute(db);
    },
  ],
  [
    'another key, because its own was deleted',
    async (id: string, key: string) => {
      await sql`delete from api_keys where id = (select api_key_id from bots where id = ${id})`.execute(db);
      await sql`update bots set api_key_id = ${key} where id = ${id}`.execute(db);
    },
  ],
])('OP-85 a difference of one account is none of the next: it ends with its alarm when its bot is given %s', async (_name, move) => {
  const { left, other } = await twoAccounts();
  const untouched = await liveBot();
  await noteDifference(db, { botId: untouched.id, symbol, expected: 0, actual: 1 });
  expect(await alarmsOf(left.id)).toEqual(['difference']);
  await move(left.id, other.apiKeyId);
  // Its stop would be cancelled for what lies in another account.
  expect(await missing(other)).toEqual([]);
  const { open, ended } = await listDifferences(db, null);
  expect(open.filter(({ botId }) => botId === left.id)).toEqual([]);
  expect(ended.find(({ botId }) => botId === left.id)).toMatchObject({ symbol, outcome: 'left', isDone: true });
  expect([await alarmsOf(left.id), await alarmsOf(untouched.id)]).toEqual([[], ['difference']]);
});

test('OP-85 a bot that is changed in other ways keeps its difference', async () => {
  const { left } = await twoAccounts();
  await sql`update bots set nickname = 'another name', status = 'stopped', api_key_id = api_key_id where id = ${left.id}`.execute(db);
  expect((await listDifferences(db, null)).open.some(({ botId }) => botId === left.id)).toBe(true);
  expect(await alarmsOf(left.id)).toEqual(['difference']);
});

test('OP-85 what a comparison finds while its bot leaves the account is not noted, and what it has noted ends', async () => {
  const [left, other] = [await liveBot(), await liveBot()];
  const account = { apiKeyId: left.apiKeyId, marketType: 'futures' };
  const note = async (trx: typeof db): Promise<void> => {
    if (await staysIn(trx, left.id, account)) await noteDifference(trx, { botId: left.id, symbol, expected: 0, actual: 40 });
  };
  const leave = async (trx: typeof db): Promise<void> => {
    await lockBot(trx, left.id);
    await giveKey(trx, left.id, other.apiKeyId);
  };
  const openOf = async () => (await listDifferences(db, null)).open.filter(({ botId }) => botId === left.id);
  expectWaited(await meets(leave, () => db.transaction().execute(note)));
  expect(await openOf()).toEqual([]);
  await db.transaction().execute((trx) => giveKey(trx, left.id, left.apiKeyId));
  expectWaited(await meets(note, () => db.transaction().execute(leave)));
  expect(await openOf()).toEqual([]);
});
