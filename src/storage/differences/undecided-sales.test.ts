import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { claimBots, renewLease } from '../bots/runners.ts';
import { markSent } from '../orders/order-outbox.ts';
import { readServerStart } from '../server-start.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { listDifferences } from './found-differences.ts';
import { missingAmounts } from './missing-amounts.ts';
import { noteOrderSearch, noteUnrecorded } from './unrecorded-orders.ts';

// On the disk an entry stands at the exchange. In truth it was filled, and what it has bought was sold again: the disk has lost both.

const { db } = await freshDatabase();
const begunAt = await readServerStart(db);
const now = new Date();
const engineState = JSON.stringify({ amountStep: 0.001, contractSize: 1 });

beforeEach(async () => {
  await sql`truncate trades, api_keys cascade`.execute(db);
  await sql`delete from bots`.execute(db);
  await sql`delete from runners`.execute(db);
});

/** Bots with one key, each with a trade of 1 and an exit that is planned; the oldest first. */
async function holders(marketType: 'spot' | 'futures', count: number) {
  const symbol = marketType === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT';
  const ids: string[] = [];
  for (let i = 0; i < count; i++)
    ids.push(await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `bot ${i}`, marketType, symbols: [symbol] }));
  const apiKeyId = await goLive(db, ids[0] ?? '');
  await sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = any(${ids}::uuid[])`.execute(db);
  const runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
  const claimed = await claimBots(db, runnerId, 100);
  const exits = new Map<string, string>();
  for (const [i, id] of ids.entries()) {
    const trade = aTradeRow(id, { symbol, mode: 'testnet', engineState, openedAt: new Date(now.getTime() + i) });
    const exit = anOrderRow(trade, {
      requested: 1,
      price: null,
      status: 'planned',
      side: 'sell',
      plannedAt: now,
      purpose: 'exit',
      type: 'market',
    });
    await writeTrades(db, [{ trade, orders: [exit], fills: [] }]);
    exits.set(id, exit.clientOrderId);
  }
  const sold = (botId: string) => {
    const order = { botId, symbol, side: 'sell', type: 'market', state: 'filled', requested: 1, filled: 1, price: null } as const;
    return { ...order, clientOrderId: `lost ${botId}`, exchangeOrderId: botId, net: '-1', averagePrice: '101', feeQuote: '0', madeAt: now };
  };
  const exit = async (botId: string): Promise<string> => {
    const holder = { id: botId, epoch: claimed.find(({ id }) => id === botId)?.epoch ?? '', runnerId };
    return (await markSent(db, { holder, clientOrderId: exits.get(botId) ?? '', isEntry: false, expiryMs: 2_000 })).kind;
  };
  return { ids, account: { apiKeyId, marketType }, sold, exit };
}

/** Two bots with one key; the first has the entry that stands, in the pair of both if not in another, the second holds what is given. */
async function two(marketType: 'spot' | 'futures', heldBySecond: number, entered?: string) {
  const symbol = marketType === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT';
  const add = (nickname: string) => addTestBot(db, { strategy: 'AlwaysFlat', nickname, marketType, symbols: [symbol] });
  const [a, b] = [await add('A'), await add('B')];
  const apiKeyId = await goLive(db, a);
  await sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = ${b}`.execute(db);
  const runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
  const claimed = await claimBots(db, runnerId, 100);
  const trade = aTradeRow(a, { symbol: entered ?? symbol, mode: 'testnet', amount: 0, entryPrice: null, engineState, openedAt: now });
  const entry = anOrderRow(trade, { requested: 1, status: 'open', plannedAt: now, sentAt: now, acknowledgedAt: now });
  const other = aTradeRow(b, { symbol, mode: 'testnet', amount: heldBySecond, engineState, openedAt: now });
  const leave = { requested: 1, price: null, status: 'planned', side: 'sell', plannedAt: now } as const;
  const stopOfOther = anOrderRow(other, { ...leave, purpose: 'stop', type: 'stop' });
  await writeTrades(db, [{ trade, orders: [entry], fills: [] }]);
  if (heldBySecond > 0) await writeTrades(db, [{ trade: other, orders: [stopOfOther], fills: [] }]);
  const account = { apiKeyId, marketType };
  const lost = { botId: a, symbol, side: 'sell', type: 'market', state: 'filled', requested: 1, filled: 1, price: null } as const;
  await noteUnrecorded(db, account, [
    { ...lost, clientOrderId: 'lost', exchangeOrderId: '9', net: '-1', averagePrice: '101', feeQuote: '0', madeAt: now },
  ]);
  const search = () => noteOrderSearch(db, account, { time: Date.now(), begunAt });
  await search();
  const ask = async (botId: string, orderId: string): Promise<string> => {
    const holder = { id: botId, epoch: claimed.find(({ id }) => id === botId)?.epoch ?? '', runnerId };
    return (await markSent(db, { holder, clientOrderId: orderId, isEntry: false, expiryMs: 2_000 })).kind;
  };
  /** The bot has begun: its entry turns out to be filled and is booked, and what leaves the trade is planned with the same step. */
  const book = async () => {
    await sql`update orders set status = 'filled', filled = 1, closed_at = now() where client_order_id = ${entry.clientOrderId}`.execute(
      db,
    );
    const held = { ...trade, amount: 1, entryPrice: 100 };
    const stop = anOrderRow(held, { ...leave, purpose: 'stop', type: 'stop' });
    const exit = anOrderRow(held, { ...leave, purpose: 'exit', type: 'market' });
    const filled = { ...entry, status: 'filled', filled: 1, closedAt: now } as const;
    await writeTrades(db, [
      { trade: held, orders: [filled, stop, exit], fills: [aFillRow(entry, { amount: 1, fee: '0', filledAt: now })] },
    ]);
    return { stop: await ask(a, stop.clientOrderId), exit: await ask(a, exit.clientOrderId) };
  };
  const open = async () =>
    (await listDifferences(db, null)).open.map(({ botId, expected, actual }) => [botId === a ? 'A' : 'B', expected, actual]);
  const missing = async (botId: string) => (await missingAmounts(db, { botId })).map((each) => each.missing);
  return { a, b, search, book, open, missing, stopOfOther: () => ask(b, stopOfOther.clientOrderId) };
}

describe('OP-85 what an entry on record has bought and an order without a record has sold', () => {
  test('is not sold once more before the next search has noted it', async () => {
    const { a, search, book, open, missing } = await two('spot', 0);
    expect(await open()).toEqual([]);
    expect(await book()).toEqual({ stop: 'not-held', exit: 'not-held' });
    expect(await missing(a)).toEqual([1]);
    await search();
    expect(await open()).toEqual([['A', 1, 0]]);
    expect(await missing(a)).toEqual([1]);
  });

  test.each(['spot', 'futures'] as const)('is not missing of the trade of another bot (%s)', async (marketType) => {
    const { a, b, search, book, open, missing, stopOfOther } = await two(marketType, 1);
    expect(await open()).toEqual([]);
    expect([await missing(b), await stopOfOther()]).toEqual([[], 'sent']);
    expect(await book()).toEqual({ stop: 'not-held', exit: 'not-held' });
    await search();
    expect(await open()).toEqual([['A', 2, 1]]);
    expect([await missing(a), await missing(b)]).toEqual([[1], []]);
  });

  test.each([
    ['spot', 'ETH/USDT'],
    ['futures', 'ETH/USDT:USDT'],
  ] as const)('is missing of the trade of another bot where the entry stands in another pair (%s)', async (marketType, entered) => {
    const { b, open, missing, stopOfOther } = await two(marketType, 1, entered);
    expect(await open()).toEqual([['B', 1, 0]]);
    expect([await missing(b), await stopOfOther()]).toEqual([[1], 'not-held']);
  });
});

describe.each(['spot', 'futures'] as const)(
  'OP-85 what several bots of an account have sold by orders without a record (%s)',
  (marketType) => {
    test('is not sold once more by any of them, and costs no other its exit', async () => {
      const { ids, account, sold, exit } = await holders(marketType, 3);
      const [innocent = '', a = '', c = ''] = ids; // who has sold nothing is the oldest
      await noteUnrecorded(db, account, [sold(a), sold(c)]);
      expect([await exit(a), await exit(c), await exit(innocent)]).toEqual(['not-held', 'not-held', 'sent']);
    });

    test('is missing of theirs, and not of the oldest, where a comparison of the account says how much is missing in all', async () => {
      const { ids, account, sold, exit } = await holders(marketType, 3);
      const [innocent = '', a = '', c = ''] = ids;
      await noteUnrecorded(db, account, [sold(a), sold(c)]);
      await sql`update differences set bot_id = ${a}, expected = 3, actual = 1`.execute(db);
      expect([await exit(a), await exit(c), await exit(innocent)]).toEqual(['not-held', 'not-held', 'sent']);
    });
  },
);
