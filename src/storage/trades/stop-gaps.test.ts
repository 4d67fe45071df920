import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { leftOverOf } from './left-over.ts';
import { longestStopGap, stopGapsOf } from './stop-gaps.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import type { FillRow, OrderRow, TradeRow } from './trade-writes.ts';
import { writeTrades } from './trade-writes.ts';

const { db } = await freshDatabase();
const botId = await addTestBot(db, { strategy: 'BuyAndHold' });
const start = Date.parse('2026-11-22T12:00:00Z');
const at = (seconds: number): Date => new Date(start + seconds * 1_000);
beforeEach(async () => void (await sql`truncate trades cascade`.execute(db)));

/** A stop of a trade with the states it came to, each with its second. */
async function stop(
  trade: TradeRow,
  plannedAt: number,
  states: Record<string, number>,
  exchangeOrderId: string | null = '7',
): Promise<string> {
  const order = anOrderRow(trade, { purpose: 'stop', side: 'sell', status: 'planned', exchangeOrderId, plannedAt: at(plannedAt) });
  await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
  for (const [state, seconds] of Object.entries(states))
    await sql`insert into order_events (order_id, state, at) select id, ${state}, ${at(seconds)} from orders
      where client_order_id = ${order.clientOrderId}`.execute(db);
  return order.clientOrderId;
}

test('the gap of a stop is measured from the confirmed end of the one before it until it is confirmed itself', async () => {
  const trade = aTradeRow(botId, { mode: 'testnet' });
  await stop(trade, 0, { sent: 0, open: 1, 'cancel-pending': 60, cancelled: 61 });
  await stop(trade, 61, { sent: 61.1, refused: 61.5 }, null);
  const third = await stop(trade, 121, { sent: 121, unknown: 122, open: 123.25, 'cancel-pending': 200, cancelled: 201 });
  const fourth = await stop(trade, 201, { sent: 201, open: 201.4 });
  await stop(aTradeRow(botId, { mode: 'testnet' }), 300, { sent: 300, open: 350 }); // the first of its trade closes no gap
  expect(await stopGapsOf(db, trade.id)).toEqual([
    { botId, clientOrderId: third, gapMs: 62_250 },
    { botId, clientOrderId: fourth, gapMs: 400 },
  ]);
  expect(await longestStopGap(db, at(0))).toBe(62_250);
  expect(await longestStopGap(db, at(150))).toBe(400);
  expect(await longestStopGap(db, at(250))).toBeNull();
});

test('a stop that the exchange has ended by itself leaves a gap as well, be it expired or cancelled', async () => {
  const trade = aTradeRow(botId, { mode: 'testnet' });
  await stop(trade, 0, { sent: 0, open: 1, expired: 60 });
  const second = await stop(trade, 60, { sent: 90, open: 100, cancelled: 200 });
  const third = await stop(trade, 200, { sent: 201, open: 205 });
  expect(await stopGapsOf(db, trade.id)).toEqual([
    { botId, clientOrderId: second, gapMs: 40_000 },
    { botId, clientOrderId: third, gapMs: 5_000 },
  ]);
});

test('a spot account keeps what fees in coins have left below the step of an amount; perpetuals and paper leave nothing', async () => {
  const left = async (given: Partial<TradeRow>, exits: number, fee: Partial<FillRow> = {}) => {
    const trade = aTradeRow(botId, { mode: 'testnet', symbol: 'SOL/USDT', amount: 1.25, ...given });
    const entry = anOrderRow(trade, { status: 'filled', filled: 1.252 });
    const orders: OrderRow[] = [entry];
    const fills = [aFillRow(entry, { amount: 1.252, fee: 0.001252, feeCurrency: 'SOL', ...fee })];
    if (exits > 0) {
      const exit = anOrderRow(trade, { purpose: 'exit', side: 'sell', status: 'filled', filled: exits });
      orders.push(exit);
      fills.push(aFillRow(exit, { amount: exits, fee: 0.2, feeCurrency: 'USDT' }));
    }
    await writeTrades(db, [{ trade, orders, fills }]);
    const amount = await leftOverOf(db, trade.id);
    await sql`truncate trades cascade`.execute(db);
    return amount;
  };
  const closed = { status: 'closed', closedAt: at(9), profit: 1 } as const;
  expect(await left(closed, 1.25)).toBe(0.000748);
  expect(await left({}, 0)).toBe(0.000748);
  expect(await left({ amount: 0.75 }, 0.5)).toBe(0.000748);
  expect(await left({ ...closed, amount: 1.252 }, 1.252, { fee: 0.1, feeCurrency: 'USDT' })).toBe(0);
  expect(await left({ symbol: 'SOL/USDT:USDT' }, 0)).toBe(0);
  expect(await left({ mode: 'paper' }, 0)).toBe(0);
  expect(await left({ status: 'cancelled', entryPrice: null }, 0)).toBe(0);
});
