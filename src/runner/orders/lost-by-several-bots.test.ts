import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { claimBots, renewLease } from '#storage/bots/runners.ts';
import { holdingsToAdopt } from '#storage/differences/adopted-holdings.ts';
import { endAgreed, expectedHoldings, noteDifference } from '#storage/differences/differences.ts';
import { ignoreDifference, listDifferences, lockDifference } from '#storage/differences/found-differences.ts';
import { missingAmounts } from '#storage/differences/missing-amounts.ts';
import {
  type FoundOrder,
  noteOrderSearch,
  noteUnrecorded,
  noteVanished,
  standingUnrecorded,
} from '#storage/differences/unrecorded-orders.ts';
import { settleUnrecorded } from '#storage/differences/settle-unrecorded.ts';
import { markSent } from '#storage/orders/order-outbox.ts';
import { readServerStart } from '#storage/server-start.ts';
import { isOpenAtExchange } from '#storage/trades/open-at-exchange.ts';
import { readTradingState } from '#storage/trading/trading-states.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { anOrderRow, aTradeRow } from '../../storage/testing/trade-rows.ts';
import { AccountCheck } from './account-check.ts';

// Orders of several bots of one account, of which the database has lost every record.

const { db } = await freshDatabase();
const begunAt = await readServerStart(db);
const now = new Date();
const engineState = JSON.stringify({ amountStep: 0.001, contractSize: 1 });

beforeEach(async () => {
  await sql`truncate trades, api_keys cascade`.execute(db);
  await sql`delete from bots`.execute(db);
  await sql`delete from runners`.execute(db);
});

/** A stop that stands, in place of an order that was filled. */
const standing = (order: FoundOrder): FoundOrder => ({
  ...order,
  clientOrderId: 'stop',
  exchangeOrderId: '9',
  type: 'stop',
  state: 'open',
  filled: 0,
  net: '0',
});

/** Bots A and B with one key. A holds so much as far as is on record; `balance` is what the account has in truth. */
async function two(marketType: 'spot' | 'futures', { heldByA, balance }: { heldByA: number; balance: number }) {
  const symbol = marketType === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT';
  const add = (nickname: string) => addTestBot(db, { strategy: 'AlwaysFlat', nickname, marketType, symbols: [symbol] });
  const [a, b] = [await add('A'), await add('B')];
  const apiKeyId = await goLive(db, a);
  await sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = ${b}`.execute(db);
  const runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
  const claimed = await claimBots(db, runnerId, 100);
  const held = aTradeRow(a, { symbol, mode: 'testnet', amount: heldByA, engineState, openedAt: now });
  const exit = anOrderRow(held, {
    requested: 1,
    price: null,
    status: 'planned',
    side: 'sell',
    plannedAt: now,
    purpose: 'exit',
    type: 'market',
  });
  if (heldByA > 0) await writeTrades(db, [{ trade: held, orders: [], fills: [] }]);
  const venue = new InMemoryVenue({
    accountId: apiKeyId,
    instruments: [anInstrument({ symbol, marketType })],
    balances: { USDT: 1_000_000, ...(marketType === 'spot' ? { BTC: balance } : {}) },
    time: 0,
    remembersIds: 'always',
    feeCurrency: 'quote',
  });
  venue.setPrices(symbol, { bid: 100, ask: 100 });
  if (marketType === 'futures')
    await venue.place(anOrderRequest({ clientOrderId: 'by-hand', symbol, side: 'buy', amount: balance, expiresAt: 1 }));
  let clock = 0;
  const check = new AccountCheck(db, venue, marketType, { doubt: () => undefined, isCertainOf: () => true }, () => (clock += 1_000));
  const account = { apiKeyId, marketType };
  const order = {
    symbol,
    type: 'market',
    state: 'filled',
    requested: 1,
    filled: 1,
    price: null,
    averagePrice: '101',
    feeQuote: '0',
    madeAt: now,
  } as const;
  const lost = (botId: string, side: 'buy' | 'sell'): FoundOrder => ({
    ...order,
    botId,
    side,
    clientOrderId: `lost ${botId}`,
    exchangeOrderId: botId,
    net: side === 'buy' ? '1' : '-1',
  });
  const search = async () => await noteOrderSearch(db, account, { time: Date.now(), begunAt });
  /** Searches and comparisons, as each minute brings them. */
  const pass = async () => {
    await search();
    await sql`update unrecorded_orders set changed_at = now() - interval '1 minute'`.execute(db);
    for (let round = 0; round < 2; round++) await check.run();
  };
  const ask = async (botId: string, clientOrderId: string, isEntry: boolean): Promise<string> => {
    const holder = { id: botId, epoch: claimed.find(({ id }) => id === botId)?.epoch ?? '', runnerId };
    return (await markSent(db, { holder, clientOrderId, isEntry, expiryMs: 2_000 })).kind;
  };
  const entryOf = async (botId: string) => {
    const trade = aTradeRow(botId, { symbol, mode: 'testnet', amount: 0, entryPrice: null, engineState, openedAt: now });
    const entry = anOrderRow(trade, { requested: 1, status: 'planned', plannedAt: now });
    await writeTrades(db, [{ trade, orders: [entry], fills: [] }]);
    return await ask(botId, entry.clientOrderId, true);
  };
  const differences = async () =>
    (await listDifferences(db, null)).open
      .map(({ botId, expected, actual }) => [botId === a ? 'A' : 'B', expected, actual] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
  /** A person decides that what an account has more than the trades of a bot belongs to no bot. */
  const ignore = async (botId: string) => {
    const { open } = await listDifferences(db, null);
    await db.transaction().execute(async (trx) => {
      const found = await lockDifference(trx, open.find((each) => each.botId === botId)?.id ?? '');
      if (found !== null) await ignoreDifference(trx, found);
    });
  };
  return {
    a,
    b,
    runnerId,
    account,
    find: async (...orders: FoundOrder[]) => await noteUnrecorded(db, account, orders),
    lost,
    search,
    pass,
    entryOf,
    exitOfA: async () => {
      await writeTrades(db, [{ trade: held, orders: [exit], fills: [] }]);
      return await ask(a, exit.clientOrderId, false);
    },
    planStopOfA: async (plannedAt: Date) => {
      const stop = anOrderRow(held, {
        requested: 1,
        price: null,
        status: 'planned',
        side: 'sell',
        plannedAt,
        purpose: 'stop',
        type: 'stop',
      });
      await writeTrades(db, [{ trade: held, orders: [stop], fills: [] }]);
    },
    differences,
    ignore,
    missingOfA: async () => (await missingAmounts(db, { botId: a })).map(({ missing }) => missing),
  };
}

describe.each(['spot', 'futures'] as const)('OP-85 on %s', (marketType) => {
  test('each bot that has bought without a record enters nothing before a person has decided', async () => {
    const { a, b, find, lost, pass, entryOf, differences } = await two(marketType, { heldByA: 0, balance: 2 });
    await find(lost(a, 'buy'), lost(b, 'buy'));
    await pass();
    expect((await differences()).map(([, expected, actual]) => [expected, actual])).toEqual([[0, 2]]); // one, of the account
    expect([await readTradingState(db, a), await readTradingState(db, b)]).toEqual(['reducing', 'reducing']);
    expect([await entryOf(a), await entryOf(b)]).toEqual(['forbidden', 'forbidden']);
  });

  test.each(['in one search', 'one after the other'])(
    'what one bot has sold is not sold once more because another has bought as much, both without a record and found %s',
    async (how) => {
      // On spot four of the coins are their owner's.
      const { a, b, find, lost, pass, exitOfA, differences, missingOfA } = await two(marketType, {
        heldByA: 1,
        balance: marketType === 'spot' ? 5 : 1,
      });
      if (how === 'in one search') await find(lost(a, 'sell'), lost(b, 'buy'));
      else {
        await find(lost(b, 'buy'));
        await find(lost(a, 'sell'));
      }
      for (let minute = 0; minute < 3; minute++) {
        await pass();
        expect(await differences()).toEqual([
          ['A', 1, 0],
          ['B', 1, 2],
        ]);
        expect(await missingOfA()).toEqual([1]);
      }
      expect(await exitOfA()).toBe('not-held');
    },
  );

  test('what one bot has sold stays sold when a person leaves to nobody what another has bought', async () => {
    const { a, b, find, lost, pass, exitOfA, ignore, missingOfA } = await two(marketType, {
      heldByA: 1,
      balance: marketType === 'spot' ? 5 : 1,
    });
    await find(lost(a, 'sell'), lost(b, 'buy'));
    await pass();
    await ignore(b);
    await pass();
    expect([await missingOfA(), await exitOfA()]).toEqual([[1], 'not-held']);
  });
});

test('OP-85 where an account agrees with all trades nothing is left to decide, of no bot: none is kept from its key', async () => {
  const { b, find, lost, pass, differences } = await two('futures', { heldByA: 1, balance: 1 });
  await find(lost(b, 'sell')); // of what a person has left to nobody
  expect(await differences()).toEqual([['A', 1, 0]]);
  for (let minute = 0; minute < 2; minute++) {
    await pass();
    expect(await differences()).toEqual([]);
  }
  expect(await isOpenAtExchange(db, b)).toBe(false);
  expect(await sql`select id from differences`.execute(db)).toMatchObject({ rows: [{}] });
});

test('OP-85 where an account agrees in one pair, what another bot has bought without a record in another pair is still to be decided about', async () => {
  const { a, b, account, find, lost, differences } = await two('futures', { heldByA: 1, balance: 1 });
  const [btc, eth] = ['BTC/USDT:USDT', 'ETH/USDT:USDT'] as const;
  await find(lost(b, 'sell'), { ...lost(b, 'buy'), symbol: eth, clientOrderId: 'lost elsewhere', exchangeOrderId: '10' });
  await endAgreed(db, a, btc);
  expect(await differences()).toEqual([['B', 0, 1]]);
  const holdings = await expectedHoldings(db, account.apiKeyId, account.marketType);
  const left = (of: string) => holdings.find((each) => each.symbol === of)?.unrecorded;
  expect([left(btc), left(eth)]).toEqual([0, 1]);
});

test('OP-85 a difference is found while a stop waits for one of before to be cancelled', async () => {
  const { pass, differences, planStopOfA } = await two('futures', { heldByA: 2, balance: 1 });
  await planStopOfA(new Date()); // one that trails is planned again and again
  for (let minute = 0; minute < 2; minute++) await pass();
  expect(await differences()).toEqual([['A', 2, 1]]);
});

test('OP-85 what the exchange forgets makes no decision stale', async () => {
  const { a, b, find, lost, pass } = await two('futures', { heldByA: 1, balance: 1 });
  const stop = standing(lost(a, 'sell'));
  await find(lost(a, 'sell'), stop, lost(b, 'buy'));
  await noteVanished(db, ['stop']);
  await pass();
  expect((await listDifferences(db, null)).open.map(({ isStale }) => isStale)).toEqual([false, false]);
});

test('OP-85 what was left undecided before a bot went to paper keeps it from nothing', async () => {
  const { a, find, lost } = await two('futures', { heldByA: 0, balance: 1 });
  await find(lost(a, 'buy'));
  expect(await isOpenAtExchange(db, a)).toBe(true);
  await sql`update bots set mode = 'paper' where id = ${a}`.execute(db); // as it could before
  expect(await isOpenAtExchange(db, a)).toBe(false);
});

describe('OP-85 what a bot has left with another key is in another account', () => {
  /** What A has left belongs to a key of before, as it could be then. Gives that account. */
  async function moved(heldByA: number) {
    const bots = await two('futures', { heldByA, balance: 1 });
    const { a, find, lost } = bots;
    const stop = standing(lost(a, 'sell'));
    await find({ ...lost(a, 'sell'), filled: 3, requested: 3, net: '-3' }, stop);
    await sql`delete from differences`.execute(db);
    const { rows } = await sql<{ id: string }>`
      insert into api_keys (user_id, exchange_id, label, key_hint, sealed, created_at)
      select user_id, exchange_id, 'of before', 'abcd', '{}', now() from api_keys returning id`.execute(db);
    const apiKeyId = rows[0]?.id ?? '';
    await sql`update unrecorded_orders set api_key_id = ${apiKeyId}`.execute(db);
    return { ...bots, before: { apiKeyId, marketType: 'futures' } };
  }

  test('with its new key it makes no difference, and no trade lacks it', async () => {
    const { b, search, entryOf, exitOfA, differences, missingOfA } = await moved(1);
    await search();
    expect([await differences(), await missingOfA()]).toEqual([[], []]);
    expect([await entryOf(b), await exitOfA()]).toEqual(['sent', 'sent']);
  });

  test('what it leaves with its new key is a difference of that alone', async () => {
    const { a, find, lost, differences } = await moved(0);
    await find({ ...lost(a, 'buy'), clientOrderId: 'new', exchangeOrderId: '10' });
    expect(await differences()).toEqual([['A', 0, 1]]);
  });

  test('with its new key it keeps it from nothing, and no bot from another leverage', async () => {
    const { a, b, entryOf } = await moved(0);
    expect(await isOpenAtExchange(db, a)).toBe(false);
    await sql`update bots set leverage = 3 where id = ${a}`.execute(db);
    expect(await entryOf(b)).toBe('sent');
  });

  test('with its new key nobody is asked about it beside what that lacks', async () => {
    const { a } = await moved(0);
    await noteDifference(db, { botId: a, symbol: 'BTC/USDT:USDT', expected: 0, actual: -1 });
    await sql`update unrecorded_orders set changed_at = now() + interval '1 hour'`.execute(db);
    expect((await listDifferences(db, null)).open).toMatchObject([{ unrecorded: [], isStale: false }]);
  });

  test('what a person decides there settles nothing of it, and no coins wait for its stop, nor is that cancelled', async () => {
    const { a, runnerId, before } = await moved(0);
    await settleUnrecorded(db, a, 'BTC/USDT:USDT');
    await sql`insert into adopted_holdings (bot_id, symbol, direction, amount, price, closes, asked_at)
      values (${a}, 'BTC/USDT:USDT', 'long', 1, 100, false, now())`.execute(db);
    expect((await holdingsToAdopt(db, runnerId)).map(({ isBlocked }) => isBlocked)).toEqual([false]);
    expect(await standingUnrecorded(db, before)).toMatchObject([{ clientOrderId: 'stop', isSettled: false }]);
  });
});
