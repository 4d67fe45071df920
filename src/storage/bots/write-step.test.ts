import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { DecisionRow } from './decisions.ts';
import { claimBots, renewLease } from './runners.ts';
import type { StepWrites } from './running-bots.ts';
import { readBot, writeStep } from './running-bots.ts';
import { aStep } from '../testing/a-step.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import type { TradeRow } from '../trades/trade-writes.ts';
import { writeTrades } from '../trades/trade-writes.ts';

const { db } = await freshDatabase();
const runnerId = randomUUID();
await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
const start = Date.UTC(2026, 2, 1);
const minute = 60_000;
let botId = '';
let holder = { id: '', epoch: '', runnerId, updatedAt: new Date(0) };

beforeEach(async () => {
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'stepping' });
  await sql`update strategies set webhook = '{"v":1}', sheets_key = '{"v":1}'`.execute(db);
  const claimed = (await claimBots(db, runnerId, 100)).find(({ id }) => id === botId);
  const { updatedAt } = await db.selectFrom('bots').select('updatedAt').where('id', '=', botId).executeTakeFirstOrThrow();
  holder = { id: botId, epoch: claimed?.epoch ?? '', runnerId, updatedAt };
});

const write = (given: Partial<StepWrites>): Promise<void> => writeStep(db, holder, 'paper', aStep(given));
const decision = (candleTime = start, given: Partial<DecisionRow> = {}): DecisionRow => ({
  botId,
  epoch: holder.epoch,
  symbol: 'BTC/USDT',
  candleTime,
  action: 'enter',
  gate: null,
  seen: { rsi: 30 },
  decidedAt: candleTime + minute,
  ...given,
});
const snapshot = () => ({
  botId,
  mode: 'paper',
  takenAt: new Date(start),
  netPnl: 4,
  netPnlPct: 1,
  unrealizedPnl: 0,
  realizedPnl: 4,
  totalFees: 1,
  winRate: 1,
  currentBalance: 304,
});
const closing = (profit: number, fees = '0.2', closedAt = new Date(start)) =>
  ({ botId, mode: 'paper', startingBalance: '300', profit, fees, closedAt }) as const;
const bot = () => db.selectFrom('bots').selectAll().where('id', '=', botId).executeTakeFirstOrThrow();
const figures = () => db.selectFrom('botFigures').selectAll().where('botId', '=', botId).executeTakeFirst();
const statusOf = async (clientOrderId: string) =>
  (await db.selectFrom('orders').select('status').where('clientOrderId', '=', clientOrderId).executeTakeFirst())?.status;
const closed = (trade: TradeRow, profit: number): TradeRow => ({
  ...trade,
  status: 'closed',
  closedAt: new Date(start),
  exitPrice: 104,
  profit,
  fees: '0.2',
});
/** How many rows of the bot each table has. */
const rows = async (): Promise<Record<string, number>> => {
  const { rows: counts } = await sql<Record<string, number>>`
    select (select count(*) from trades where bot_id = ${botId})::int as trades,
      (select count(*) from orders where bot_id = ${botId})::int as orders,
      (select count(*) from fills f join orders o on o.id = f.order_id where o.bot_id = ${botId})::int as fills,
      (select count(*) from decisions where bot_id = ${botId})::int as decisions,
      (select count(*) from pnl_snapshots where bot_id = ${botId})::int as snapshots,
      (select count(*) from bot_figures where bot_id = ${botId})::int as figures,
      (select count(*) from mail_outbox where subject = ${botId})::int as mails,
      (select count(*) from trade_messages where text = ${botId} or cells->>0 = ${botId})::int as messages`.execute(db);
  return counts[0] ?? {};
};
const everything = (): Partial<StepWrites> => {
  const trade = closed(aTradeRow(botId), 4);
  const order = anOrderRow(trade);
  return {
    trades: [{ trade, orders: [order], fills: [aFillRow(order)] }],
    closed: [closing(4)],
    decisions: [decision()],
    consecutiveLosses: 2,
    snapshot: snapshot(),
    paused: { recipient: 'owner@example.com', subject: botId, body: '' },
    messages: [{ text: botId, cells: [botId, 1.5] }],
  };
};

describe('a step', () => {
  test('is written as a whole', async () => {
    await write(everything());
    expect(await rows()).toEqual({ trades: 1, orders: 1, fills: 1, decisions: 1, snapshots: 1, figures: 1, mails: 1, messages: 2 });
    expect(await bot()).toMatchObject({
      consecutiveLosses: 2,
      engineState: { paper: { nextOrderNumber: 7, locks: [] } },
      status: 'paused',
    });
  });

  test('of which one row is refused leaves nothing', async () => {
    const before = await bot();
    for (const broken of [
      { decisions: [decision(start, { seen: { rsi: '\u0000' } })] },
      { closed: [{ ...closing(4), startingBalance: '0' }] },
      { snapshot: { ...snapshot(), netPnl: 1e30 } },
      { paused: { recipient: 'owner@example.com', subject: '\u0000', body: '' } },
    ])
      await expect(write({ ...everything(), ...broken }), Object.keys(broken)[0]).rejects.toThrow();
    expect(await rows()).toEqual({ trades: 0, orders: 0, fills: 0, decisions: 0, snapshots: 0, figures: 0, mails: 0, messages: 0 });
    expect(await bot()).toEqual(before);
  });

  test('without anything to report changes only what the engine remembers, and that of its mode alone', async () => {
    await sql`update bots set engine_state = '{"live": {"nextOrderNumber": 3}}' where id = ${botId}`.execute(db);
    const before = await bot();
    await write({ memory: { nextOrderNumber: 9 }, consecutiveLosses: 1 });
    expect(await bot()).toEqual({
      ...before,
      consecutiveLosses: 1,
      engineState: { live: { nextOrderNumber: 3 }, paper: { nextOrderNumber: 9 } },
    });
    expect(await rows()).toEqual({ trades: 0, orders: 0, fills: 0, decisions: 0, snapshots: 0, figures: 0, mails: 0, messages: 0 });
  });

  test('raises its alarms with it, or not at all', async () => {
    const alarm = { kind: 'late-fill', target: { level: 'bot', id: botId }, detail: 'fl-1', facts: { order: 'fl-1' } } as const;
    await expect(write({ alarms: [alarm], closed: [{ ...closing(4), startingBalance: '0' }] })).rejects.toThrow();
    const raised = () => db.selectFrom('alarms').select(['kind', 'key', 'facts']).where('botId', '=', botId).execute();
    expect(await raised()).toEqual([]);
    await write({ alarms: [alarm, alarm] });
    expect(await raised()).toEqual([{ kind: 'late-fill', key: `late-fill bot ${botId}`, facts: { order: 'fl-1' } }]);
    const items = await db
      .selectFrom('alarmItems')
      .innerJoin('alarms', 'alarms.id', 'alarmId')
      .select('detail')
      .where('botId', '=', botId)
      .execute();
    expect(items).toEqual([{ detail: 'fl-1' }]);
  });

  test('in which the bot pauses itself is seen as a change, so that it is read again', async () => {
    await write({ paused: { recipient: 'owner@example.com', subject: botId, body: 'Three losses' } });
    const after = await bot();
    expect(after.status).toBe('paused');
    expect(after.updatedAt.getTime()).toBeGreaterThan(holder.updatedAt.getTime());
    expect(await db.selectFrom('mailOutbox').select(['recipient', 'body']).where('subject', '=', botId).execute()).toEqual([
      { recipient: 'owner@example.com', body: 'Three losses' },
    ]);
  });
});

describe('trades', () => {
  const rowsOf = (...trades: TradeRow[]) => trades.map((trade) => ({ trade, orders: [], fills: [] }));

  test('a trade is closed once: a step that closes it again is refused as a whole', async () => {
    const [first, second] = [aTradeRow(botId), aTradeRow(botId)];
    await write({ trades: rowsOf(first, second) });
    await write({ trades: rowsOf(closed(first, 4)), closed: [closing(4)] });
    await expect(
      write({ trades: rowsOf(closed(second, 3), closed(first, 5)), closed: [closing(3), closing(5)], correctedTrades: [second.id] }),
    ).rejects.toThrow(`Trade ${first.id} is closed already`);
    expect(await figures()).toMatchObject({ trades: 1, realizedPnl: '4.000000000000000000' });
    await write({ trades: rowsOf(closed(second, 3)), closed: [closing(3)] });
    expect(await figures()).toMatchObject({ trades: 2, wins: 2 });
  });

  test('a fill that is written again is there once, as it was', async () => {
    const trade = aTradeRow(botId);
    const order = anOrderRow(trade);
    const fill = aFillRow(order, { amount: 2, price: 100 });
    for (let i = 0; i < 2; i++) await write({ trades: [{ trade, orders: i === 0 ? [order] : [], fills: [fill] }] });
    const kept = await db
      .selectFrom('fills')
      .select(['exchangeFillId', 'amount'])
      .where('exchangeFillId', '=', fill.exchangeFillId)
      .execute();
    expect(kept.map(({ amount }) => Number(amount))).toEqual([2]);
  });

  test('a correction counts for the day only when its trade was closed on it', async () => {
    const day = (time: number) => new Date(Date.UTC(2026, 2, 1) + time * 86_400_000);
    const [yesterday, today] = [aTradeRow(botId), aTradeRow(botId)];
    const ended = (trade: TradeRow, profit: number, closedAt: Date): TradeRow => ({ ...closed(trade, profit), closedAt });
    const sums = async () => {
      const { realizedPnl = '0', dayProfit = '0', wins = 0, losses = 0 } = (await figures()) ?? {};
      return { all: Number(realizedPnl), day: Number(dayProfit), wins, losses };
    };
    await write({ trades: rowsOf(ended(yesterday, -10, day(0))), closed: [closing(-10, '0.2', day(0))] });
    await write({ trades: rowsOf(ended(today, -5, day(1))), closed: [closing(-5, '0.2', day(1))] });
    expect(await sums()).toEqual({ all: -15, day: -5, wins: 0, losses: 2 });
    await write({ trades: rowsOf(ended(yesterday, -40, day(0))), correctedTrades: [yesterday.id] });
    expect(await sums()).toEqual({ all: -45, day: -5, wins: 0, losses: 2 });
    await write({ trades: rowsOf(ended(today, 1, day(1))), correctedTrades: [today.id] });
    expect(await sums()).toEqual({ all: -39, day: 1, wins: 1, losses: 1 });
  });

  test('a closed trade that a late fill corrects changes the sums by the difference, not the number of trades', async () => {
    const [trade, other] = [aTradeRow(botId), aTradeRow(botId)];
    await write({ trades: rowsOf(trade, other) });
    await write({ trades: rowsOf(closed(trade, 4)), closed: [closing(4)] });
    await write({ trades: rowsOf(closed({ ...trade, fees: '0.2' }, -1), other), correctedTrades: [trade.id] });
    expect(await figures()).toMatchObject({
      trades: 1,
      wins: 0,
      losses: 1,
      realizedPnl: '-1.000000000000000000',
      fees: '0.200000000000000000',
    });
    await write({ trades: rowsOf({ ...closed(trade, 2.5), fees: '0.35' }), correctedTrades: [trade.id] });
    expect(await figures()).toMatchObject({
      trades: 1,
      wins: 1,
      losses: 0,
      realizedPnl: '2.500000000000000000',
      fees: '0.350000000000000000',
    });
    // A corrected one without a profit or a trade that is not closed adds nothing.
    await write({ trades: rowsOf({ ...closed(trade, 0), profit: null }), correctedTrades: [trade.id, other.id] });
    expect(await figures()).toMatchObject({ trades: 1, wins: 0, losses: 0, realizedPnl: '0.000000000000000000' });
  });

  test('figures are exact sums, with the deepest fall from an earlier peak', async () => {
    const later = (minutes: number) => new Date(start + minutes * minute);
    for (const [profit, fees, time] of [
      [-0.3, '0.1', later(1)],
      [30.1, '0.2', later(3)],
      [0, '0.1', later(2)],
      [-10.4, '0.000000000000000001', later(4)],
      [1, '0', later(5)],
    ] as const)
      await write({ closed: [closing(profit, fees, time)] });
    expect(await figures()).toMatchObject({
      trades: 5,
      wins: 2,
      losses: 2,
      realizedPnl: '20.400000000000000000',
      fees: '0.400000000000000001',
      peakBalance: '329.800000000000000000',
      maxDrawdown: '10.400000000000000000',
      lastTradeAt: later(5),
    });
    expect(Number((await figures())?.maxDrawdownRatio)).toBeCloseTo(10.4 / 329.8, 12);
  });

  test('more trades than one statement takes are all written, with their orders and fills', async () => {
    const many = Array.from({ length: 3_000 }, (_, i) => {
      const trade = aTradeRow(botId);
      const orders = i % 100 === 99 ? [anOrderRow(trade)] : [];
      return { trade, orders, fills: orders.map((order) => aFillRow(order)) };
    });
    await writeTrades(db, many);
    expect(await rows()).toMatchObject({ trades: 3_000, orders: 30, fills: 30 });
  });

  test('what is written again changes what may change, and keeps the note of a person', async () => {
    const trade = aTradeRow(botId, { botVersion: 3, strategyVersion: 2 });
    await write({ trades: rowsOf(trade) });
    await db.updateTable('trades').set({ note: 'mine' }).where('id', '=', trade.id).execute();
    const changed: TradeRow = {
      ...closed(trade, 4),
      amount: 2,
      stake: 200,
      entryPrice: 101,
      stopPrice: 90,
      initialStopPrice: 89,
      liquidationPrice: 50,
      funding: '0.5',
      profitRatio: 0.04,
      exitReason: 'roi',
      engineState: '{"id":1}',
    };
    await write({
      trades: rowsOf({ ...changed, symbol: 'OTHER/USDT', openedAt: new Date(5), leverage: 9, botVersion: 8, strategyVersion: 8 }),
    });
    const { stopMoves, updatedAt, ...after } = await db
      .selectFrom('trades')
      .selectAll()
      .where('id', '=', trade.id)
      .executeTakeFirstOrThrow();
    expect(stopMoves).toEqual([]);
    expect(updatedAt.getTime()).toBeGreaterThan(start);
    const numbers = Object.fromEntries(
      Object.entries(after).map(([name, value]) => [name, typeof value === 'string' && /^-?[\d.]+$/u.test(value) ? Number(value) : value]),
    );
    expect(numbers).toEqual({
      ...changed,
      funding: 0.5,
      fees: 0.2,
      note: 'mine',
      accountId: null,
      latencyMs: null,
      closeAskedAt: null,
      stopAskedAt: null,
      stopAskedAfter: null,
      heldElsewhere: null,
      heldElsewhereAt: null,
      importedFrom: null,
      engineState: { id: 1 },
    });
  });
});

describe('orders', () => {
  test('those that are cancelled end before the one that takes their place, and only those', async () => {
    const trade = aTradeRow(botId);
    const [first, other, done] = [anOrderRow(trade), anOrderRow(trade), anOrderRow(trade, { status: 'filled', filled: 5 })];
    await write({ trades: [{ trade, orders: [first, other, done], fills: [] }] });
    const next = anOrderRow(trade, { signalKey: first.signalKey });
    await write({
      trades: [{ trade, orders: [next], fills: [] }],
      cancelledOrders: [first.clientOrderId, done.clientOrderId],
    });
    expect(await Promise.all([first, other, done, next].map(({ clientOrderId }) => statusOf(clientOrderId)))).toEqual([
      'cancelled',
      'open',
      'filled',
      'open',
    ]);
    const { closedAt } = await db
      .selectFrom('orders')
      .select('closedAt')
      .where('clientOrderId', '=', first.clientOrderId)
      .executeTakeFirstOrThrow();
    expect(closedAt).not.toBeNull();
  });

  test('a step of a bot at an exchange enters its orders once, and changes nothing of them', async () => {
    const trade = aTradeRow(botId, { mode: 'testnet' });
    const order = anOrderRow(trade, { status: 'planned' });
    const [simulated, there] = [aTradeRow(botId), { trade, orders: [order], fills: [] }];
    const paper = anOrderRow(simulated);
    await write({ trades: [there, { trade: simulated, orders: [paper], fills: [] }] });
    await write({
      trades: [
        { ...there, orders: [{ ...order, status: 'refused' }] },
        { trade: simulated, orders: [{ ...paper, status: 'filled', filled: 5, averagePrice: 99, closedAt: new Date(start) }], fills: [] },
      ],
    });
    expect(await statusOf(order.clientOrderId)).toBe('planned');
    expect(
      await db
        .selectFrom('orders')
        .select(['status', 'filled', 'averagePrice', 'closedAt'])
        .where('clientOrderId', '=', paper.clientOrderId)
        .executeTakeFirst(),
    ).toEqual({ status: 'filled', filled: '5.000000000000000000', averagePrice: '99.000000000000000000', closedAt: new Date(start) });
  });
});

describe('a bot that is read', () => {
  test('has what was written of its mode: trades oldest first, sums, the newest decisions', async () => {
    const state = (name: string) => ({ engineState: JSON.stringify({ name }) });
    const [old, young, gone] = [
      aTradeRow(botId, { openedAt: new Date(start), ...state('old') }),
      aTradeRow(botId, { openedAt: new Date(start + minute), ...state('young') }),
      aTradeRow(botId, { ...state('gone') }),
    ];
    await write({
      trades: [young, old, closed(gone, 4)].map((trade) => ({ trade, orders: [], fills: [] })),
      closed: [closing(4, '0.3'), closing(-1)],
      decisions: [decision(start), decision(start - minute)],
      consecutiveLosses: 1,
    });
    await writeTrades(
      db,
      [aTradeRow(botId, { mode: 'testnet', ...state('other') })].map((trade) => ({ trade, orders: [], fills: [] })),
    );
    await sql`update bots set engine_state = engine_state || '{"live": {"nextOrderNumber": 30}}' where id = ${botId}`.execute(db);
    expect(await readBot(db, botId)).toMatchObject({
      bot: { id: botId, consecutiveLosses: 1 },
      strategy: { className: 'AlwaysFlat' },
      mode: 'paper',
      memory: { nextOrderNumber: 7, locks: [] },
      nextOrderNumber: 30,
      openTrades: [{ name: 'old' }, { name: 'young' }],
      closedProfit: '3.000000000000000000',
      totalFees: '0.500000000000000000',
      wins: 1,
      closedTrades: 2,
      decidedCandleTimes: { 'BTC/USDT': start },
      ownerEmail: 'owner@example.com',
    });
  });

  test('and has done nothing yet has nothing', async () => {
    expect(await readBot(db, botId)).toMatchObject({
      memory: null,
      nextOrderNumber: 1,
      openTrades: [],
      closedProfit: '0',
      totalFees: '0',
      wins: 0,
      closedTrades: 0,
      decidedCandleTimes: {},
    });
  });

  test('and is gone is null', async () => {
    expect(await readBot(db, randomUUID())).toBeNull();
  });
});

test('fills of paper and live orders find their orders when both are written at once', async () => {
  const rows = (['paper', 'testnet'] as const).map((mode) => {
    const trade = aTradeRow(botId, { mode });
    const order = anOrderRow(trade);
    return { trade, orders: [order], fills: [aFillRow(order)] };
  });
  await db.transaction().execute((trx) => writeTrades(trx, rows));
  for (const { trade } of rows)
    expect(
      await db
        .selectFrom('fills as f')
        .innerJoin('orders as o', 'o.id', 'f.orderId')
        .select('f.id')
        .where('o.tradeId', '=', trade.id)
        .execute(),
      trade.mode,
    ).toHaveLength(1);
});
