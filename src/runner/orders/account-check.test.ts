import type { Instrument } from '#engine/market/instrument.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { askHeldElsewhere } from '#storage/differences/held-elsewhere.ts';
import { readLiveHealth } from '#storage/exchange-accounts/account-checks.ts';
import type { Database } from '#storage/database.ts';
import { readTradingState } from '#storage/trading/trading-states.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../../storage/testing/trade-rows.ts';
import { AccountCheck } from './account-check.ts';

const { db } = await freshDatabase();
const start = Date.UTC(2026, 0, 1);
let made = 0;

/** A live bot that trades BTC with a key of its own, and the account of that key. */
async function rig(marketType: 'spot' | 'futures', held: { amount: number; direction?: 'long' | 'short' } | null) {
  const symbol = marketType === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT';
  const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `bot ${made++}`, marketType, symbols: [symbol] });
  const apiKeyId = await goLive(db, id);
  const trade = aTradeRow(id, {
    symbol,
    mode: 'testnet',
    direction: held?.direction ?? 'long',
    amount: held?.amount ?? 0,
    engineState: JSON.stringify({ amountStep: 0.001, contractSize: 1 }),
  });
  if (held !== null) await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  const instrument: Instrument = anInstrument({ symbol, marketType, maxLeverage: 10 });
  const venue = new InMemoryVenue({
    accountId: apiKeyId,
    instruments: [instrument],
    balances: { USDT: 1_000_000 },
    time: start,
    remembersIds: 'always',
    feeCurrency: 'quote',
  });
  venue.setPrices(symbol, { bid: 100, ask: 100 });
  /** Somebody buys or sells by hand. */
  const byHand = async (side: 'buy' | 'sell', amount: number): Promise<void> => {
    await venue.place(anOrderRequest({ clientOrderId: `hand-${made++}`, symbol, side, amount, expiresAt: start }));
  };
  const orders = { doubted: [] as string[], asked: [] as (readonly string[])[], isCertain: true };
  const checkOn = (on: Database): AccountCheck =>
    new AccountCheck(on, venue, marketType, {
      doubt: (each) => void orders.doubted.push(each),
      isCertainOf: (ids) => {
        orders.asked.push(ids);
        return orders.isCertain;
      },
    });
  const check = checkOn(db);
  const open = async () =>
    (
      await sql<{ expected: string; actual: string }>`
      select trim_scale(expected)::text as expected, trim_scale(actual)::text as actual from differences where bot_id = ${id} and ended_at is null`.execute(
        db,
      )
    ).rows;
  const alarms = async () =>
    (await sql<{ kind: string }>`select kind from alarms where bot_id = ${id} and ended_at is null`.execute(db)).rows.map(
      ({ kind }) => kind,
    );
  return { id, apiKeyId, venue, symbol, trade, check, checkOn, orders, byHand, open, alarms, state: () => readTradingState(db, id) };
}

beforeEach(async () => {
  for (const table of ['fills', 'orders', 'trades'] as const) await db.deleteFrom(table).execute();
  await sql`update bots set mode = 'paper'`.execute(db);
});

test('an account that holds what the trades say has no difference, within a step', async () => {
  const { check, byHand, open, state } = await rig('futures', { amount: 2, direction: 'short' });
  await byHand('sell', 2.001);
  expect([await check.run(), await check.run()]).toEqual([[], []]);
  expect([await open(), await state()]).toEqual([[], 'active']);
});

test('the time of the newest comparison is kept, also of one that finds a difference', async () => {
  const { check, byHand, apiKeyId } = await rig('futures', { amount: 2 });
  expect(await readLiveHealth(db)).toEqual({ accounts: 1, uncheckedAccounts: 1, oldestCheckAt: null, refusedKeys: 0 });
  await byHand('buy', 2);
  await check.run();
  const { oldestCheckAt, uncheckedAccounts } = await readLiveHealth(db);
  expect(uncheckedAccounts).toBe(0);
  await byHand('buy', 1);
  await check.run();
  expect((await readLiveHealth(db)).oldestCheckAt?.getTime()).toBeGreaterThan(oldestCheckAt?.getTime() ?? Infinity);
  await sql`update api_keys set check_result = 'refused', checked_at = now() where id = ${apiKeyId}`.execute(db);
  expect((await readLiveHealth(db)).refusedKeys).toBe(1);
  await sql`update bots set status = 'stopped'`.execute(db);
  expect(await readLiveHealth(db)).toEqual({ accounts: 0, uncheckedAccounts: 0, oldestCheckAt: null, refusedKeys: 0 });
  await sql`update bots set status = 'active'`.execute(db);
});

test('a difference counts when it has lasted two checks: the bot enters nothing more, and it is an alarm', async () => {
  const { check, byHand, open, alarms, state, symbol } = await rig('futures', { amount: 2 });
  await byHand('buy', 2);
  await byHand('sell', 0.5); // by the owner himself
  expect(await check.run()).toEqual([symbol]);
  expect([await open(), await alarms(), await state()]).toEqual([[], [], 'active']);
  expect(await check.run()).toEqual([]);
  expect([await open(), await alarms(), await state()]).toEqual([[{ expected: '2', actual: '1.5' }], ['difference'], 'reducing']);
  await byHand('sell', 0.5);
  await check.run();
  expect(await open()).toEqual([{ expected: '2', actual: '1' }]);
  // It ends by itself when it is gone; that the bot may enter again is for a person to say.
  await byHand('buy', 1);
  await check.run();
  expect([await open(), await alarms(), await state()]).toEqual([[], [], 'reducing']);
});

test('a difference counts when the exchange was asked in between about what stands there', async () => {
  const { check, byHand, open, orders, symbol } = await rig('futures', { amount: 2 });
  await byHand('buy', 1.5);
  orders.isCertain = false;
  expect([await check.run(), await check.run(), await check.run()]).toEqual([[symbol], [symbol], [symbol]]);
  expect([await open(), orders.doubted]).toEqual([[], [symbol]]);
  orders.isCertain = true;
  expect(await check.run()).toEqual([]);
  expect(await open()).toEqual([{ expected: '2', actual: '1.5' }]);
});

test('a difference that is seen again and again counts also where an order stands that nobody follows', async () => {
  const { check, byHand, open, orders, trade } = await rig('futures', { amount: 2 });
  const order = anOrderRow(trade, { status: 'open', plannedAt: new Date(0) });
  await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
  await byHand('buy', 1.5);
  orders.isCertain = false;
  for (let i = 0; i < 5; i += 1) await check.run();
  expect([await open(), orders.asked.at(-1)]).toEqual([[], [order.clientOrderId]]);
  await check.run();
  expect(await open()).toEqual([{ expected: '2', actual: '1.5' }]);
});

test('what the exchange has filled and the trade does not have yet is left for the next time', async () => {
  const { check, byHand, open, trade, symbol } = await rig('futures', { amount: 2 });
  const long = new Date(Date.now() - 60_000);
  const exit = anOrderRow(trade, { purpose: 'exit', side: 'sell', status: 'filled', filled: 0.5, plannedAt: long, closedAt: long });
  await writeTrades(db, [{ trade, orders: [exit], fills: [] }]);
  await byHand('buy', 1.5);
  expect([await check.run(), await check.run(), await open()]).toEqual([[], [], []]);
  await writeTrades(db, [{ trade, orders: [exit], fills: [aFillRow(exit, { amount: 0.5, filledAt: long })] }]);
  expect(await check.run()).toEqual([symbol]);
});

test('what is missing belongs to the bot whose trade lacks it, also when that has changed', async () => {
  const { check, byHand, id, symbol, trade } = await rig('futures', { amount: 2 });
  const other = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `other ${made++}`, marketType: 'futures', symbols: [symbol] });
  await sql`update bots set mode = 'live', api_key_id = (select api_key_id from bots where id = ${id}) where id = ${other}`.execute(db);
  await byHand('buy', 1);
  await check.run();
  await check.run();
  const openOf = async () =>
    (
      await sql<{ botId: string }>`select bot_id from differences where ended_at is null and bot_id in (${id}, ${other})`.execute(db)
    ).rows.map((row) => row.botId);
  expect(await openOf()).toEqual([id]);
  // The trade goes to its end while the difference is open, and another bot holds the symbol.
  await sql`update trades set status = 'closed', closed_at = now() where id = ${trade.id}`.execute(db);
  const second = aTradeRow(other, { symbol, mode: 'testnet', amount: 2, engineState: trade.engineState });
  await writeTrades(db, [{ trade: second, orders: [], fills: [] }]);
  await check.run();
  await check.run();
  expect(await openOf()).toEqual([other]);
});

test('a difference that is gone at the second check was none', async () => {
  const { check, byHand, open, symbol } = await rig('futures', null);
  await byHand('buy', 1);
  expect(await check.run()).toEqual([symbol]);
  await byHand('sell', 1);
  expect(await check.run()).toEqual([]);
  await byHand('buy', 1);
  expect(await check.run()).toEqual([symbol]); // counted from the beginning again
  expect(await open()).toEqual([]);
});

test('on spot coins of its owner are no difference, missing ones are', async () => {
  const { check, byHand, open } = await rig('spot', { amount: 2 });
  await byHand('buy', 5);
  await check.run();
  await check.run();
  expect(await open()).toEqual([]);
  await byHand('sell', 3.5);
  await check.run();
  await check.run();
  expect(await open()).toEqual([{ expected: '2', actual: '1.5' }]);
});

test('coins that lie in a stop at the exchange are held', async () => {
  const { venue, symbol, check, byHand, open } = await rig('spot', { amount: 2 });
  await byHand('buy', 2);
  const stop = anOrderRequest({
    clientOrderId: `stop-${made++}`,
    symbol,
    side: 'sell',
    type: 'stop',
    amount: 2,
    stopPrice: 90,
    expiresAt: start,
  });
  await venue.place({ ...stop, price: null });
  expect(await venue.balances()).toContainEqual(expect.objectContaining({ currency: 'BTC', free: 0, locked: 2 }));
  expect([await check.run(), await check.run()]).toEqual([[], []]);
  expect(await open()).toEqual([]);
});

test('what is ignored belongs to no bot', async () => {
  const { check, byHand, open, apiKeyId, symbol } = await rig('futures', { amount: 2 });
  await byHand('buy', 3);
  await sql`insert into ignored_holdings values (${apiKeyId}, 'futures', ${symbol}, 1)`.execute(db);
  expect([await check.run(), await check.run()]).toEqual([[], []]);
  expect(await open()).toEqual([]);
});

test('a symbol with an order on its way, or one that was filled a moment ago, is left for the next time', async () => {
  const { check, checkOn, byHand, trade, symbol } = await rig('futures', { amount: 2 });
  await byHand('buy', 1);
  const order = anOrderRow(trade, { status: 'sent', plannedAt: new Date() });
  await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
  expect(await check.run()).toEqual([]);
  // The database's time stands still in a transaction: the moment ago is none longer on a slow machine.
  await db.transaction().execute(async (trx) => {
    await sql`update orders set status = 'filled', closed_at = now() where client_order_id = ${order.clientOrderId}`.execute(trx);
    expect(await checkOn(trx).run()).toEqual([]);
  });
  await sql`update orders set closed_at = now() - interval '6 seconds' where client_order_id = ${order.clientOrderId}`.execute(db);
  expect(await check.run()).toEqual([symbol]);
});

test('an order that was refused a moment ago hides nothing', async () => {
  const { check, byHand, trade, symbol, open } = await rig('futures', { amount: 2 });
  await byHand('buy', 1);
  const order = anOrderRow(trade, {
    purpose: 'exit',
    status: 'refused',
    plannedAt: new Date(),
    closedAt: new Date(),
    acknowledgedAt: new Date(),
  });
  await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
  expect([await check.run(), await check.run()]).toEqual([[symbol], []]);
  expect(await open()).toEqual([{ expected: '2', actual: '1' }]);
});

test('trades of all bots with the key count, also those of other runners', async () => {
  const { check, byHand, open, id, symbol } = await rig('futures', { amount: 2 });
  const other = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `other ${made++}`, marketType: 'futures', symbols: [symbol] });
  await sql`update bots set mode = 'live', api_key_id = (select api_key_id from bots where id = ${id}) where id = ${other}`.execute(db);
  const trade = aTradeRow(other, {
    symbol,
    mode: 'testnet',
    direction: 'short',
    amount: 0.5,
    engineState: JSON.stringify({ amountStep: 0.001, contractSize: 1 }),
  });
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  await byHand('buy', 1.5);
  expect([await check.run(), await check.run(), await open()]).toEqual([[], [], []]);
});

test('a trade that waits to be corrected is left for the next time', async () => {
  const { check, byHand, trade, symbol, open } = await rig('futures', { amount: 2 });
  await byHand('buy', 1.5);
  await askHeldElsewhere(db, trade.id, 0.5, new Date());
  expect([await check.run(), await check.run(), await open()]).toEqual([[], [], []]);
  await sql`update trades set held_elsewhere = null, held_elsewhere_at = null where id = ${trade.id}`.execute(db);
  expect(await check.run()).toEqual([symbol]);
});
