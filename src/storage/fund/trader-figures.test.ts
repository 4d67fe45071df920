import { dayMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import { traderFiguresFromTrades } from '../testing/trader-figures-from-trades.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import type { ClosedTradesOf } from './trader-figures.ts';
import { traderFigures } from './trader-figures.ts';
import { keepTraderSums } from './trader-sums.ts';
import { writeTrades } from '../trades/trade-writes.ts';

const { db } = await freshDatabase();
const everything: ClosedTradesOf = { traderId: null, mode: null, start: null, end: null };
const today = Math.floor(Date.now() / dayMs) * dayMs;
const dayAgo = (days: number): string => new Date(today - days * dayMs).toISOString().slice(0, 10);
const days = 130; // four months with both ends cut
const modes: readonly TradeMode[] = ['paper', 'live', 'testnet'];
const symbols = ['BTC/USDT', 'ETH/USDC:USDC', 'BTC/USDE:USDE-261225', 'ETH/BTC', 'SOL/EUR']; // three of them in dollars

let seed = 1;
const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
const below = (n: number): number => Math.floor(random() * n);
const oneOf = <T>(values: readonly T[]): T => {
  const value = values[below(values.length)];
  if (value === undefined) throw new Error('none to choose from');
  return value;
};

let bots: string[] = [];
let traders: string[] = [];

beforeAll(async () => {
  for (let i = 0; i < 7; i++) {
    const id = await addTestBot(db, { strategy: 'EmaCross', nickname: `bot ${i}`, owner: `t${i % 3}@example.com`, stakeAmount: 100 + i });
    bots.push(id);
    await sql`update bots set stake_currency = ${['USDT', 'USDC', 'BTC'][i % 3]} where id = ${id}`.execute(db);
  }
  traders = (await db.selectFrom('users').select('id').orderBy('email').execute()).map(({ id }) => id);
});

beforeEach(async () => {
  await sql`truncate trades cascade`.execute(db);
  await sql`truncate trader_sums, trader_sums_until`.execute(db);
  seed = 1;
});

/** A closed trade; many end on the last or first millisecond of a day, or at the same time as others. */
function closedTrade(daysAgo: number, given: Partial<Parameters<typeof aTradeRow>[1]> = {}) {
  const inDay = oneOf([0, 1, dayMs - 1, 3_600_000, below(dayMs)]);
  const closedAt = new Date(Math.min(today - daysAgo * dayMs + inDay, Date.now()));
  const profit = oneOf(['0.000000000000000001', '-12.34', '10.1', '0', `${below(2_000) - 1_000}.5`]);
  return aTradeRow(oneOf(bots), {
    status: 'closed',
    openedAt: new Date(closedAt.getTime() - 1_000),
    closedAt,
    profit,
    mode: oneOf(modes),
    symbol: oneOf(symbols),
    ...given,
  });
}

async function add(trades: ReturnType<typeof closedTrade>[]): Promise<void> {
  await writeTrades(
    db,
    trades.map((trade) => ({ trade, orders: [], fills: [] })),
  );
}

async function expectAsFromTrades(of: ClosedTradesOf, what: string): Promise<void> {
  const others = await othersOf(of);
  const expected = (await traderFiguresFromTrades(db, of)).map((each) => ({
    ...each,
    leavesOut: others.has(`${each.traderId} ${each.mode}`),
  }));
  expect(await traderFigures(db, of), `${what}: ${JSON.stringify(of)}`).toEqual(expected);
}

/** The traders and modes with a closed trade in another currency than dollars, read from every trade there is. */
async function othersOf({ traderId, mode, start, end }: ClosedTradesOf): Promise<Set<string>> {
  const { rows } = await sql<{ userId: string; mode: string; symbol: string; day: string }>`
    select b.user_id, t.mode, t.symbol, (t.closed_at at time zone 'UTC')::date::text as day
    from trades t join bots b on b.id = t.bot_id where t.status = 'closed'`.execute(db);
  const others = rows.filter(
    (trade) =>
      ['ETH/BTC', 'SOL/EUR'].includes(trade.symbol) &&
      (traderId ?? trade.userId) === trade.userId &&
      (mode ?? trade.mode) === trade.mode &&
      (start ?? trade.day) <= trade.day &&
      (end ?? trade.day) >= trade.day,
  );
  return new Set(others.map((trade) => `${trade.userId} ${trade.mode}`));
}

describe('whatever happens to trades, the figures are those of every trade there is', () => {
  const anyTrade = sql`(select id from trades order by md5(id::text || ${sql.raw('now()::text')}) limit 1)`;
  const changes: Record<string, () => Promise<unknown>> = {
    'trades of today and yesterday': () => add(Array.from({ length: 5 }, () => closedTrade(below(2)))),
    'trades of any day': () => add(Array.from({ length: 6 }, () => closedTrade(below(days)))),
    'many of one day': () => {
      const day = below(days);
      return add(Array.from({ length: 9 }, () => closedTrade(day)));
    },
    'an open trade that was closed days ago': async () => {
      const trade = closedTrade(below(days));
      await add([{ ...trade, status: 'open', closedAt: null, profit: null }]);
      await add([trade]);
    },
    'another profit': () => sql`update trades set profit = profit - 7.77 where id = ${anyTrade}`.execute(db),
    'no profit at all': () => sql`update trades set profit = null where id = ${anyTrade}`.execute(db),
    'another time': () =>
      sql`update trades set closed_at = now() - ${below(days)}::int * interval '1 day' where id = ${anyTrade}`.execute(db),
    'another mode': () => sql`update trades set mode = ${oneOf(modes)} where id = ${anyTrade}`.execute(db),
    'another bot': () => sql`update trades set bot_id = ${oneOf(bots)} where id = ${anyTrade}`.execute(db),
    'another symbol': () => sql`update trades set symbol = ${oneOf(symbols)} where id = ${anyTrade}`.execute(db),
    'open again': () => sql`update trades set status = 'cancelled' where id = ${anyTrade}`.execute(db),
    'a note': () => sql`update trades set note = ${oneOf(['', 'seen'])} where id = ${anyTrade}`.execute(db),
    'a latency': () => sql`update trades set latency_ms = ${below(500)} where id = ${anyTrade}`.execute(db),
    'a trade gone': () => sql`delete from trades where id = ${anyTrade}`.execute(db),
    'another currency of a bot': () =>
      sql`update bots set stake_currency = ${oneOf(['USDT', 'USDC', 'BTC'])} where id = ${oneOf(bots)}`.execute(db),
    'another owner of a bot': () => sql`update bots set user_id = ${oneOf(traders)} where id = ${oneOf(bots)}`.execute(db),
    'another balance of a bot': () => sql`update bots set starting_balance = ${below(900) + 1} where id = ${oneOf(bots)}`.execute(db),
    'another mode and balance of a bot': () =>
      sql`update bots set mode = ${oneOf(['paper', 'live'])}, exchange_id = ${oneOf(['sandbox', 'binance'])}, starting_balance = ${below(900) + 1}
        where id = ${oneOf(bots)}`.execute(db),
    sums: () => keepTraderSums(db),
  };

  for (const start of [11, 12, 13]) {
    test(`INV-13, OP-70, DATA-26 sixty changes in a random sequence from ${start}`, async () => {
      seed = start;
      await add(Array.from({ length: 300 }, () => closedTrade(below(days))));
      for (let i = 0; i < 60; i++) {
        const name = i % 4 === 0 ? 'sums' : oneOf(Object.keys(changes));
        await changes[name]?.();
        await expectAsFromTrades(everything, `${i}. ${name}`);
        const [first, second] = [below(days), below(days)];
        const start = oneOf([null, dayAgo(Math.max(first, second))]);
        const end = oneOf([null, dayAgo(Math.min(first, second))]);
        await expectAsFromTrades({ traderId: oneOf([null, ...traders]), mode: oneOf([null, ...modes]), start, end }, `${i}. ${name}`);
      }
    });
  }

  test('every span of days gives the figures of its days', async () => {
    await add(Array.from({ length: 400 }, () => closedTrade(below(days))));
    await keepTraderSums(db);
    for (let from = days; from >= 0; from -= 7)
      for (let to = from; to >= 0; to -= 9) await expectAsFromTrades({ ...everything, start: dayAgo(from), end: dayAgo(to) }, 'span');
  });
});

test('OP-70 a trade counts in the currency it was settled in, whatever its bot stakes by now', async () => {
  const botId = bots[0] ?? '';
  const profit = async () => (await traderFigures(db, everything)).map((figures) => [figures.trades, figures.profit]);
  const given = { botId, mode: 'paper', symbol: 'BTC/USDT', profit: '12.3' } as const;
  await add([closedTrade(40, given), closedTrade(0, given), closedTrade(40, { ...given, symbol: 'ETH/BTC', profit: '5' })]);
  for (const currency of ['BTC', 'USDT'])
    for (const summed of [false, true]) {
      await sql`update bots set stake_currency = ${currency} where id = ${botId}`.execute(db);
      if (summed) await keepTraderSums(db);
      expect(await profit(), `${currency} ${summed ? 'summed' : ''}`).toEqual([[3, '24.6']]);
    }
});

test('OP-70 what a trader gained is of what the bots had in the mode and in dollars, whatever they have by now', async () => {
  const botId = await addTestBot(db, { strategy: 'EmaCross', nickname: 'turned', owner: 'turned@example.com', stakeAmount: 1_000 });
  const given = { botId, symbol: 'BTC/USDT', profit: '30' } as const;
  const balances = async () => (await traderFigures(db, everything)).map((figures) => [figures.mode, figures.startingBalance]);
  await add([closedTrade(40, { ...given, mode: 'paper' })]);
  await sql`update bots set mode = 'live', exchange_id = 'binance', starting_balance = 30 where id = ${botId}`.execute(db);
  expect(await balances()).toEqual([['paper', '3000']]);
  await add([closedTrade(3, { ...given, mode: 'live', profit: '3' })]);
  expect(await balances()).toEqual([
    ['paper', '3000'],
    ['live', '30'],
  ]);
  await sql`update bots set mode = 'paper', stake_currency = 'BTC', starting_balance = 0.3 where id = ${botId}`.execute(db);
  await add([closedTrade(2, { ...given, mode: 'paper', symbol: 'ETH/BTC', profit: '0.1' })]);
  expect(await balances()).toEqual([
    ['paper', '3000'],
    ['live', '30'],
  ]);
  const latest = await traderFigures(db, { ...everything, start: dayAgo(2) });
  expect(latest.map(({ startingBalance }) => startingBalance)).toEqual(['0']);
});

test('a closed trade without a profit counts as one of 0, also where it is the only one', async () => {
  const of = { botId: bots[0] ?? '', profit: null };
  await add([closedTrade(3, { ...of, mode: 'paper' }), closedTrade(3, { ...of, mode: 'live' }), closedTrade(2, { ...of, mode: 'live' })]);
  await expectAsFromTrades(everything, 'without a profit');
  const figures = await traderFigures(db, everything);
  expect(figures.map(({ mode, trades, profit, maxDrawdown }) => [mode, trades, profit, maxDrawdown])).toEqual([
    ['live', 2, '0', '0'],
    ['paper', 1, '0', '0'],
  ]);
});

describe('the sums of days that are over', () => {
  const profits = async () =>
    (await traderFigures(db, everything)).map(({ profit }) => Number(profit)).reduce((sum, profit) => sum + profit, 0);
  const inDollars = { symbol: 'BTC/USDT' };
  const old = (profit: string) => closedTrade(40, { ...inDollars, botId: bots[0] ?? '', mode: 'paper', profit });
  beforeEach(async () => {
    await add([old('1'), old('2'), closedTrade(0, { ...inDollars, profit: '100' })]);
    await keepTraderSums(db);
    await sql`update trader_sums set profit = profit + 1000`.execute(db); // what is read from them differs from the trades
  });

  test('that were made while the clock of the database was ahead are made again once it is right', async () => {
    const [{ until } = { until: '' }] = (await sql<{ until: string }>`select until::text from trader_sums_until`.execute(db)).rows;
    await sql`update trader_sums_until set until = until + 5`.execute(db);
    expect(await profits()).toBe(1_003); // a trade of today counts for none of those days
    await keepTraderSums(db);
    expect((await sql<{ until: string }>`select until::text from trader_sums_until`.execute(db)).rows[0]).toEqual({ until });
    expect(await profits()).toBe(103);
  });

  test('are read in place of their trades', async () => {
    expect(await profits()).toBe(1_103);
  });

  test('stay what they are when a trade is closed now, or an open one changes', async () => {
    await add([closedTrade(0, { ...inDollars, profit: '5' }), aTradeRow(bots[0] ?? '')]);
    await sql`update trades set stop_price = 90 where status = 'open'`.execute(db);
    await sql`update trades set confidence = 0.5`.execute(db);
    expect(await profits()).toBe(1_108);
  });

  test('end before the day of a trade that is changed, and are made again at the next minute', async () => {
    await sql`update trades set profit = 3 where profit = 1`.execute(db);
    expect(await profits()).toBe(105);
    await keepTraderSums(db);
    expect(await profits()).toBe(105);
    expect(await db.selectFrom('traderSums').select('profit').where('unit', '=', 'day').execute()).toEqual([
      { profit: '5.000000000000000000' },
    ]);
  });

  test('of other dollar currencies than those of this version do not count', async () => {
    await sql`update trader_sums_until set currencies = '{USDT}'`.execute(db);
    expect(await profits()).toBe(103);
    await keepTraderSums(db);
    await sql`update trader_sums set profit = profit + 1000`.execute(db);
    expect(await profits()).toBe(1_103);
  });

  test('say by their currency what is left out, and so do the trades that are not summed', async () => {
    const marks = async (start: string | null) => (await traderFigures(db, { ...everything, start })).map(({ leavesOut }) => leavesOut);
    const inBitcoin = { symbol: 'ETH/BTC', botId: bots[0] ?? '', mode: 'paper' } as const;
    await add([closedTrade(40, inBitcoin)]);
    expect(await marks(null)).toContain(true);
    await keepTraderSums(db);
    expect(await marks(dayAgo(40))).toContain(true);
    expect(await marks(dayAgo(39))).not.toContain(true);
    await add([closedTrade(0, inBitcoin)]);
    expect(await marks(dayAgo(39))).toContain(true);
    expect(await marks(dayAgo(-1))).toEqual([]);
  });

  test('of a table that was emptied are gone', async () => {
    await sql`truncate trades cascade`.execute(db);
    expect(await traderFigures(db, everything)).toEqual([]);
  });
});

describe('a change that is not committed yet', () => {
  const late = (profit: string) => ({ trade: closedTrade(40, { botId: bots[0] ?? '', mode: 'paper', profit }), orders: [], fills: [] });

  for (const isFirst of [true, false]) {
    test(`is in the figures as soon as it is, when the days are summed meanwhile ${isFirst ? 'for the first time' : 'again'}`, async () => {
      if (!isFirst) {
        await add([late('1').trade]);
        await keepTraderSums(db);
        await sql`update trader_sums_until set until = until - 60`.execute(db);
      }
      const summed: Promise<void>[] = [];
      await db.transaction().execute(async (trx) => {
        await writeTrades(trx, [late('7')]);
        summed.push(keepTraderSums(db));
        await untilWaiting(db, 1); // it has come to the trader
        await expectAsFromTrades(everything, 'before');
      });
      await Promise.all(summed);
      await expectAsFromTrades(everything, 'after');
      await keepTraderSums(db);
      await expectAsFromTrades(everything, 'at the next minute');
    });
  }

  test('waits for a sum that has begun', async () => {
    await add([late('1').trade]);
    await keepTraderSums(db);
    const steps: string[] = [];
    const written: Promise<unknown>[] = [];
    await db.transaction().execute(async (trx) => {
      await sql`update trader_sums_until set until = current_date - 1`.execute(trx);
      written.push(writeTrades(db, [late('7')]).then(() => steps.push('written')));
      await untilWaiting(db, 1);
      steps.push('summed');
    });
    await Promise.all(written);
    expect(steps).toEqual(['summed', 'written']);
    await expectAsFromTrades(everything, 'after both');
  });
});
