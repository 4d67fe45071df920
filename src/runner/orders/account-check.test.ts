import type { Instrument } from '#engine/market/instrument.ts';
import { secondMs } from '#engine/market/durations.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { giveKey, lockBot } from '#storage/bots/bots.ts';
import { noteDifference } from '#storage/differences/differences.ts';
import { askHeldElsewhere } from '#storage/differences/held-elsewhere.ts';
import { lockAccount } from '#storage/differences/lock-account.ts';
import { readLiveHealth } from '#storage/exchange-accounts/account-checks.ts';
import type { Database } from '#storage/database.ts';
import { readTradingState } from '#storage/trading/trading-states.ts';
import { listPositionMargins, notePositionMargins } from '#storage/trades/position-margins.ts';
import type { TradeRow } from '#storage/trades/trade-writes.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../../storage/testing/trade-rows.ts';
import { AccountCheck, looksUntilNoted } from './account-check.ts';

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
  const clock = { now: 0, lookTakesMs: secondMs };
  const checkOn = (on: Database): AccountCheck =>
    new AccountCheck(
      on,
      venue,
      marketType,
      {
        doubt: (each) => void orders.doubted.push(each),
        isCertainOf: (ids) => {
          orders.asked.push(ids);
          return orders.isCertain;
        },
      },
      () => (clock.now += clock.lookTakesMs),
    );
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
  return { id, apiKeyId, venue, symbol, trade, check, checkOn, clock, orders, byHand, open, alarms, state: () => readTradingState(db, id) };
}

beforeEach(async () => {
  for (const table of ['fills', 'orders', 'trades'] as const) await db.deleteFrom(table).execute();
  await sql`update bots set mode = 'paper'`.execute(db);
});

test('an account that holds what the trades say has no difference', async () => {
  const { check, byHand, open, state } = await rig('futures', { amount: 2, direction: 'short' });
  await byHand('sell', 2);
  expect([await check.run(), await check.run()]).toEqual([[], []]);
  expect([await open(), await state()]).toEqual([[], 'active']);
});

test('OP-85 what is found while a bot without trades leaves the account is not noted with it: it would be missing of the next one', async () => {
  const { id, check, byHand, open } = await rig('futures', null);
  const { apiKeyId: next } = await rig('futures', null);
  await byHand('buy', 2);
  await check.run();
  const leave = async (trx: Database): Promise<void> => {
    await lockBot(trx, id);
    await giveKey(trx, id, next);
  };
  const { meets, expectWaited } = twoConnections(db);
  expectWaited(await meets(leave, () => check.run()));
  expect(await open()).toEqual([]);
});

describe('one step of an amount', () => {
  test.each([
    ['long', 'sell'],
    ['short', 'buy'],
  ] as const)('is a position of its own: a %s trade of one that was closed by hand is a difference', async (direction, side) => {
    const { check, byHand, open, state } = await rig('futures', { amount: 0.001, direction });
    await byHand(side === 'sell' ? 'buy' : 'sell', 0.001);
    expect([await check.run(), await check.run(), await open()]).toEqual([[], [], []]);
    await byHand(side, 0.001);
    await check.run();
    await check.run();
    expect([await open(), await state()]).toEqual([[{ expected: direction === 'long' ? '0.001' : '-0.001', actual: '0' }], 'reducing']);
  });

  test('that is missing of a position does not agree with the next comparison, and stays for a person', async () => {
    const { id, symbol, check, byHand, open } = await rig('futures', { amount: 0.002 });
    await byHand('buy', 0.001);
    await noteDifference(db, { botId: id, symbol, expected: 0.002, actual: 0.001 });
    for (let times = 0; times < 3; times++) await check.run();
    expect(await open()).toEqual([{ expected: '0.002', actual: '0.001' }]);
  });

  test('of a coin is missing too; less than one, which fees leave, is not', async () => {
    const { check, byHand, open, trade } = await rig('spot', { amount: 0.0029 });
    await byHand('buy', 0.002);
    expect([await check.run(), await check.run(), await open()]).toEqual([[], [], []]);
    await writeTrades(db, [{ trade: { ...trade, amount: 0.003 }, orders: [], fills: [] }]);
    await check.run();
    await check.run();
    expect(await open()).toEqual([{ expected: '0.003', actual: '0.002' }]);
  });
});

describe('leverage and margin mode of a position', () => {
  const seen = async (id: string) =>
    (await listPositionMargins(db)).flatMap(({ botId, tradeId, ...margins }) => (botId === id && tradeId !== '' ? [margins] : []));
  const other = { symbol: 'BTC/USDT:USDT', wantedLeverage: 1, wantedMargin: 'isolated' } as const;

  test('that are not those of its trade are noted, with the newest values, until they are again', async () => {
    const { id, check, byHand, venue, symbol, orders, open, state } = await rig('futures', { amount: 2, direction: 'short' });
    await venue.setMarginMode(symbol, 'isolated');
    await byHand('sell', 2);
    await check.run();
    expect(await seen(id)).toEqual([]);
    await venue.setLeverage(symbol, 7);
    await check.run();
    expect(await seen(id)).toEqual([{ ...other, leverage: 7, margin: 'isolated' }]);
    await venue.setLeverage(symbol, 9);
    await check.run();
    expect(await seen(id)).toEqual([{ ...other, leverage: 9, margin: 'isolated' }]);
    await venue.setLeverage(symbol, 1);
    await check.run();
    expect(await seen(id)).toEqual([]);
    expect((await sql`select from position_margins`.execute(db)).rows).toEqual([]);
    expect([await open(), await state(), orders.doubted]).toEqual([[], 'active', []]);
  });

  test('are compared with those that the trade was opened with, and no more once it is over; its row goes with the next check', async () => {
    const { id, check, byHand, trade } = await rig('futures', { amount: 2 });
    await byHand('buy', 2);
    await check.run();
    expect(await seen(id)).toEqual([{ ...other, leverage: 1, margin: 'cross' }]);
    // Of before the mode was kept with the trade: the bot's.
    await sql`update bots set leverage_mode = 'cross' where id = ${id}`.execute(db);
    expect(await seen(id)).toEqual([]);
    await sql`update trades set engine_state = engine_state || '{"marginMode": "isolated"}' where id = ${trade.id}`.execute(db);
    expect(await seen(id)).toHaveLength(1);
    await check.run();
    expect(await seen(id)).toEqual([{ ...other, leverage: 1, margin: 'cross' }]);
    await sql`update trades set status = 'closed', closed_at = now() where id = ${trade.id}`.execute(db);
    expect(await seen(id)).toEqual([]);
    await check.run();
    expect((await sql`select from position_margins`.execute(db)).rows).toEqual([]);
  });

  test('are those of no position any more once somebody has closed it at the exchange; one in two directions is one', async () => {
    const { id, apiKeyId, check, byHand, symbol, open } = await rig('futures', { amount: 2 });
    await byHand('buy', 2);
    await check.run();
    expect(await seen(id)).toHaveLength(1);
    await byHand('sell', 2);
    await check.run();
    await check.run();
    expect([await seen(id), await open()]).toEqual([[], [{ expected: '2', actual: '0' }]]);
    const hedged = (['isolated', 'cross'] as const).map((marginMode) => ({ symbol, leverage: 9, marginMode }));
    await notePositionMargins(db, apiKeyId, [symbol], hedged);
    expect(await seen(id)).toMatchObject([{ leverage: 9 }]);
  });

  test('are left while an order is on its way there, and are not those of the same perpetual in another account', async () => {
    const { id, check, byHand, trade } = await rig('futures', { amount: 2 });
    const elsewhere = await rig('futures', { amount: 2 });
    await byHand('buy', 2);
    const order = anOrderRow(trade, { status: 'sent', plannedAt: new Date() });
    await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
    await check.run();
    expect(await seen(id)).toEqual([]);
    await sql`delete from orders`.execute(db);
    await check.run();
    expect([await seen(id), await seen(elsewhere.id)]).toEqual([[{ ...other, leverage: 1, margin: 'cross' }], []]);
  });
});

test('the time of the newest comparison is kept, also of one that finds a difference, but not while that is in doubt', async () => {
  const { check, byHand, apiKeyId } = await rig('futures', { amount: 2 });
  expect(await readLiveHealth(db)).toEqual({ accounts: 1, uncheckedAccounts: 1, oldestCheckAt: null, refusedKeys: 0 });
  await byHand('buy', 2);
  await check.run();
  const { oldestCheckAt, uncheckedAccounts } = await readLiveHealth(db);
  expect(uncheckedAccounts).toBe(0);
  await byHand('buy', 1);
  await check.run();
  expect((await readLiveHealth(db)).oldestCheckAt).toEqual(oldestCheckAt); // it may be gone with the next look
  await check.run();
  expect((await readLiveHealth(db)).oldestCheckAt?.getTime()).toBeGreaterThan(oldestCheckAt?.getTime() ?? Infinity);
  await sql`update api_keys set check_result = 'refused', checked_at = now() where id = ${apiKeyId}`.execute(db);
  expect((await readLiveHealth(db)).refusedKeys).toBe(1);
  await sql`update bots set status = 'stopped'`.execute(db);
  expect(await readLiveHealth(db)).toEqual({ accounts: 0, uncheckedAccounts: 0, oldestCheckAt: null, refusedKeys: 0 });
  await sql`update bots set status = 'active'`.execute(db);
});

test('of a key with which bots trade on both markets, each market is compared by itself', async () => {
  const { check, byHand, apiKeyId } = await rig('futures', { amount: 2 });
  const onSpot = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `bot ${made++}`, marketType: 'spot', symbols: ['BTC/USDT'] });
  await sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = ${onSpot}`.execute(db);
  await byHand('buy', 2);
  await check.run();
  expect(await readLiveHealth(db)).toMatchObject({ accounts: 2, uncheckedAccounts: 1, oldestCheckAt: expect.any(Date) as Date });
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
  for (let round = 1; round < looksUntilNoted; round += 1) await check.run();
  expect([await open(), orders.asked.at(-1)]).toEqual([[], [order.clientOrderId]]);
  await check.run();
  expect(await open()).toEqual([{ expected: '2', actual: '1.5' }]);
});

test.each([true, false])(
  'however many bots of an account begin at once, they look at it once (what stands there is known: %s)',
  async (isCertain) => {
    const { check, byHand, clock, open, orders, symbol } = await rig('futures', { amount: 2 });
    await byHand('buy', 1.5);
    Object.assign(orders, { isCertain });
    clock.lookTakesMs = 0;
    const all = await Promise.all(Array.from({ length: looksUntilNoted + 1 }, () => check.run()));
    expect([all.flat(), await open(), orders.doubted]).toEqual([all.map(() => symbol), [], [symbol]]);
    clock.now += 999;
    expect([await check.run(), await open()]).toEqual([[symbol], []]);
    clock.now += 1;
    const known = isCertain ? [{ expected: '2', actual: '1.5' }] : [];
    expect([await check.run(), await open()]).toEqual([isCertain ? [] : [symbol], known]);
  },
);

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

test('OP-85 what was booked while the exchange took its time to answer is left for the next time', async () => {
  const { check, venue, byHand, open, trade } = await rig('futures', { amount: 2 });
  await byHand('buy', 2);
  let amount = 2;
  const positions = venue.positions.bind(venue);
  venue.positions = async () => {
    await byHand('sell', 0.5);
    amount -= 0.5;
    await db.updateTable('trades').set({ amount }).where('id', '=', trade.id).execute();
    return await positions();
  };
  expect([await check.run(), await check.run(), await open()]).toEqual([[], [], []]);
});

test.each([
  ['long', 'buy'],
  ['short', 'sell'],
] as const)('what is missing of a %s belongs to the bot whose trade lacks it, also when that has changed', async (direction, side) => {
  const { check, byHand, id, symbol, trade } = await rig('futures', { amount: 2, direction });
  const other = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `other ${made++}`, marketType: 'futures', symbols: [symbol] });
  await sql`update bots set mode = 'live', api_key_id = (select api_key_id from bots where id = ${id}) where id = ${other}`.execute(db);
  await byHand(side, 1);
  await check.run();
  await check.run();
  const openOf = async () =>
    (
      await sql<{ botId: string }>`select bot_id from differences where ended_at is null and bot_id in (${id}, ${other})`.execute(db)
    ).rows.map((row) => row.botId);
  expect(await openOf()).toEqual([id]);
  // The trade goes to its end while the difference is open, and another bot holds the symbol.
  await sql`update trades set status = 'closed', closed_at = now() where id = ${trade.id}`.execute(db);
  const second = aTradeRow(other, { symbol, mode: 'testnet', direction, amount: 2, engineState: trade.engineState });
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

test('OP-85 what a person ignores while the exchange takes its time to answer is not a new difference', async () => {
  const { check, venue, byHand, open, alarms, apiKeyId, id, symbol } = await rig('futures', { amount: 2 });
  await byHand('buy', 3);
  await check.run();
  await check.run();
  expect(await open()).toEqual([{ expected: '2', actual: '3' }]);
  const positions = venue.positions.bind(venue);
  venue.positions = async () => {
    await sql`insert into ignored_holdings values (${apiKeyId}, 'futures', ${symbol}, 1)`.execute(db);
    await sql`update differences set ended_at = now(), outcome = 'ignored' where bot_id = ${id}`.execute(db);
    await sql`update alarms set ended_at = now() where bot_id = ${id}`.execute(db);
    venue.positions = positions;
    return await positions();
  };
  expect([await check.run(), await open(), await alarms()]).toEqual([[], [], []]);
});

describe('while an order stands there, of which a fill may not be known yet', () => {
  /** An open difference of 0.5 in a trade with a stop at the exchange. */
  async function missing() {
    const rigged = await rig('futures', { amount: 2 });
    const { trade, byHand, check, open } = rigged;
    const stop = anOrderRow(trade, { purpose: 'stop', side: 'sell', status: 'open', plannedAt: new Date(0) });
    await writeTrades(db, [{ trade, orders: [stop], fills: [] }]);
    await byHand('buy', 1.5);
    await check.run();
    await check.run();
    expect(await open()).toEqual([{ expected: '2', actual: '1.5' }]);
    rigged.orders.doubted.length = 0;
    return { ...rigged, stop };
  }

  test('a difference is gone when two looks agree and the exchange was asked about it in between', async () => {
    const { check, byHand, open, orders, symbol, stop } = await missing();
    await byHand('buy', 0.5); // as if a part of it were filled
    expect([await check.run(), orders.doubted, await open()]).toEqual([[symbol], [symbol], [{ expected: '2', actual: '1.5' }]]);
    orders.isCertain = false;
    expect([await check.run(), (await open()).length, orders.asked.at(-1)]).toEqual([[symbol], 1, [stop.clientOrderId]]);
    orders.isCertain = true;
    expect([await check.run(), await open()]).toEqual([[], []]);
  });

  test('a difference stays when the fill that made up for it is known by the second look', async () => {
    const { check, byHand, open, orders, trade, symbol, state } = await missing();
    await byHand('buy', 0.5);
    expect(await check.run()).toEqual([symbol]);
    await db.updateTable('trades').set({ amount: 1.5 }).where('id', '=', trade.id).execute();
    await check.run();
    expect([await open(), await state()]).toEqual([[{ expected: '2', actual: '1.5' }], 'reducing']); // not noted with other amounts, either, before two looks
    await check.run();
    expect([await open(), orders.doubted]).toEqual([[{ expected: '1.5', actual: '2' }], [symbol, symbol]]);
  });

  test('a difference is gone after some looks that agree, also where nobody follows the order', async () => {
    const { check, byHand, open, orders } = await missing();
    await byHand('buy', 0.5);
    orders.isCertain = false;
    for (let round = 1; round < looksUntilNoted; round += 1) await check.run();
    expect(await open()).toHaveLength(1);
    expect([await check.run(), await open()]).toEqual([[], []]);
  });
});

describe('what changes between the comparison and what is noted is left for the next time', () => {
  /** A look that finds something and waits to note it, while somebody who has the account does this. */
  async function meanwhile({ id, check }: Awaited<ReturnType<typeof rig>>, does: (trx: Database) => Promise<unknown>) {
    const { meets, expectWaited } = twoConnections(db);
    const outcome = await meets(
      async (trx) => {
        await lockAccount(trx, id);
        await does(trx);
      },
      () => check.run(),
    );
    expectWaited(outcome);
  }

  test('a difference that a person has ignored is not noted again', async () => {
    const rigged = await rig('futures', { amount: 2 });
    const { check, byHand, open, alarms, state, apiKeyId, symbol } = rigged;
    await byHand('buy', 3);
    await check.run();
    await meanwhile(rigged, (trx) => sql`insert into ignored_holdings values (${apiKeyId}, 'futures', ${symbol}, 1)`.execute(trx));
    expect([await open(), await alarms(), await state()]).toEqual([[], [], 'active']);
  });

  test('what a search has found is not decided about with a difference that is gone', async () => {
    const rigged = await rig('futures', { amount: 2 });
    const { check, byHand, open, id, apiKeyId, symbol } = rigged;
    await byHand('buy', 1.5);
    await check.run();
    await check.run();
    await byHand('buy', 0.5);
    const found = (trx: Database) =>
      sql`insert into unrecorded_orders (client_order_id, bot_id, api_key_id, market_type, exchange_order_id, symbol, side, type, state, requested, filled, net, made_at)
        values ('found', ${id}, ${apiKeyId}, 'futures', '1', ${symbol}, 'buy', 'market', 'filled', 0.5, 0.5, 0.5, now())`.execute(trx);
    await meanwhile(rigged, found);
    const { rows } = await sql`select settled_net::float8 from unrecorded_orders where bot_id = ${id}`.execute(db);
    expect([rows, await open()]).toEqual([[{ settledNet: 0 }], [{ expected: '2', actual: '1.5' }]]);
  });
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

test('a symbol in which an order is being cancelled is left until that is over: it may have been filled first', async () => {
  const { check, byHand, trade, symbol, open } = await rig('futures', { amount: 2 });
  await byHand('buy', 1); // the stop has sold the other one
  const anHourAgo = new Date(Date.now() - 3_600_000);
  const order = anOrderRow(trade, { purpose: 'stop', status: 'cancel-pending', plannedAt: anHourAgo, acknowledgedAt: anHourAgo });
  await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
  expect([await check.run(), await check.run(), await open()]).toEqual([[], [], []]);
  await sql`
    update orders set status = 'cancelled', closed_at = now() - interval '6 seconds' where client_order_id = ${order.clientOrderId}`.execute(
    db,
  );
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

describe('on spot, of one coin in several symbols', () => {
  /** A bot with the same key that holds so much of the coin for another quote currency. */
  async function another(apiKeyId: string, amount: number, symbol = 'BTC/USDC') {
    const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `other ${made++}`, symbols: [symbol] });
    await sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = ${id}`.execute(db);
    const engineState = JSON.stringify({ amountStep: 0.001, contractSize: 1 });
    const trade = aTradeRow(id, { symbol, mode: 'testnet', amount, engineState });
    await writeTrades(db, [{ trade, orders: [], fills: [] }]);
    return { id, trade };
  }
  const openOf = async (apiKeyId: string) =>
    (
      await sql<{ symbol: string; expected: number; actual: number }>`
        select d.symbol, d.expected::float8, d.actual::float8 from differences d join bots b on b.id = d.bot_id
        where b.api_key_id = ${apiKeyId} and d.ended_at is null order by d.symbol`.execute(db)
    ).rows;

  test('the same coins do not count for two trades', async () => {
    const { check, byHand, apiKeyId } = await rig('spot', { amount: 1 });
    await another(apiKeyId, 1);
    await byHand('buy', 1);
    await check.run();
    await check.run();
    expect(await openOf(apiKeyId)).toEqual([{ symbol: 'BTC/USDC', expected: 1, actual: 0 }]);
    await byHand('buy', 1);
    await check.run();
    expect(await openOf(apiKeyId)).toEqual([]);
  });

  test('what one trade does not make up for is missing of the next; what belongs to the owner covers both', async () => {
    const { check, byHand, apiKeyId } = await rig('spot', { amount: 1 });
    await another(apiKeyId, 1);
    await byHand('buy', 5);
    expect([await check.run(), await check.run()]).toEqual([[], []]);
    await byHand('sell', 4.7);
    await check.run();
    await check.run();
    expect(await openOf(apiKeyId)).toEqual([
      { symbol: 'BTC/USDC', expected: 1, actual: 0 },
      { symbol: 'BTC/USDT', expected: 1, actual: 0.3 },
    ]);
  });

  test('more that is missing is of the symbol that lacks something already', async () => {
    const { check, byHand, apiKeyId, symbol } = await rig('spot', { amount: 1 });
    await byHand('buy', 0.8);
    await check.run();
    await check.run();
    const { trade } = await another(apiKeyId, 1);
    await byHand('buy', 0.9);
    await check.run();
    await check.run();
    expect(await openOf(apiKeyId)).toEqual([{ symbol, expected: 1, actual: 0.7 }]);
    // Its trade over, the coins are those of the other.
    await sql`update trades set status = 'closed', closed_at = now() where id <> ${trade.id}`.execute(db);
    await check.run();
    expect(await openOf(apiKeyId)).toEqual([]);
  });

  test('what is ignored of one trade is missing of no other', async () => {
    const { check, byHand, apiKeyId, symbol } = await rig('spot', { amount: 1 });
    await another(apiKeyId, 1);
    await byHand('buy', 1.5);
    await sql`insert into ignored_holdings values (${apiKeyId}, 'spot', ${symbol}, -0.5)`.execute(db);
    expect([await check.run(), await check.run(), await openOf(apiKeyId)]).toEqual([[], [], []]);
    await byHand('sell', 0.4);
    await check.run();
    await check.run();
    expect(await openOf(apiKeyId)).toEqual([{ symbol: 'BTC/USDC', expected: 1, actual: 0.6 }]);
  });

  /** An order without a record has bought so much for a bot an hour ago, or sold; it is the only one. */
  async function unrecorded({ id, apiKeyId, symbol }: Pick<Awaited<ReturnType<typeof rig>>, 'id' | 'apiKeyId' | 'symbol'>, net: number) {
    await sql`delete from unrecorded_orders`.execute(db);
    await sql`insert into unrecorded_orders (bot_id, api_key_id, market_type, symbol, client_order_id, exchange_order_id, side, type, state, requested, filled, net, made_at, changed_at)
      values (${id}, ${apiKeyId}, 'spot', ${symbol}, ${`lost-${made++}`}, 'x', 'buy', 'market', 'filled', 1, 1, ${net}, now(), now() - interval '1 hour')`.execute(
      db,
    );
  }

  test('coins that are gone are those that an order without a record has bought, and not those of the trade in another symbol', async () => {
    const first = await rig('spot', { amount: 1 });
    const { check, byHand, apiKeyId } = first;
    await another(apiKeyId, 1);
    await unrecorded(first, 1);
    await byHand('buy', 2);
    expect([await check.run(), await check.run(), await openOf(apiKeyId)]).toEqual([[], [], []]);
  });

  test('what an order without a record has sold is missing of its own symbol, and what one has bought is more in its own', async () => {
    const first = await rig('spot', { amount: 1 });
    const { check, byHand, apiKeyId, symbol } = first;
    await another(apiKeyId, 1);
    await unrecorded(first, -0.4);
    await byHand('buy', 1.6);
    await check.run();
    await check.run();
    expect(await openOf(apiKeyId)).toEqual([{ symbol, expected: 1, actual: 0.6 }]);
    await unrecorded(first, 0.5);
    await byHand('buy', 0.9);
    await check.run();
    await check.run();
    expect(await openOf(apiKeyId)).toEqual([{ symbol, expected: 1, actual: 1.5 }]);
  });

  test('each trade may be off by less than a step; an order on its way in one symbol leaves the coin for the next time, and those of all are asked about', async () => {
    const { check, byHand, apiKeyId, symbol, orders } = await rig('spot', { amount: 1.0009 });
    const { trade } = await another(apiKeyId, 1);
    await byHand('buy', 1.999);
    expect([await check.run(), await check.run()]).toEqual([[], []]);
    await byHand('sell', 1);
    const order = anOrderRow(trade, { status: 'sent', plannedAt: new Date() });
    await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
    expect([await check.run(), await check.run()]).toEqual([[], []]);
    await sql`update orders set status = 'open', acknowledged_at = now() - interval '1 hour' where client_order_id = ${order.clientOrderId}`.execute(
      db,
    );
    expect(await check.run()).toEqual(['BTC/USDC']);
    expect(orders.doubted).toEqual(expect.arrayContaining(['BTC/USDC', symbol]));
    await check.run();
    expect(orders.asked.at(-1)).toEqual([order.clientOrderId]);
  });

  describe('while one of them moves', () => {
    /** An order of unknown fate is on its way in the symbol of this trade. */
    async function move(trade: TradeRow): Promise<void> {
      const order = anOrderRow(trade, { status: 'unknown', plannedAt: new Date() });
      await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
    }

    test('coins of another that are gone are missing: an exit there must sell none that are not its own', async () => {
      const { check, byHand, apiKeyId, symbol } = await rig('spot', { amount: 1 });
      const { trade } = await another(apiKeyId, 0.3);
      await byHand('buy', 1.3);
      await move(trade);
      expect([await check.run(), await check.run(), await openOf(apiKeyId)]).toEqual([[], [], []]);
      await byHand('sell', 1);
      expect([await check.run(), await check.run()]).toEqual([[symbol], []]);
      expect(await openOf(apiKeyId)).toEqual([{ symbol, expected: 1, actual: 0.3 }]);
    });

    test('a difference of another becomes greater, but not smaller, and does not end: coins of the one that moves count there too', async () => {
      const { check, byHand, apiKeyId, trade } = await rig('spot', { amount: 1 });
      const { trade: others } = await another(apiKeyId, 1);
      const lacks = async (actual: number): Promise<void> => {
        await check.run();
        await check.run();
        expect(await openOf(apiKeyId)).toEqual([{ symbol: others.symbol, expected: 1, actual }]);
      };
      await byHand('buy', 1.3);
      await lacks(0.3);
      await move(trade);
      await lacks(0.3);
      await byHand('sell', 0.5);
      await lacks(0.3);
      await byHand('sell', 0.6);
      await lacks(0.2);
      await byHand('buy', 1.8);
      await lacks(0.2);
      await sql`update orders set status = 'cancelled', closed_at = now() - interval '1 hour' where trade_id = ${trade.id}`.execute(db);
      await check.run();
      expect(await openOf(apiKeyId)).toEqual([]);
    });

    test('what an order without a record has bought waits: the coins may be those of another', async () => {
      const moving = await rig('spot', { amount: 1 });
      const { check, byHand, apiKeyId } = moving;
      const { trade } = await another(apiKeyId, 1);
      await unrecorded(moving, 0.5);
      await byHand('buy', 2);
      await move(trade);
      expect([await check.run(), await check.run(), await openOf(apiKeyId)]).toEqual([[], [], []]);
    });
  });

  test('another coin is another matter', async () => {
    const { check, byHand, apiKeyId } = await rig('spot', { amount: 1 });
    await another(apiKeyId, 1, 'ETH/USDT');
    await byHand('buy', 1);
    await check.run();
    await check.run();
    expect(await openOf(apiKeyId)).toEqual([{ symbol: 'ETH/USDT', expected: 1, actual: 0 }]);
  });
});

describe('a difference is given to a bot that may trade', () => {
  /** Bots of perpetuals with one key, by their ids. */
  async function bots() {
    const { id, apiKeyId, check, byHand, symbol } = await rig('futures', null);
    const others = [];
    for (let i = 0; i < 2; i += 1) {
      const other = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `other ${made++}`, marketType: 'futures', symbols: [symbol] });
      await sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = ${other}`.execute(db);
      others.push(other);
    }
    const [first = '', second = '', third = ''] = [id, ...others].toSorted();
    const given = async () =>
      (
        await sql<{ botId: string }>`select d.bot_id from differences d join bots b on b.id = d.bot_id
          where b.api_key_id = ${apiKeyId} and d.ended_at is null`.execute(db)
      ).rows.map(({ botId }) => botId);
    const set = (botId: string, status: string, isArchived: boolean) =>
      sql`update bots set status = ${status}, archived_at = case when ${isArchived} then now() end where id = ${botId}`.execute(db);
    const difference = async () => {
      await byHand('buy', 1);
      await check.run();
      await check.run();
      return given();
    };
    return { first, second, third, set, difference, symbol };
  }

  type Given = [status: string, isArchived: boolean];
  test.each<[string, Given, Given, Given]>([
    ['the active before paused and stopped ones', ['stopped', false], ['paused', false], ['active', false]],
    ['an active before an archived one', ['stopped', true], ['stopped', true], ['active', false]],
    ['a paused before a stopped one', ['stopped', false], ['stopped', false], ['paused', false]],
    ['a stopped before an archived one', ['stopped', true], ['stopped', true], ['stopped', false]],
  ])('%s', async (_, ofFirst, ofSecond, ofThird) => {
    const { first, second, third, set, difference } = await bots();
    await set(first, ...ofFirst);
    await set(second, ...ofSecond);
    await set(third, ...ofThird);
    expect(await difference()).toEqual([third]);
  });

  test('an archived one has it where it alone has a trade there; where it has nothing, nothing is compared for it', async () => {
    const { first, second, third, set, difference, symbol } = await bots();
    for (const id of [first, second, third]) await set(id, 'stopped', true);
    expect(await difference()).toEqual([]);
    const engineState = JSON.stringify({ amountStep: 0.001, contractSize: 1 });
    const trade = aTradeRow(second, { symbol, mode: 'testnet', amount: 5, engineState });
    await writeTrades(db, [{ trade, orders: [], fills: [] }]);
    await set(third, 'active', false);
    expect(await difference()).toEqual([second]);
  });
});
