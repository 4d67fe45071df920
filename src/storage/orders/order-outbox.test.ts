import type { OrderState } from '#engine/account/order-life.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { serverStartedAt } from '../../../test/support/server-started.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { Sending } from './order-outbox.ts';
import { changeOrder, markSent, newestFillBefore, readOrders } from './order-outbox.ts';
import type { Holder } from '../bots/runners.ts';
import { claimBots, Fenced, renewLease } from '../bots/runners.ts';
import { newestAccountFill } from '../differences/unrecorded-orders.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import type { OrderRow, TradeRow } from '../trades/trade-writes.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { waitForEntries } from '../trading/trading-lock.ts';
import { lockSwitch, setSwitch } from '../trading/trading-states.ts';

const { db, url } = await freshDatabase();
const botId = await addTestBot(db, { strategy: 'BuyAndHold', marketType: 'futures', leverage: 3, symbols: ['BTC/USDT:USDT'] });
let runnerId = '';
let holder: Holder;

/** A runner with a lease of its own takes the bot. */
async function claim(leaseMs: number): Promise<Holder> {
  await sql`update bots set runner_id = null`.execute(db);
  runnerId = crypto.randomUUID();
  await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, leaseMs, true);
  const [bot] = await claimBots(db, runnerId, 1);
  return { id: botId, epoch: bot?.epoch ?? '', runnerId };
}
beforeEach(async () => {
  await sql`delete from orders`.execute(db);
  await sql`delete from runners`.execute(db);
  await setState('active');
  holder = await claim(60_000);
});

const setState = (state: 'active' | 'reducing' | 'halted') =>
  db.transaction().execute(async (trx) => {
    await lockSwitch(trx, { level: 'server' });
    await setSwitch(trx, { level: 'server' }, { state, setBy: null, isImposed: false });
  });

async function anOrder(
  given: Partial<OrderRow> = {},
  of: Partial<TradeRow> = {},
): Promise<{ trade: TradeRow; order: OrderRow; id: string }> {
  const trade = aTradeRow(botId, { mode: 'testnet', leverage: 3, ...of });
  const order = anOrderRow(trade, { status: 'planned', plannedAt: new Date(1_000), ...given });
  await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
  return { trade, order, id: order.clientOrderId };
}
const sending = (clientOrderId: string, given: Partial<Sending> = {}): Sending => ({
  holder,
  clientOrderId,
  isEntry: true,
  expiryMs: 2_000,
  ...given,
});
const rowOf = (id: string) => db.selectFrom('orders').selectAll().where('clientOrderId', '=', id).executeTakeFirstOrThrow();
const eventsOf = async (id: string): Promise<string[]> =>
  (
    await sql<{
      state: string;
    }>`select e.state from order_events e join orders o on o.id = e.order_id where o.client_order_id = ${id} order by e.id`.execute(db)
  ).rows.map(({ state }) => state);

describe('OP-85 marking an order as sent', () => {
  test('is on the disk with its expiry, its attempt and an event, and happens once', async () => {
    const { id } = await anOrder();
    expect(await markSent(db, sending(id))).toEqual({ kind: 'sent', expiresInMs: 2_000 });
    const row = await rowOf(id);
    expect(row).toMatchObject({ status: 'sent', attempt: 1 });
    const expiryMs = (row.expiresAt?.getTime() ?? 0) - (row.sentAt?.getTime() ?? 0);
    expect(expiryMs).toBeGreaterThanOrEqual(1_999);
    expect(expiryMs).toBeLessThanOrEqual(2_001);
    expect(await markSent(db, sending(id))).toEqual({ kind: 'moved' });
    for (const path of [['unknown'], ['planned']] as OrderState[][])
      expect(await changeOrder(db, holder, id, { from: (await rowOf(id)).status, path })).toBe(true);
    await markSent(db, sending(id));
    expect(await rowOf(id)).toMatchObject({ attempt: 2 });
    expect(await eventsOf(id)).toEqual(['sent', 'unknown', 'planned', 'sent']);
  });

  test('of two at once one does it', async () => {
    const { id } = await anOrder();
    const permits = await Promise.all([1, 2, 3, 4].map(() => markSent(db, sending(id))));
    expect(permits.map(({ kind }) => kind).toSorted()).toEqual(['moved', 'moved', 'moved', 'sent']);
  });

  test('ends before the lease can pass on, and is not done when too little is left', async () => {
    const { id } = await anOrder();
    holder = await claim(60_000);
    const permit = await markSent(db, sending(id, { expiryMs: 90_000 }));
    expect(permit.kind === 'sent' ? permit.expiresInMs : Infinity).toBeLessThanOrEqual(60_000);
    const row = await rowOf(id);
    const noted = (row.expiresAt?.getTime() ?? 0) - (row.sentAt?.getTime() ?? 0);
    expect(noted - (permit.kind === 'sent' ? permit.expiresInMs : 0)).toBeLessThanOrEqual(1);
    const other = await anOrder();
    const deadline = Date.now() + patienceMs;
    /** Asks while a little of the lease is left: once more where it was over by then. */
    const askAtEnd = async (): Promise<unknown> => {
      await sql`update runners set expires_at = clock_timestamp() + interval '400 ms'`.execute(db);
      return markSent(db, sending(other.id)).catch((error: unknown) => {
        if (error instanceof Fenced && Date.now() < deadline) return askAtEnd();
        throw error;
      });
    };
    expect(await askAtEnd()).toEqual({ kind: 'lease-too-short' });
    expect((await rowOf(other.id)).status).toBe('planned');
  });

  test('is refused to a runner that has lost the bot', async () => {
    const { id } = await anOrder();
    await sql`update runners set expires_at = clock_timestamp() - interval '1 ms'`.execute(db);
    await expect(markSent(db, sending(id))).rejects.toThrow(Fenced);
    const lost = holder;
    holder = await claim(60_000);
    await expect(markSent(db, sending(id, { holder: lost }))).rejects.toThrow(Fenced);
    await expect(changeOrder(db, lost, id, { from: 'planned', path: ['cancelled'] })).rejects.toThrow(Fenced);
    expect((await rowOf(id)).status).toBe('planned');
  });

  test('OP-27 the kill switch forbids entries, and nothing else', async () => {
    const [entry, exit] = [await anOrder(), await anOrder({ purpose: 'exit' })];
    for (const state of ['reducing', 'halted'] as const) {
      await setState(state);
      expect(await markSent(db, sending(entry.id))).toEqual({ kind: 'forbidden' });
    }
    expect((await markSent(db, sending(exit.id, { isEntry: false, expiryMs: 2_000 }))).kind).toBe('sent');
    expect((await rowOf(entry.id)).status).toBe('planned');
  });

  test('OP-27 pressing the switch waits for whoever is just about to mark an entry as sent', async () => {
    const { id } = await anOrder();
    const { promise, resolve } = Promise.withResolvers<void>();
    const isLocked = Promise.withResolvers<void>();
    const holding = db.transaction().execute(async (trx) => {
      await trx.selectFrom('bots').select('id').where('id', '=', botId).forUpdate().execute();
      isLocked.resolve();
      await promise;
    });
    await isLocked.promise;
    const marking = markSent(db, sending(id));
    await untilWaiting(db, 1); // it stands before the bot's row
    await setState('halted');
    let isConfirmed = false;
    const confirmed = waitForEntries(db, patienceMs).then(() => (isConfirmed = true)); // whoever holds it up is not ended meanwhile
    await untilWaiting(db, 2); // the confirmation stands before it
    expect(isConfirmed).toBe(false);
    resolve();
    await holding;
    expect(await marking).toEqual({ kind: 'forbidden' });
    await confirmed;
  });

  test('OP-27 nor so soon after a start of the server that one may still arrive of which it is lost that it was sent', async () => {
    const start = new Date(Date.now() - 1_000);
    const young = await serverStartedAt(db, url, `timestamptz '${start.toISOString()}'`);
    await waitForEntries(young);
    expect(Date.now() - start.getTime()).toBeGreaterThanOrEqual(2_000);
  });

  test('OP-27 pressing the switch is not confirmed while an entry that was sent may still arrive', async () => {
    for (const isLost of [false, true]) {
      const { id } = await anOrder();
      await markSent(db, sending(id, { expiryMs: 1_000 }));
      if (isLost) await changeOrder(db, holder, id, { from: 'sent', path: ['unknown'] }); // a lost answer does not stop it on its way
      await setState('halted');
      await waitForEntries(db);
      const { rows } = await sql`select 1 from orders where client_order_id = ${id} and expires_at <= clock_timestamp()`.execute(db);
      expect(rows).toHaveLength(1);
      await setState('active');
    }
    const other = await anOrder();
    await setState('active');
    await markSent(db, sending(other.id, { expiryMs: 50_000 }));
    const soon = waitForEntries(db);
    await changeOrder(db, holder, other.id, { from: 'sent', path: ['open'] }); // an answer ends the waiting at once
    await soon;
    const exit = await anOrder({ purpose: 'exit' });
    await markSent(db, sending(exit.id, { isEntry: false, expiryMs: 50_000 }));
    await waitForEntries(db); // exits are not waited for
    for (const id of [other.id, exit.id]) {
      const { rows } = await sql`select 1 from orders where client_order_id = ${id} and expires_at > clock_timestamp()`.execute(db);
      expect(rows).toHaveLength(1);
    }
  });
});

describe('OP-85 changing an order', () => {
  test('goes along its path with an event for each state, and keeps what the exchange has said', async () => {
    const { id } = await anOrder();
    await markSent(db, sending(id));
    const change = { from: 'sent', path: ['open', 'cancelled'], exchangeOrderId: '77', filled: 1.25, averagePrice: 99.5 } as const;
    expect(await changeOrder(db, holder, id, change)).toBe(true);
    expect(await rowOf(id)).toMatchObject({
      status: 'cancelled',
      exchangeOrderId: '77',
      closedAt: expect.any(Date),
      acknowledgedAt: expect.any(Date),
    });
    expect(Number((await rowOf(id)).filled)).toBe(1.25);
    expect(await changeOrder(db, holder, id, { from: 'cancelled', path: [], filled: 2, averagePrice: null })).toBe(true); // late fills
    expect(await rowOf(id)).toMatchObject({ status: 'cancelled', exchangeOrderId: '77' });
    expect([Number((await rowOf(id)).filled), Number((await rowOf(id)).averagePrice)]).toEqual([2, 99.5]);
    expect(await eventsOf(id)).toEqual(['sent', 'open', 'cancelled']);
  });

  test('keeps what is known to be filled where somebody knows of less', async () => {
    const { id } = await anOrder();
    await markSent(db, sending(id));
    expect(await changeOrder(db, holder, id, { from: 'sent', path: ['open'], filled: 2 })).toBe(true);
    expect(await changeOrder(db, holder, id, { from: 'open', path: ['cancelled'], filled: 1.5 })).toBe(true);
    expect([(await rowOf(id)).status, Number((await rowOf(id)).filled)]).toEqual(['cancelled', 2]);
  });

  test('is not done from another state than it was in, and not along a path that no order goes', async () => {
    const { id } = await anOrder();
    expect(await changeOrder(db, holder, id, { from: 'open', path: ['filled'] })).toBe(false);
    await expect(changeOrder(db, holder, id, { from: 'planned', path: ['sent', 'cancelled'] })).rejects.toThrow(
      'cannot go from sent to cancelled',
    );
    expect([await eventsOf(id), (await rowOf(id)).status]).toEqual([[], 'planned']);
  });

  test('says that the exchange has taken an order only when it has answered: a lost answer is none', async () => {
    const { id } = await anOrder();
    await markSent(db, sending(id));
    await changeOrder(db, holder, id, { from: 'sent', path: ['unknown'] });
    expect(await rowOf(id)).toMatchObject({ status: 'unknown', acknowledgedAt: null, closedAt: null });
    await changeOrder(db, holder, id, { from: 'unknown', path: ['open'] });
    expect(await rowOf(id)).toMatchObject({ acknowledgedAt: expect.any(Date) });
  });

  test('keeps what it was refused with', async () => {
    const { id } = await anOrder();
    await markSent(db, sending(id));
    await changeOrder(db, holder, id, { from: 'sent', path: ['refused'], refusal: 'Not enough USDT' });
    expect(await rowOf(id)).toMatchObject({ status: 'refused', refusal: 'Not enough USDT' });
  });
});

describe('OP-85 reading the orders of a bot', () => {
  test('gives what is left of an expiry on the clock of the market, whatever time that shows', async () => {
    const { id } = await anOrder();
    expect(await markSent(db, sending(id))).toMatchObject({ kind: 'sent', expiresInMs: 2_000 });
    await sql`update orders set expires_at = clock_timestamp() + interval '1 hour' where client_order_id = ${id}`.execute(db);
    for (const clock of [
      { now: () => 5_000_000, pace: 1 },
      { now: () => 5_000_000, pace: 20 },
    ]) {
      const left = ((await readOrders(db, botId, [], clock)).find(({ clientOrderId }) => clientOrderId === id)?.expiresAt ?? 0) - 5_000_000;
      expect(left).toBeGreaterThan(3_500_000 * clock.pace); // of an hour
      expect(left).toBeLessThanOrEqual(3_600_000 * clock.pace);
    }
  });

  test('gives those that have not ended and those that are asked for, never simulated ones', async () => {
    const open = await anOrder({ status: 'open', plannedAt: new Date(3_000) });
    const twoHoursAgo = Date.now() - 7_200_000;
    const ended = await anOrder({ status: 'cancelled', plannedAt: new Date(1_000), closedAt: new Date(twoHoursAgo) });
    await anOrder({ status: 'filled' });
    await anOrder({ status: 'open' }, { mode: 'paper' });
    const stop = await anOrder({ purpose: 'stop', side: 'sell', type: 'stop', stopPrice: 90, plannedAt: new Date(2_000) });
    const found = await readOrders(db, botId, [ended.id], { now: Date.now, pace: 1 });
    expect(found.map(({ clientOrderId }) => clientOrderId)).toEqual([ended.id, stop.id, open.id]);
    expect(found[1]).toEqual({
      botId,
      clientOrderId: stop.id,
      symbol: stop.trade.symbol,
      purpose: 'stop',
      side: 'sell',
      type: 'stop',
      amount: 5,
      price: null,
      stopPrice: 90,
      timeInForce: 'GTC',
      reduceOnly: true,
      leverage: 3,
      marginMode: 'isolated',
      state: 'planned',
      attempt: 0,
      plannedAt: 2_000,
      expiresAt: null,
      filled: 0,
      endedAt: null,
    });
    expect(Math.abs((found[0]?.endedAt ?? 0) - twoHoursAgo)).toBeLessThan(60_000);
    expect(found[2]).toMatchObject({ purpose: 'entry', price: 100, reduceOnly: false });
  });

  test('the newest fill before a time is of the same symbol and no simulated one', async () => {
    await useKey(await aKey());
    const { trade, order } = await anOrder({ status: 'filled', filled: 3 });
    const fill = (id: string, ms: number) => aFillRow(order, { exchangeFillId: id, filledAt: new Date(ms) });
    await writeTrades(db, [{ trade, orders: [], fills: [fill('8', 8_000), fill('9', 9_000), fill('10', 10_000)] }]);
    expect(await newestFillBefore(db, botId, { clientOrderId: '', symbol: trade.symbol, time: 10_000 })).toBe('9');
    expect(await newestFillBefore(db, botId, { clientOrderId: '', symbol: trade.symbol, time: 8_000 })).toBeNull();
    expect(await newestFillBefore(db, botId, { clientOrderId: '', symbol: 'ETH/USDT:USDT', time: 10_000 })).toBeNull();
    // Those of the order that is asked about are not before it, whatever the clocks say.
    const ofOrder = { clientOrderId: order.clientOrderId, symbol: trade.symbol, time: 10_000 };
    expect(await newestFillBefore(db, botId, ofOrder)).toBeNull();
    // What a person has said was sold elsewhere has no fill at the exchange.
    await writeTrades(db, [{ trade, orders: [], fills: [fill('outside-9500', 9_500)] }]);
    expect(await newestFillBefore(db, botId, { clientOrderId: '', symbol: trade.symbol, time: 10_000 })).toBe('9');
    const paper = await anOrder({ status: 'filled' }, { mode: 'paper', symbol: 'ETH/USDT:USDT' });
    await writeTrades(db, [{ trade: paper.trade, orders: [], fills: [aFillRow(paper.order, { filledAt: new Date(1) })] }]);
    expect(await newestFillBefore(db, botId, { clientOrderId: '', symbol: 'ETH/USDT:USDT', time: 10_000 })).toBeNull();
  });

  test('it is one of the account that the bot has now: another counts its fills by itself', async () => {
    const [before, now] = [await aKey(), await aKey()];
    const symbol = 'SOL/USDT:USDT';
    const filled = async (id: string, ms: number): Promise<void> => {
      const { trade, order } = await anOrder({ status: 'filled', filled: 3 }, { symbol, status: 'closed', closedAt: new Date(ms) });
      await writeTrades(db, [{ trade, orders: [], fills: [aFillRow(order, { exchangeFillId: id, filledAt: new Date(ms) })] }]);
    };
    const ofAccount = async (apiKeyId: string) => await newestAccountFill(db, { apiKeyId, marketType: 'futures' }, symbol, 10_000);
    await useKey(before);
    await filled('500', 9_000);
    await useKey(now);
    expect([await newestFillBefore(db, botId, { clientOrderId: '', symbol, time: 10_000 }), await ofAccount(now)]).toEqual([null, null]);
    await filled('1', 8_000);
    expect([await newestFillBefore(db, botId, { clientOrderId: '', symbol, time: 10_000 }), await ofAccount(now)]).toEqual(['1', '1']);
    // No exchange can be asked for what came after one that a person has said.
    await filled('outside-8500', 8_500);
    expect([await newestFillBefore(db, botId, { clientOrderId: '', symbol, time: 10_000 }), await ofAccount(now)]).toEqual(['1', '1']);
  });

  test('that of an account is of the symbol that is asked about, too: each symbol counts its fills by itself', async () => {
    const apiKeyId = await aKey();
    await useKey(apiKeyId);
    const [sol, eth] = ['SOL/USDT:USDT', 'ETH/USDT:USDT'];
    for (const [symbol, id, ms] of [[sol, '7', 7_000] as const, [eth, '900', 9_000] as const]) {
      const { trade, order } = await anOrder({ status: 'filled', filled: 3 }, { symbol, status: 'closed', closedAt: new Date(ms) });
      await writeTrades(db, [{ trade, orders: [], fills: [aFillRow(order, { exchangeFillId: id, filledAt: new Date(ms) })] }]);
    }
    const newest = async (symbol: string, time: number) => await newestAccountFill(db, { apiKeyId, marketType: 'futures' }, symbol, time);
    expect([await newest(sol, 10_000), await newest(sol, 7_000), await newest(eth, 10_000)]).toEqual(['7', null, '900']);
  });
});

/** A key of the owner of the bot. */
async function aKey(): Promise<string> {
  const id = crypto.randomUUID();
  await sql`insert into api_keys (id, user_id, exchange_id, label, key_hint, sealed, created_at)
    select ${id}, user_id, 'sandbox', 'test', 'abcd', '{}', now() from bots where id = ${botId}`.execute(db);
  return id;
}
const useKey = async (id: string): Promise<unknown> => await sql`update bots set api_key_id = ${id} where id = ${botId}`.execute(db);
