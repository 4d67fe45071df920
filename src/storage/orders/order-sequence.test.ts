import { clientOrderId } from '#engine/bot/state.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { closeAllProgress } from '../trading/close-all.ts';
import { readOrders } from './order-outbox.ts';
import { stopGapsOf } from '../trades/stop-gaps.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import { ordersOfTrade } from '../trades/trade-orders.ts';
import type { OrderRow } from '../trades/trade-writes.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { unprotectedTrade } from '../trades/unprotected-trades.ts';

const { db } = await freshDatabase();
const botId = await addTestBot(db, { strategy: 'BuyAndHold' });

// As texts they would be in another sequence: 'a', '10', '9' in one alphabet or another.
const numbers = [9, 10, 35, 36, 37, 36 ** 2 - 1, 36 ** 2];
const ids = numbers.map((number) => clientOrderId(botId, number));

/** An open trade with orders that were all planned at the same moment, written in another sequence. */
async function aTrade(given: Partial<OrderRow>): Promise<string> {
  await sql`delete from trades`.execute(db);
  const trade = aTradeRow(botId, { mode: 'testnet' });
  const orders = ids.map((id) => anOrderRow(trade, { clientOrderId: id, signalKey: id, plannedAt: new Date(1_000), ...given }));
  const held = anOrderRow(trade, { plannedAt: new Date(0), status: 'filled', filled: 5 });
  await writeTrades(db, [{ trade, orders: [...orders.toReversed(), held], fills: [aFillRow(held, { filledAt: new Date(0) })] }]);
  return trade.id;
}

test('orders that were decided on in the same moment are listed by their numbers', async () => {
  const tradeId = await aTrade({ status: 'open' });
  expect((await readOrders(db, botId, [], { now: Date.now, pace: 1 })).map(({ clientOrderId: id }) => id)).toEqual(ids);
  expect((await ordersOfTrade(db, tradeId)).slice(1).map(({ clientOrderId: id }) => id)).toEqual(ids);
});

test('so are the gaps before stops, and the newest of them is the last of its moment', async () => {
  const tradeId = await aTrade({ purpose: 'stop', side: 'sell', status: 'refused' });
  await sql`update orders set refusal = client_order_id where purpose = 'stop'`.execute(db);
  expect((await unprotectedTrade(db, tradeId))?.refusal).toBe(ids.at(-1));
  await sql`update orders set exchange_order_id = '1' where purpose = 'stop'`.execute(db);
  await sql`insert into order_events (order_id, state, at) select id, e.state, to_timestamp(e.at) from orders, (values ('cancelled', 1), ('open', 2)) as e(state, at)
    where purpose = 'stop'`.execute(db);
  expect((await stopGapsOf(db, tradeId)).map(({ clientOrderId: id }) => id)).toEqual(ids);
});

test('what keeps a trade from being closed is its newest order', async () => {
  await aTrade({ purpose: 'exit', side: 'sell', status: 'sent' });
  await sql`update orders set refusal = client_order_id where purpose = 'exit'`.execute(db);
  const { waiting } = await closeAllProgress(db, { level: 'server' }, new Date(0), null);
  expect(waiting[0]?.order).toMatchObject({ refusal: ids.at(-1) });
});
