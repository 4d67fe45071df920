import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import type { TradeRow } from './trade-writes.ts';
import { writeTrades } from './trade-writes.ts';

const { db } = await freshDatabase();

const id = randomUUID();
const trade = (botId: string, stopPrice: number | null, status: 'open' | 'closed' = 'open'): TradeRow =>
  aTradeRow(botId, {
    id,
    symbol: 'BTC/USDT',
    stopPrice,
    initialStopPrice: 90,
    status,
    closedAt: status === 'open' ? null : new Date(60_000),
  });

const moves = async (): Promise<{ time: number; price: number }[]> =>
  (await db.selectFrom('trades').select('stopMoves').executeTakeFirstOrThrow()).stopMoves;

test('API-20 each place a stop was moved to is kept with its time; setting it first, or to where it is, is not a move', async () => {
  const bot = await addTestBot(db, { strategy: 'AlwaysFlat' });
  const write = (stop: number | null, status?: 'closed') => writeTrades(db, [{ trade: trade(bot, stop, status), orders: [], fills: [] }]);
  await write(null);
  await write(90);
  await write(90);
  expect(await moves()).toEqual([]);
  await write(95.5);
  await write(96.25);
  await write(96.25, 'closed');
  const [first, second, ...rest] = await moves();
  expect([first?.price, second?.price, rest]).toEqual([95.5, 96.25, []]);
  const { rows } = await sql<{ now: string }>`select extract(epoch from now()) * 1000 as now`.execute(db);
  expect(Math.abs(Number(rows[0]?.now) - (first?.time ?? 0))).toBeLessThan(60_000);
  expect(second?.time).toBeGreaterThanOrEqual(first?.time ?? Infinity);
});

test('API-20 a stop that trails for long keeps its newest hundred moves', async () => {
  const bot = (await db.selectFrom('trades').select('botId').executeTakeFirstOrThrow()).botId;
  for (let stop = 200; stop < 320; stop++) await writeTrades(db, [{ trade: trade(bot, stop), orders: [], fills: [] }]);
  const all = await moves();
  expect([all.length, all[0]?.price, all.at(-1)?.price]).toEqual([100, 220, 319]);
});
