import type { MadeOrder } from '#engine/report/certificate/testing/a-day-of-trades.ts';
import { tradeOf } from '#engine/report/certificate/testing/a-day-of-trades.ts';
import { toStoredTrade } from '#engine/bot/stored-state.ts';
import type { Trade } from '#engine/account/trade.ts';
import type { KyselyPlugin } from 'kysely';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import type { TradeRow } from '../trades/trade-writes.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { capitalOfMonth, openAtEnd } from './month-rows.ts';

const { db } = await freshDatabase();
const end = Date.UTC(2026, 9, 1); // of September
const minutes = (n: number): number => end + n * 60_000;
const september = { ownerId: null, start: new Date(Date.UTC(2026, 8, 1)), end: new Date(end) };
let botId = '';

beforeAll(async () => {
  botId = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'held' });
});
beforeEach(() => sql`truncate trades cascade`.execute(db));

type MadeFill = MadeOrder['fills'][number];
const aFill = (time: number, price: number, amount: number, given: Partial<MadeFill> = {}): MadeFill => ({
  time,
  price,
  amount,
  fee: 0.1,
  ...given,
});

/** Writes a trade of these orders as its runner does, the same each time. */
async function keep(id: string, orders: readonly MadeOrder[], isClosed = false, given: Partial<Trade> = {}): Promise<void> {
  const trade = tradeOf('long', orders, isClosed, { openTime: minutes(-600), leverage: 3, ...given });
  const row: TradeRow = aTradeRow(botId, {
    id,
    symbol: given.symbol ?? 'BTC/USDT:USDT',
    status: isClosed ? 'closed' : 'open',
    openedAt: new Date(trade.openTime),
    closedAt: trade.closeTime === null ? null : new Date(trade.closeTime),
    amount: trade.amount,
    stake: trade.stake,
    leverage: trade.leverage,
    entryPrice: trade.openRate,
    exitPrice: trade.closeRate,
    profit: trade.profit,
    engineState: JSON.stringify(toStoredTrade(trade)),
  });
  await writeTrades(db, [{ trade: row, orders: [], fills: [] }]);
}
const open = () => openAtEnd(db, september, 10);
const figures = async () => (await open()).positions.map(({ amount, stake, entryPrice }) => [amount, stake, entryPrice]);

describe('what was open when a month ended', () => {
  test('stays what it was when more is filled, a part is left, and all is', async () => {
    const id = randomUUID();
    const first: MadeOrder = { purpose: 'entry', fills: [aFill(minutes(-60), 90, 2)] };
    // Of the second order one part was filled in September, another in October.
    const begun: MadeOrder = { purpose: 'entry', fills: [aFill(minutes(-1), 96, 1)] };
    const filled: MadeOrder = { purpose: 'entry', fills: [...begun.fills, aFill(minutes(1), 99, 1, { id: 'late' })] };
    const part: MadeOrder = { purpose: 'exit', fills: [aFill(minutes(2), 100, 1.5)] };
    const rest: MadeOrder = { purpose: 'exit', fills: [aFill(minutes(3), 101, 2.5)] };
    await keep(id, [first, begun]);
    const seen = await open();
    expect(seen).toEqual({
      count: 1,
      positions: [
        {
          mode: 'paper',
          botName: 'held',
          symbol: 'BTC/USDT:USDT',
          direction: 'long',
          openedAt: new Date(minutes(-600)),
          closedAt: null,
          amount: '3',
          stake: '92',
          entryPrice: '92',
          exitPrice: null,
          exitReason: null,
          profit: null,
          currency: 'USDT',
        },
      ],
    });
    for (const [orders, isClosed] of [
      [[first, filled], false],
      [[first, filled, part], false],
      [[first, filled, part, rest], true],
    ] as const) {
      await keep(id, orders, isClosed);
      expect(await open()).toEqual(seen);
    }
  });

  test('is for a trade that is open what its row says, however it has come about', async () => {
    let seed = 5;
    const below = (n: number): number => (seed = (seed * 16_807) % 2_147_483_647) % n;
    for (let n = 0; n < 60; n++) {
      const orders: MadeOrder[] = [];
      let held = 0; // thousandths
      for (let i = 0; i < 1 + below(6); i++) {
        const isEntry = held < 3 || below(2) === 0;
        const parts = Array.from({ length: 1 + below(2) }, () => 1 + (isEntry ? below(9_000) : below(Math.floor(held / 3))));
        held += parts.reduce((sum, part) => sum + part, 0) * (isEntry ? 1 : -1);
        const fills = parts.map((part, id) => aFill(minutes(-90 + i), 90 + below(2_000) / 100, part / 1_000, { id: String(id) }));
        const [first, ...others] = fills;
        if (first !== undefined) orders.push({ purpose: isEntry ? 'entry' : 'exit', fills: [first, ...others] });
      }
      await keep(randomUUID(), orders, false, {
        amountStep: 0.001,
        priceTick: 0.01,
        leverage: 1 + below(9),
        symbol: `S${n}/USDT:USDT`,
        openTime: minutes(-600 + n),
      });
    }
    const { rows } = await sql<object>`
      select trim_scale(amount)::text as amount, trim_scale(stake)::text as stake, trim_scale(entry_price)::text as entry_price from trades
      order by opened_at`.execute(db);
    const { positions } = await openAtEnd(db, september, 100);
    expect(positions.map(({ amount, stake, entryPrice }) => ({ amount, stake, entryPrice }))).toEqual(rows);
    expect(rows).toHaveLength(60);
  });

  test('is what was held, not what was ordered', async () => {
    await keep(randomUUID(), [{ purpose: 'entry', fills: [aFill(minutes(0), 90, 2)] }], true, { openTime: minutes(-5) });
    expect(await open()).toEqual({ count: 0, positions: [] });
    // The clock of an exchange may be a little behind.
    await keep(randomUUID(), [{ purpose: 'entry', fills: [aFill(minutes(0) - 1, 90, 2)] }], false, { openTime: minutes(0) + 40 });
    expect(await figures()).toEqual([['2', '60', '90']]);
  });

  test('is not what ended before, and is what ended in the same moment', async () => {
    const [entry, exit] = [aFill(minutes(-9), 90, 2), (time: number): MadeOrder => ({ purpose: 'exit', fills: [aFill(time, 100, 2)] })];
    await keep(randomUUID(), [{ purpose: 'entry', fills: [entry] }, exit(minutes(0) - 1)], true);
    expect((await open()).count).toBe(0);
    await keep(randomUUID(), [{ purpose: 'entry', fills: [entry] }, exit(minutes(0))], true);
    expect(await figures()).toEqual([['2', '60', '90']]);
  });

  test('is none where less was held than can be sold', async () => {
    const id = randomUUID();
    const first: MadeOrder = { purpose: 'entry', fills: [aFill(minutes(-9), 90, 0.4)] };
    await keep(id, [first, { purpose: 'entry', fills: [aFill(minutes(9), 90, 5)] }], false, { amountStep: 1 });
    expect(await open()).toEqual({ count: 0, positions: [] });
  });

  test('is as it is kept where no fills are on record, as of imported trades', async () => {
    const row = { amount: '2.5', stake: '50', entryPrice: '20.25' };
    const at = (from: number, to: number | null): Partial<TradeRow> => ({
      openedAt: new Date(minutes(from)),
      ...(to === null ? {} : { status: 'closed', closedAt: new Date(minutes(to)), profit: 1 }),
    });
    const rows = [at(-20, null), at(-10, 5), at(-10, -5), at(5, null), at(5, 10)].map((given) => aTradeRow(botId, { ...row, ...given }));
    // Of another version, or not whole: its fills cannot be read.
    rows.push(
      aTradeRow(botId, {
        ...row,
        openedAt: new Date(minutes(-5)),
        engineState: JSON.stringify({ version: 0, orders: [{ fills: [{ time: minutes(-4) }] }] }),
      }),
    );
    await writeTrades(
      db,
      rows.map((trade) => ({ trade, orders: [], fills: [] })),
    );
    expect(await figures()).toEqual([
      ['2.5', '50', '20.25'],
      ['2.5', '50', '20.25'],
      ['2.5', '50', '20.25'],
    ]);
    expect((await open()).positions.map(({ openedAt }) => openedAt)).toEqual(
      [minutes(-20), minutes(-10), minutes(-5)].map((time) => new Date(time)),
    );
  });

  test('is listed up to a limit, the oldest first, and counted beyond it', async () => {
    for (const place of [3, 1, 2])
      await keep(
        randomUUID(),
        [
          { purpose: 'entry', fills: [aFill(minutes(-60), 90, place)] },
          { purpose: 'exit', fills: [aFill(minutes(60), 90, place)] },
        ],
        true,
        {
          openTime: minutes(-100 + place),
        },
      );
    const { count, positions } = await openAtEnd(db, september, 2);
    expect([count, positions.map(({ amount }) => amount)]).toEqual([3, ['1', '2']]);
  });

  test('is listed and counted without those of which less was held than can be sold, wherever they are in the list', async () => {
    for (const place of [1, 2, 3, 4, 5, 6]) {
      const isHeld = place % 2 === 0;
      const orders: MadeOrder[] = [
        { purpose: 'entry', fills: [aFill(minutes(-60), 90, isHeld ? place : 0.4)] },
        { purpose: 'entry', fills: [aFill(minutes(9), 90, 5)] },
      ];
      await keep(randomUUID(), orders, false, { openTime: minutes(-100 + place), amountStep: 1, symbol: `S${place}/USDT:USDT` });
    }
    const listed = async (limit: number) => {
      const { count, positions } = await openAtEnd(db, september, limit);
      return [count, positions.map(({ amount }) => amount)];
    };
    expect(await listed(1)).toEqual([3, ['2']]);
    expect(await listed(2)).toEqual([3, ['2', '4']]);
    expect(await listed(6)).toEqual([3, ['2', '4', '6']]);
  });
});

test('where the first trade of a bot in a mode is looked for, those in other modes are not read', async () => {
  await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage)
    select gen_random_uuid(), ${botId}, 'BTC/USDT', 'long', 'paper', 'closed', now() - n * interval '1 minute', now(), 1, 5, 1 from generate_series(1, 5000) n`.execute(
    db,
  );
  await sql`analyze trades`.execute(db);
  /** Has a statement say how it would be done. */
  const explained: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (node.kind !== 'RawNode') return node;
      const [first = '', ...others] = node.sqlFragments;
      return { ...node, sqlFragments: [`explain (costs off) ${first}`, ...others] };
    },
    transformResult: async ({ result }) => result,
  };
  const lines: unknown = await capitalOfMonth(db.withPlugin(explained), september);
  const plan = (lines as Record<string, string>[]).flatMap((line) => Object.values(line)).join('\n');
  expect(plan).toMatch(
    /Limit\s+-> {2}Index (?:Only )?Scan using trades_of_mode on trades\s+Index Cond: \(\(bot_id = b\.id\) AND \(mode >= /u,
  );
});
