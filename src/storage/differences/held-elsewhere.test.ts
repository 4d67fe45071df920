import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { askHeldElsewhere, tradesHeldElsewhere } from './held-elsewhere.ts';
import { newestFillBefore } from '../orders/order-outbox.ts';
import { anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import { writeTrades } from '../trades/trade-writes.ts';

const { db } = await freshDatabase();
const at = new Date('2026-01-01T00:00:00.123Z');
const later = new Date('2026-01-01T00:01:00.000Z');
const fillId = `outside-${at.getTime()}`;

test('a wish is there until its fill is written, in one step with the trade; then there may be another', async () => {
  const botId = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'one' });
  const runnerId = '00000000-0000-4000-8000-0000000000aa';
  await sql`insert into runners (id, host, started_at, expires_at) values (${runnerId}, 'test', now(), now() + interval '1 hour')`.execute(
    db,
  );
  await sql`update bots set runner_id = ${runnerId} where id = ${botId}`.execute(db);
  const trade = aTradeRow(botId, { mode: 'live', amount: 2 });
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  expect(await askHeldElsewhere(db, trade.id, 2.5, at)).toBe(false); // more than it holds
  expect(await askHeldElsewhere(db, trade.id, 0.5, at)).toBe(true);
  expect(await askHeldElsewhere(db, trade.id, 0.5, later)).toBe(false); // one waits
  expect(await tradesHeldElsewhere(db, runnerId)).toEqual([
    { botId, tradeId: trade.id, amount: 0.5, fillId, decidedAt: expect.any(Number) },
  ]);
  const order = anOrderRow(trade, { status: 'filled', plannedAt: at, closedAt: at });
  const fill = { exchangeFillId: fillId, price: 100, amount: 0.5, fee: 0, feeCurrency: 'USDT', feeQuote: 0, isMaker: false, filledAt: at };
  await writeTrades(db, [{ trade: { ...trade, amount: 1.5 }, orders: [order], fills: [{ ...fill, clientOrderId: order.clientOrderId }] }]);
  expect(await tradesHeldElsewhere(db, runnerId)).toEqual([]);
  // The exchange is not asked for what came after a fill that it does not know.
  expect(await newestFillBefore(db, botId, { clientOrderId: '', symbol: trade.symbol, time: later.getTime() })).toBeNull();
  expect(await askHeldElsewhere(db, trade.id, 0.5, later)).toBe(true);
  expect(await tradesHeldElsewhere(db, runnerId)).toMatchObject([{ fillId: `outside-${later.getTime()}` }]);
});
