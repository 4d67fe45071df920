import { dayMs } from '#engine/market/durations.ts';
import { fromText, plus, toText, zero } from '#engine/market/decimal.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import type { TradeRow } from '../trades/trade-writes.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { openProfits } from './open-profits.ts';
import type { ProfitGrouping } from './profit-keys.ts';
import type { ProfitsOf, ProfitSums } from './profits.ts';
import { closedProfits } from './profits.ts';
import { keepTraderSums } from '../fund/trader-sums.ts';

const { db } = await freshDatabase();

const everything: ProfitsOf = { ownerId: null, from: null, to: null };
const groupings: readonly ProfitGrouping[] = [
  'bot',
  'pair',
  'strategy',
  'version',
  'tag',
  'reason',
  'account',
  'day',
  'week',
  'month',
  'year',
];
const today = Math.floor(Date.now() / dayMs) * dayMs;
const days = 130; // four months with both ends cut
const start = today - days * dayMs;
let seed = 1;
const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
const below = (n: number): number => Math.floor(random() * n);
const oneOf = <T>(values: readonly T[]): T => {
  const value = values[below(values.length)];
  if (value === undefined) throw new Error('none to choose from');
  return value;
};

let bots: { id: string; owner: string; strategy: string }[] = [];
beforeAll(async () => {
  for (const [place, strategy] of ['EmaCross', 'RsiReversal', 'EmaCross', 'RsiReversal'].entries()) {
    await addTestBot(db, { strategy, nickname: `bot ${place}`, owner: `t${place % 2}@example.com` });
  }
  const { rows } = await sql<{ id: string; owner: string; strategy: string }>`
    select id, user_id as owner, strategy_id as strategy from bots order by nickname`.execute(db);
  bots = rows;
});
beforeEach(async () => {
  await sql`truncate trades cascade`.execute(db);
  await sql`truncate profit_sums, trader_sums, trader_sums_until`.execute(db);
  seed = 1;
});

type Made = TradeRow & { closedAt: Date; strategyVersion: number | null };

/** Any closed trade; many end with a day, a week, a month or a year. */
function closedTrade(given: Partial<TradeRow> = {}): Made {
  const closedAt = new Date(Math.min(start + below(days + 1) * dayMs + oneOf([0, 1, dayMs - 1, below(dayMs)]), Date.now()));
  return {
    ...aTradeRow(oneOf(bots).id, {
      symbol: oneOf(['BTC/USDT', 'ETH/USDT:USDT', 'BTC/USDC', 'ETH/BTC', 'BTC/USD:BTC']),
      direction: oneOf(['long', 'short']),
      mode: oneOf(['paper', 'live', 'testnet']),
      status: 'closed',
      openedAt: new Date(closedAt.getTime() - 1_000),
      closedAt,
      profit: oneOf(['0.000000000000000001', '-12.34', '10.1', '0', '-0.000000000000000007', `${below(2_000) - 1_000}.5`]),
      fees: oneOf(['0.1', '0.000000000000000003', '0']),
      funding: oneOf(['0', '-0.25', '0.000000000000000001']),
      entryTag: oneOf([null, 'cross-up', 'dip']),
      exitReason: oneOf([null, 'roi', 'stop_loss']),
      ...given,
    }),
    closedAt: (given.closedAt as Date | undefined) ?? closedAt,
    strategyVersion: oneOf([null, 1, 2]),
  };
}
const add = (trades: readonly TradeRow[]) =>
  writeTrades(
    db,
    trades.map((trade) => ({ trade, orders: [], fills: [] })),
  );

const utc = (time: Date, length: number): string => time.toISOString().slice(0, length);

/** The group of a trade, worked out from its row alone. */
function keyOf(trade: Made & { accountId: string | null }, grouping: ProfitGrouping): string {
  const bot = bots.find(({ id }) => id === trade.botId);
  const monday = new Date(trade.closedAt.getTime() - ((trade.closedAt.getUTCDay() + 6) % 7) * dayMs);
  const keys: Record<ProfitGrouping, string | null | undefined> = {
    bot: trade.botId,
    pair: trade.symbol,
    strategy: bot?.strategy,
    version: `${bot?.strategy} ${trade.strategyVersion ?? ''}`,
    tag: trade.entryTag,
    reason: trade.exitReason,
    account: trade.accountId,
    day: utc(trade.closedAt, 10),
    week: utc(monday, 10),
    month: utc(trade.closedAt, 7),
    year: utc(trade.closedAt, 4),
  };
  return keys[grouping] ?? '';
}

const currencyOf = (symbol: string): string => symbol.split(':')[1] ?? symbol.split('/')[1] ?? '';
const plain = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/u, '') : text);
const sum = (values: readonly unknown[]): string =>
  plain(toText(values.reduce((total: typeof zero, value) => plus(total, fromText(String(value))), zero)));

/** What the trades come to, one after the other, in exact decimals. */
function naive(
  trades: readonly Made[],
  keyOfTrade: (trade: Made) => string,
): Record<string, Omit<ProfitSums, 'mode' | 'currency' | 'key'>> {
  const groups = Map.groupBy(trades, (trade) => `${trade.mode} ${currencyOf(trade.symbol)} ${keyOfTrade(trade)}`);
  return Object.fromEntries(
    [...groups].map(([key, each]) => [
      key,
      {
        trades: each.length,
        wins: each.filter(({ profit }) => Number(profit) > 0).length,
        losses: each.filter(({ profit }) => Number(profit) < 0).length,
        profit: sum(each.map(({ profit }) => profit ?? '0')),
        fees: sum(each.map(({ fees }) => fees)),
        funding: sum(each.map(({ funding }) => funding)),
      },
    ]),
  );
}
const byKey = (all: readonly ProfitSums[]) =>
  Object.fromEntries(all.map(({ mode, currency, key, ...sums }) => [`${mode} ${currency} ${key}`, sums]));

/** The trades there are, as they are now. */
async function allTrades(): Promise<(Made & { accountId: string | null })[]> {
  return (await db.selectFrom('trades').selectAll().where('status', '=', 'closed').execute()) as never;
}

async function expectAsFromTrades(of: ProfitsOf, grouping: ProfitGrouping, after: string): Promise<void> {
  const trades = (await allTrades()).filter(
    (trade) =>
      (of.ownerId === null || bots.find(({ id }) => id === trade.botId)?.owner === of.ownerId) &&
      (of.from === null || utc(trade.closedAt, 10) >= of.from) &&
      (of.to === null || utc(trade.closedAt, 10) <= of.to),
  );
  const closed = await closedProfits(db, of, grouping);
  const what = `after ${after}: ${grouping} ${JSON.stringify(of)}`;
  expect(byKey(closed.groups), what).toEqual(naive(trades, (trade) => keyOf(trade as never, grouping)));
  expect(byKey(closed.days), what).toEqual(naive(trades, (trade) => utc(trade.closedAt, 10)));
  expect(byKey(closed.totals), what).toEqual(naive(trades, () => ''));
}

describe('OP-70 sums of closed trades are those of their rows to the last decimal', () => {
  const anyTrade = sql`(select id from trades where status = 'closed' order by md5(id::text || clock_timestamp()::text) limit 1)`;
  const set = (column: string, value: unknown) => sql`update trades set ${sql.ref(column)} = ${value} where id = ${anyTrade}`.execute(db);
  /** The newest and the oldest changes there are: also those that no part of the product makes. */
  const changes: Record<string, () => Promise<unknown>> = {
    'trades of today': () => add(Array.from({ length: 5 }, () => closedTrade({ closedAt: new Date() }))),
    'trades of any day': () => add(Array.from({ length: 8 }, () => closedTrade())),
    'an open trade that was closed days ago': async () => {
      const trade = closedTrade();
      await sql`update trades set status = 'cancelled' where status = 'open'`.execute(db);
      await add([{ ...trade, status: 'open', closedAt: null, profit: null }]);
      await add([trade]);
    },
    'late funding': () =>
      sql`update trades set profit = profit - 0.000000000000000003, funding = funding - 0.000000000000000003 where id = ${anyTrade}`.execute(
        db,
      ),
    'another fee': () => set('fees', '0.7'),
    'no profit at all': () => set('profit', null),
    'another symbol': () => set('symbol', oneOf(['ETH/BTC', 'SOL/USDT'])),
    'another tag': () => set('entryTag', oneOf([null, 'other'])),
    'another reason': () => set('exitReason', oneOf([null, 'other'])),
    'another version': () => set('strategyVersion', oneOf([null, 9])),
    'another time': () => set('closedAt', new Date(start + below(days) * dayMs)),
    'another mode': () => set('mode', oneOf(['paper', 'live', 'testnet'])),
    'another bot': () => set('botId', oneOf(bots).id),
    'cancelled after all': () => set('status', 'cancelled'),
    'a trade gone': () => sql`delete from trades where id = ${anyTrade}`.execute(db),
    'another account': () => sql`update trades set account_id = gen_random_uuid() where id = ${anyTrade}`.execute(db),
    'another owner of a bot': async () => {
      const bot = oneOf(bots);
      bot.owner = oneOf(bots).owner;
      await sql`update bots set user_id = ${bot.owner} where id = ${bot.id}`.execute(db);
    },
    'another strategy of a bot': async () => {
      const bot = oneOf(bots);
      bot.strategy = oneOf(bots).strategy;
      await sql`update bots set strategy_id = ${bot.strategy} where id = ${bot.id}`.execute(db);
    },
    sums: () => keepTraderSums(db),
  };
  const anyRange = (): Pick<ProfitsOf, 'from' | 'to'> => {
    const [a = 0, b = 0] = [below(days + 1), below(days + 1)].toSorted((one, other) => one - other);
    const dayOf = (n: number): string => utc(new Date(start + n * dayMs), 10);
    return oneOf([
      { from: dayOf(a), to: dayOf(b) },
      { from: dayOf(a), to: null },
      { from: null, to: dayOf(b) },
      { from: null, to: null },
    ]);
  };

  for (const from of [3, 4]) {
    test(`by whatever they are grouped, in any range, of anybody, whatever happens to trades and bots; from ${from}`, async () => {
      seed = from;
      await add(Array.from({ length: 300 }, () => closedTrade()));
      for (let i = 0; i < 44; i++) {
        const name = i % 4 === 0 ? 'sums' : oneOf(Object.keys(changes));
        await changes[name]?.();
        const grouping = groupings[i % groupings.length] ?? 'bot';
        await expectAsFromTrades(everything, grouping, name);
        await expectAsFromTrades({ ownerId: oneOf([null, ...bots.map(({ owner }) => owner)]), ...anyRange() }, oneOf(groupings), name);
      }
    });
  }

  test('in every span of days, by each grouping', async () => {
    await add(Array.from({ length: 400 }, () => closedTrade()));
    await keepTraderSums(db);
    const dayOf = (n: number): string => utc(new Date(start + n * dayMs), 10);
    for (let a = 0; a <= days; a += 17)
      for (let b = a; b <= days; b += 13)
        await expectAsFromTrades({ ...everything, from: dayOf(a), to: dayOf(b) }, groupings[(a + b) % groupings.length] ?? 'bot', 'span');
  });

  test('of days and months that are over they are read from sums', async () => {
    await add([closedTrade({ closedAt: new Date(start), profit: '5', mode: 'paper', symbol: 'BTC/USDT' })]);
    await keepTraderSums(db);
    await sql`update profit_sums set profit = profit + 1000`.execute(db); // what is read from them differs from the trades
    const closed = await closedProfits(db, everything, 'pair');
    expect([closed.totals, closed.days, closed.groups].map(([first]) => first?.profit)).toEqual(['1005', '1005', '1005']);
    await set('profit', '6');
    expect((await closedProfits(db, everything, 'pair')).groups[0]?.profit).toBe('6');
    await keepTraderSums(db);
    expect((await db.selectFrom('profitSums').select('profit').execute()).map(({ profit }) => Number(profit))).toEqual(
      Array.from({ length: 8 }, () => 6),
    );
  });

  test('a trade keeps its currency when its bot is given another one', async () => {
    await add([closedTrade({ symbol: 'BTC/USDT', mode: 'paper', profit: '5' })]);
    await sql`update bots set stake_currency = 'BTC'`.execute(db);
    expect((await closedProfits(db, everything, 'bot')).totals).toMatchObject([{ currency: 'USDT', profit: '5' }]);
    await sql`update bots set stake_currency = 'USDT'`.execute(db);
  });

  test('groups come with the highest profit first, days in their order', async () => {
    const at = (day: string, profit: string, symbol: string) =>
      closedTrade({ closedAt: new Date(`${day}T12:00:00Z`), profit, symbol, mode: 'paper' });
    const make = (day: string, profit: string, symbol: string): TradeRow => ({
      ...at(day, profit, symbol),
      closedAt: new Date(`${day}T12:00:00Z`),
    });
    await add([make('2026-02-03', '-5', 'BTC/USDT'), make('2026-02-01', '7', 'ETH/USDT'), make('2026-02-02', '10', 'SOL/USDT')]);
    const { groups, days: each } = await closedProfits(db, everything, 'pair');
    expect(groups.map(({ key }) => key)).toEqual(['SOL/USDT', 'ETH/USDT', 'BTC/USDT']);
    expect(each.map(({ key }) => key)).toEqual(['2026-02-01', '2026-02-02', '2026-02-03']);
  });

  test('are read from the index alone', async () => {
    await add(Array.from({ length: 300 }, () => closedTrade()));
    await sql`vacuum analyze trades`.execute(db);
    const plan = await db.transaction().execute(async (trx) => {
      await sql`set local enable_seqscan = off`.execute(trx); // a table this small would be read as it is
      await sql`set local enable_bitmapscan = off`.execute(trx);
      return sql<Record<string, string>>`
        explain select t.bot_id, t.mode, t.symbol, t.strategy_version, t.entry_tag, t.exit_reason, t.account_id, sum(t.profit), sum(t.fees), sum(t.funding)
        from trades t where t.status = 'closed' and t.closed_at >= '2026-01-01' group by 1, 2, 3, 4, 5, 6, 7`.execute(trx);
    });
    expect(JSON.stringify(plan.rows)).toContain('Index Only Scan using trades_closed');
  });
});

describe('the account of a trade', () => {
  test('is that of its bot when it was opened, also after the bot got another key or the key is gone', async () => {
    const [bot] = bots;
    const key = async (): Promise<string> => {
      const { rows } = await sql<{ id: string }>`
        insert into api_keys (user_id, exchange_id, key_hint, sealed) values (${bot?.owner}, 'sandbox', 'abcd', '{}') returning id`.execute(
        db,
      );
      return rows[0]?.id ?? '';
    };
    const [first, second] = [await key(), await key()];
    const use = (id: string | null) => sql`update bots set mode = 'live', api_key_id = ${id} where id = ${bot?.id}`.execute(db);
    const trade = (profit: string, mode: TradeRow['mode']) => closedTrade({ botId: bot?.id ?? '', mode, profit, symbol: 'BTC/USDT' });
    await use(first);
    const early = trade('1', 'testnet');
    await add([early, trade('2', 'paper')]);
    await use(second);
    await add([trade('4', 'testnet')]);
    await add([{ ...early, profit: '8' }]); // written again, as a correction is
    await use(null);
    await sql`delete from api_keys where id = ${first}`.execute(db);
    const { groups } = await closedProfits(db, everything, 'account');
    expect(groups.map(({ key: account, mode, profit }) => [account, mode, profit])).toEqual([
      [first, 'testnet', '8'],
      [second, 'testnet', '4'],
      ['', 'paper', '2'],
    ]);
  });
});

describe('what open trades would bring now', () => {
  test('is that of the bots in their mode; not known as long as one of them has not said it', async () => {
    const { rows: owners } = await sql<{ id: string }>`select id from users order by email`.execute(db);
    const [one, other] = bots.map((bot, place) => ({ ...bot, owner: owners[place % 2]?.id ?? '' }));
    for (const bot of [one, other])
      await sql`update bots set mode = 'paper', stake_currency = 'USDT', user_id = ${bot?.owner} where id = ${bot?.id}`.execute(db);
    const open = (botId = '') => aTradeRow(botId, { symbol: 'BTC/USDT', mode: 'paper' });
    await add([open(one?.id), open(other?.id)]);
    const vitals = (botId = '', unrealized = '') =>
      sql`
      insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl) values (${botId}, now(), 1, ${unrealized})`.execute(db);
    await vitals(one?.id, '-1.25');
    expect(await openProfits(db, null)).toEqual([{ mode: 'paper', currency: 'USDT', trades: 2, profit: null }]);
    await vitals(other?.id, '0.000000000000000001');
    expect(await openProfits(db, null)).toEqual([{ mode: 'paper', currency: 'USDT', trades: 2, profit: '-1.249999999999999999' }]);
    expect(await openProfits(db, one?.owner ?? null)).toMatchObject([{ trades: 1, profit: '-1.25' }]);
  });

  test('of a trade in another currency than its bot stakes by now is not known: what the bot says is in its own', async () => {
    const [bot] = bots;
    await sql`delete from bot_vitals`.execute(db);
    await sql`truncate trades cascade`.execute(db);
    await sql`update bots set mode = 'paper', stake_currency = 'USDT' where id = ${bot?.id}`.execute(db);
    await add([
      aTradeRow(bot?.id ?? '', { symbol: 'BTC/USDT', mode: 'paper' }),
      aTradeRow(bot?.id ?? '', { symbol: 'ETH/BTC', mode: 'paper' }),
    ]);
    await sql`insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl) values (${bot?.id}, now(), 2, -250)`.execute(db);
    expect((await openProfits(db, null)).toSorted((a, b) => (a.currency < b.currency ? -1 : 1))).toEqual([
      { mode: 'paper', currency: 'BTC', trades: 1, profit: null },
      { mode: 'paper', currency: 'USDT', trades: 1, profit: '-250' },
    ]);
  });
});
