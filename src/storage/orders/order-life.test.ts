import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { OrderState } from '#engine/account/order-life.ts';
import { follows, isFinal, orderStates } from '#engine/account/order-life.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import type { OrderRow, TradeRow } from '../trades/trade-writes.ts';
import { writeTrades } from '../trades/trade-writes.ts';

const { db } = await freshDatabase();
const botId = await addTestBot(db, { strategy: 'AlwaysFlat' });
/** Enters an order of a new trade and gives it back with its trade. */
async function entered(given: Partial<OrderRow> = {}, mode: TradeMode = 'paper'): Promise<{ trade: TradeRow; order: OrderRow }> {
  const trade = aTradeRow(botId, { mode });
  const order = anOrderRow(trade, given);
  await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
  return { trade, order };
}

const setStatus = (order: OrderRow, status: OrderState) =>
  db.updateTable('orders').set({ status }).where('clientOrderId', '=', order.clientOrderId).execute();
const read = (order: OrderRow) =>
  db.selectFrom('orders').selectAll().where('clientOrderId', '=', order.clientOrderId).executeTakeFirstOrThrow();

describe('OP-85 orders in the database', () => {
  test("every pair of states: the database allows exactly what the engine's table allows", async () => {
    for (const from of orderStates) {
      for (const to of orderStates) {
        const { order } = await entered({ status: from });
        const isAllowed = await setStatus(order, to).then(
          () => true,
          (error: Error) => {
            expect(error.message).toContain(`cannot go from ${from} to ${to}`);
            return false;
          },
        );
        expect(isAllowed, `${from} to ${to}`).toBe(from === to || follows(from, to));
      }
    }
  });

  test('a final order is never written back, and a late fill of it counts', async () => {
    for (const final of orderStates.filter(isFinal)) {
      const { trade, order } = await entered({ status: final, filled: 2 });
      for (const status of orderStates.filter((state) => state !== final))
        await expect(writeTrades(db, [{ trade, orders: [{ ...order, status }], fills: [] }]), `${final} to ${status}`).rejects.toThrow(
          'cannot go',
        );
      await writeTrades(db, [{ trade, orders: [{ ...order, filled: 3 }], fills: [] }]);
      expect(Number((await read(order)).filled)).toBe(3);
    }
  });

  test('what is filled never shrinks, what was requested never changes, and a status nobody knows is refused', async () => {
    const { trade, order } = await entered({ filled: 2 });
    await expect(writeTrades(db, [{ trade, orders: [{ ...order, filled: 1.9 }], fills: [] }])).rejects.toThrow('cannot have less');
    await expect(db.updateTable('orders').set({ requested: 4 }).where('clientOrderId', '=', order.clientOrderId).execute()).rejects.toThrow(
      'never changes',
    );
    await expect(entered({ status: 'done' as OrderState })).rejects.toThrow('orders_status_check');
  });

  test('a step of the engine moves no order that is at an exchange: its row may know more', async () => {
    for (const status of ['sent', 'unknown', 'cancel-pending'] as const) {
      const { trade, order } = await entered({ status: 'planned' }, 'testnet');
      for (const each of status === 'unknown'
        ? (['sent', 'unknown'] as const)
        : status === 'sent'
          ? (['sent'] as const)
          : (['sent', 'open', 'cancel-pending'] as const))
        await setStatus(order, each);
      await writeTrades(db, [{ trade, orders: [{ ...order, status: 'open', filled: 5 }], fills: [] }]);
      expect(await read(order)).toMatchObject({ status, attempt: 1 });
      expect(Number((await read(order)).filled)).toBe(0);
    }
  });

  test('a signal makes one order; another only when that one has ended without a fill', async () => {
    for (const status of orderStates) {
      for (const filled of [0, 1]) {
        const signalKey = `${status} ${filled}`;
        const { trade } = await entered({ signalKey, status, filled });
        const second = writeTrades(db, [{ trade, orders: [anOrderRow(trade, { signalKey })], fills: [] }]);
        const isFree = (status === 'cancelled' || status === 'expired' || status === 'refused') && filled === 0;
        if (isFree) await second;
        else await expect(second, signalKey).rejects.toThrow(/orders_one_per_signal|has led to a fill/u);
      }
    }
  });

  test('a late fill counts also when its signal has made another order since; then the signal is used up', async () => {
    const signalKey = 'twice';
    const { trade, order } = await entered({ signalKey, status: 'cancelled' });
    const second = anOrderRow(trade, { signalKey });
    await writeTrades(db, [{ trade, orders: [second], fills: [] }]);
    await writeTrades(db, [{ trade, orders: [{ ...order, filled: 1 }], fills: [] }]);
    expect(Number((await read(order)).filled)).toBe(1);
    await writeTrades(db, [{ trade, orders: [{ ...second, status: 'cancelled' }], fills: [] }]);
    await expect(writeTrades(db, [{ trade, orders: [anOrderRow(trade, { signalKey })], fills: [] }])).rejects.toThrow('has led to a fill');
  });

  test('two writers at once make one order of a signal', async () => {
    for (let i = 0; i < 10; i++) {
      const trades = [aTradeRow(botId), aTradeRow(botId)];
      const orders = trades.map((trade) => anOrderRow(trade, { signalKey: `race ${i}`, status: 'cancelled', filled: 1 }));
      const written = await Promise.allSettled(
        trades.map((trade, n) => writeTrades(db, [{ trade, orders: orders.slice(n, n + 1), fills: [] }])),
      );
      expect(written.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });

  test('the same fill twice is once, with its fee as it was stated', async () => {
    const { trade, order } = await entered();
    const fill = aFillRow(order, { exchangeFillId: 'a', fee: '0.00125', feeCurrency: 'BNB', feeQuote: null, isMaker: true });
    for (const feeQuote of [null, undefined]) await writeTrades(db, [{ trade, orders: [], fills: [{ ...fill, feeQuote }] }]);
    await writeTrades(db, [{ trade, orders: [], fills: [{ ...fill, exchangeFillId: 'b', feeQuote: '0.75' }] }]);
    const { rows } = await sql<object>`
      select exchange_fill_id as id, fee::float8, fee_currency, fee_quote::float8 from fills f join orders o on o.id = f.order_id
      where o.client_order_id = ${order.clientOrderId} order by 1`.execute(db);
    expect(rows).toEqual([
      { id: 'a', fee: 0.00125, feeCurrency: 'BNB', feeQuote: null },
      { id: 'b', fee: 0.00125, feeCurrency: 'BNB', feeQuote: 0.75 },
    ]);
  });
});
