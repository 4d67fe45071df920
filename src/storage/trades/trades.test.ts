import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import type { TradeRow } from './trade-writes.ts';
import { writeTrades } from './trade-writes.ts';
import {
  closedTradesOfStrategy,
  countClosedTrades,
  newestTrade,
  newestTrades,
  openSymbols,
  profitBefore,
  tradeMarksSince,
  tradesSince,
} from './trades.ts';

const { db } = await freshDatabase();
const botId = await addTestBot(db, { strategy: 'EmaCross' });
const other = await addTestBot(db, { strategy: 'AlwaysFlat' });
const symbol = 'BTC/USDT';
const of = { botId, mode: 'paper', symbol } as const;
const at = (time: number) => new Date(time);
const closed = (openedAt: number, closedAt: number, profit: number, given: Partial<TradeRow> = {}) =>
  aTradeRow(botId, { symbol, status: 'closed', openedAt: at(openedAt), closedAt: at(closedAt), profit, ...given });
const write = (...trades: TradeRow[]) =>
  writeTrades(
    db,
    trades.map((trade) => ({ trade, orders: [], fills: [] })),
  );

test('the trades of a bot are those of its mode and symbol', async () => {
  const open = aTradeRow(botId, { symbol, openedAt: at(4_000), stopPrice: 95, engineState: '{"priceTick": 0.01, "id": 3}' });
  const [won, lost] = [closed(1_000, 2_000, 1.5), closed(2_000, 3_000, -0.25)];
  const cancelled = aTradeRow(botId, { symbol, status: 'cancelled', openedAt: at(3_000), closedAt: at(3_500) });
  await write(
    open,
    won,
    lost,
    cancelled,
    closed(1_000, 9_000, 50, { symbol: 'ETH/USDT' }),
    closed(1_000, 9_000, 60, { mode: 'testnet' }),
    closed(1_000, 9_000, 70, { botId: other }),
  );
  expect((await newestTrades(db, of, 3)).map(({ id, priceTick }) => [id, priceTick])).toEqual([
    [open.id, '0.01'],
    [cancelled.id, null],
    [lost.id, null],
  ]);
  expect(await newestTrade(db, of)).toMatchObject({ id: open.id, status: 'open', openState: { priceTick: 0.01, id: 3 } });
  expect(await countClosedTrades(db, of)).toEqual({ trades: 2, wins: 1 });
  expect((await tradesSince(db, of, at(2_001))).map(({ openedAt, status }) => [openedAt, status])).toEqual([
    [at(2_000), 'closed'],
    [at(4_000), 'open'],
  ]);
  expect((await tradesSince(db, of, at(2_000))).map(({ openedAt }) => openedAt)).toEqual([at(1_000), at(2_000), at(4_000)]);
  expect((await tradeMarksSince(db, of, at(2_001))).map(({ id, openState }) => [id, openState])).toEqual([
    [lost.id, null],
    [open.id, { priceTick: 0.01, id: 3 }],
  ]);
  expect(await profitBefore(db, of, at(3_000))).toEqual({ profit: '1.500000000000000000', hasTrades: true });
  expect(await profitBefore(db, of, at(3_001))).toMatchObject({ profit: '1.250000000000000000' });
  expect(await openSymbols(db, botId)).toEqual([symbol]);
});

test('the mark of the newest trade changes with what a screen shows of it, and not when its stop moves', async () => {
  const [{ id } = { id: '' }] = await newestTrades(db, of, 1);
  const mark = async (): Promise<string | undefined> => (await newestTrade(db, of))?.mark;
  const first = await mark();
  await db.updateTable('trades').set({ stopPrice: 96 }).where('id', '=', id).execute();
  expect(await mark()).toBe(first);
  const marks = new Set([first]);
  for (const changes of [{ amount: 2 }, { leverage: 3 }, { entryPrice: 101 }, { funding: 1 }, { liquidationPrice: 50 }]) {
    await db.updateTable('trades').set(changes).where('id', '=', id).execute();
    marks.add(await mark());
  }
  expect(marks.size).toBe(6);
});

test('the closed trades of a strategy are those of its bots in their current mode, oldest first', async () => {
  const { strategyId } = await db.selectFrom('bots').select('strategyId').where('id', '=', botId).executeTakeFirstOrThrow();
  expect(await closedTradesOfStrategy(db, strategyId)).toEqual([
    {
      mode: 'paper',
      trades: [
        { closeTime: 2_000, profit: 1.5, isDollar: true },
        { closeTime: 3_000, profit: -0.25, isDollar: true },
        { closeTime: 9_000, profit: 50, isDollar: true },
      ],
    },
  ]);
});

test('a bot without trades has none, of any kind', async () => {
  const none = { ...of, symbol: 'NONE/USDT' };
  expect(await newestTrade(db, none)).toBeNull();
  expect(await newestTrades(db, none, 10)).toEqual([]);
  expect(await countClosedTrades(db, none)).toEqual({ trades: 0, wins: 0 });
  expect(await tradesSince(db, none, at(0))).toEqual([]);
  expect(await profitBefore(db, none, at(0))).toEqual({ profit: '0', hasTrades: false });
  expect(await openSymbols(db, other)).toEqual([]);
});

test('OP-71 the latency of a trade that has ended is the mean of its orders, from the sending to the answer', async () => {
  const latencyOf = async (id: string) =>
    (await db.selectFrom('trades').select('latencyMs').where('id', '=', id).executeTakeFirstOrThrow()).latencyMs;
  const trade = aTradeRow(botId, { symbol: 'LTC/USDT' });
  const entry = anOrderRow(trade, { status: 'filled', sentAt: at(1_000), acknowledgedAt: at(1_010) });
  const unanswered = anOrderRow(trade, { status: 'cancelled', sentAt: at(1_500) });
  const unmeasured = anOrderRow(trade, { purpose: 'stop', status: 'cancelled', sentAt: at(1_600), acknowledgedAt: at(1_600) });
  await writeTrades(db, [{ trade, orders: [entry, unanswered, unmeasured], fills: [] }]);
  expect(await latencyOf(trade.id)).toBeNull();
  const exit = anOrderRow(trade, { purpose: 'exit', side: 'sell', status: 'filled', sentAt: at(2_000), acknowledgedAt: at(2_035) });
  await writeTrades(db, [{ trade: { ...trade, status: 'closed', closedAt: at(2_040), profit: 1 }, orders: [entry, exit], fills: [] }]);
  expect(Number(await latencyOf(trade.id))).toBe(22.5);
  const unsent = aTradeRow(botId, { symbol: 'XRP/USDT', status: 'closed', closedAt: at(2_050), profit: 1 });
  await writeTrades(db, [{ trade: unsent, orders: [], fills: [] }]);
  expect(await latencyOf(unsent.id)).toBeNull();
});
