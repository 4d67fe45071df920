import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { deleteBot } from '../bots/archive.ts';
import { botSettingsOf, changeBotSettings } from '../bots/bot-settings.ts';
import { findBot, setBotMode } from '../bots/bots.ts';
import { listSnapshots } from '../bots/pnl-snapshots.ts';
import { readBot } from '../bots/running-bots.ts';
import { resultsByStrategy } from '../fund/fund.ts';
import { keepTraderSums } from '../fund/trader-sums.ts';
import { traderFigures } from '../fund/trader-figures.ts';
import { readLimits } from '../limits/limits.ts';
import { closedProfits } from '../profits/profits.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import type { ImportedTrade } from './imported-trades.ts';
import { botsOfImportedKeys, holdImports, importTrades } from './imported-trades.ts';
import { listTradesOfBot } from './trade-lists.ts';
import { addToFigures, writeTrades } from './trade-writes.ts';

const { db } = await freshDatabase();
const now = new Date(Date.UTC(2026, 2, 10));
const day = (n: number) => new Date(Date.UTC(2026, 1, n));
let botId = '';
beforeEach(async () => {
  await sql`truncate trades, imported_keys, bot_figures, pnl_snapshots cascade`.execute(db);
  botId = await addTestBot(db, { strategy: 'AlwaysFlat' });
});

const trade = (n: number, profit: string, given: Partial<ImportedTrade> = {}): ImportedTrade => ({
  key: `freqtrade ${n}`,
  symbol: 'BTC/USDT',
  direction: 'long',
  openedAt: day(n),
  closedAt: day(n + 1),
  amount: '0.5',
  stake: '100',
  leverage: '1',
  entryPrice: '200',
  exitPrice: '210.123456789012345',
  stopPrice: null,
  initialStopPrice: null,
  liquidationPrice: null,
  fees: '0.2',
  funding: '0',
  profit,
  profitRatio: '0.01',
  entryTag: null,
  exitReason: 'roi',
  priceTick: 0.01,
  ...given,
});
const take = (closed: readonly ImportedTrade[], openKeys: readonly string[] = [], id = botId): Promise<number> =>
  db.transaction().execute(async (trx) => {
    await holdImports(trx);
    return importTrades(trx, id, { from: 'freqtrade', closed, openKeys }, now);
  });
const curve = async () => (await listSnapshots(db, botId, 'paper')).toReversed().map((each) => Number(each.netPnl));

test('imported trades count in the figures of a bot, and are no money of it', async () => {
  expect(await take([trade(1, '12.5'), trade(2, '-0.00000001'), trade(3, '0')])).toBe(3);
  expect(await findBot(db, botId)).toMatchObject({
    trades: 3,
    wins: 1,
    losses: 1,
    realizedPnl: '0.000000000000000000',
    importedTrades: 3,
    importedPnl: '12.499999990000000000',
    lastTradeAt: day(4),
  });
  expect(await readBot(db, botId)).toMatchObject({
    closedProfit: '0.000000000000000000',
    wins: 0,
    closedTrades: 0,
    imported: { trades: 3, wins: 1, profit: '12.499999990000000000', fees: '0.600000000000000000' },
  });
  expect((await listTradesOfBot(db, botId, 'paper')).map((each) => [each.importedFrom, each.exitPrice, each.priceTick])).toEqual(
    Array.from({ length: 3 }, () => ['freqtrade', '210.123456789012345000', '0.01']),
  );
  expect(await resultsByStrategy(db)).toMatchObject([{ mode: 'paper', trades: 3, wins: 1, losses: 1, profit: '12.49999999' }]);
});

test('a loss of the past uses up no limit, and the figures of own trades continue from where they were', async () => {
  await take([trade(1, '-290', { closedAt: new Date(now.getTime() - 1) }), trade(2, '-500')]);
  const uses = await readLimits(db, { botId, mode: 'paper', now, levels: ['bot'] });
  expect(uses.filter(({ name }) => name === 'daily-loss' || name === 'drawdown').map(({ use }) => use)).toEqual(['0', '0']);
  const own = { botId, mode: 'paper' as const, startingBalance: '300', fees: '0.1' };
  await addToFigures(db, { ...own, profit: 30, closedAt: now });
  await addToFigures(db, { ...own, profit: -33, closedAt: now });
  const figures = await db.selectFrom('botFigures').selectAll().where('botId', '=', botId).executeTakeFirstOrThrow();
  expect(figures).toMatchObject({ trades: 2, wins: 1, losses: 1, importedTrades: 2, importedLosses: 2 });
  expect([figures.realizedPnl, figures.peakBalance, figures.maxDrawdown, figures.importedPnl].map(Number)).toEqual([-3, 330, 33, -790]);
});

test('a second import takes what is new alone, also a trade that was open at the first', async () => {
  expect(await take([trade(1, '5')], ['freqtrade 2'])).toBe(1);
  expect(await take([trade(1, '5')], ['freqtrade 2'])).toBe(0);
  expect(await take([trade(1, '5'), trade(2, '7')])).toBe(1);
  expect(await take([trade(1, '5'), trade(2, '7')])).toBe(0);
  expect(await findBot(db, botId)).toMatchObject({ trades: 2, importedPnl: '12.000000000000000000' });
  const other = await addTestBot(db, { strategy: 'AlwaysFlat' });
  await expect(take([trade(2, '7')], [], other)).rejects.toThrow('has some of these trades');
  await expect(take([], ['freqtrade 2'], other)).rejects.toThrow('has some of these trades');
  expect(await findBot(db, other)).toMatchObject({ trades: null });
});

test('a bot is found by any of a hundred thousand keys', async () => {
  await take([trade(1, '5')], ['freqtrade 99999']);
  expect(
    await botsOfImportedKeys(
      db,
      Array.from({ length: 100_000 }, (_, i) => `freqtrade ${i}`),
    ),
  ).toEqual([botId]);
  expect(await botsOfImportedKeys(db, [])).toEqual([]);
});

test('two imports at the same time take each trade once', async () => {
  const both = await Promise.all([take([trade(1, '5'), trade(2, '7')]), take([trade(1, '5'), trade(2, '7')])]);
  expect(both.toSorted()).toEqual([0, 2]);
  const other = await addTestBot(db, { strategy: 'AlwaysFlat' });
  let second: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (trx) => {
    await holdImports(trx);
    second = take([trade(3, '1')], [], other).catch((error: unknown) => error);
    await untilWaiting(db, 1);
    await importTrades(trx, botId, { from: 'freqtrade', closed: [trade(3, '1')], openKeys: [] }, now);
  });
  expect(await second).toMatchObject({ message: expect.stringContaining(botId) });
});

test('the curve has a point where each was closed; later points have it in them, and the balance has not', async () => {
  await take([trade(1, '10'), trade(3, '-4')]);
  expect(await curve()).toEqual([10, 6]);
  const own = aTradeRow(botId, { status: 'closed', openedAt: day(5), closedAt: day(6), profit: 3, exitPrice: 101 });
  await writeTrades(db, [{ trade: own, orders: [], fills: [] }]);
  await sql`insert into pnl_snapshots values (${botId}, 'paper', ${day(6)}, 9.5, 3.1666, 0.5, 9, 0.4, 0.66, 303)`.execute(db);
  await take([trade(1, '10'), trade(2, '-1'), trade(8, '2'), trade(9, '1', { closedAt: day(9) })]);
  expect(await curve()).toEqual([10, 9, 5, 8.5, 11]);
  const snapshots = (await listSnapshots(db, botId, 'paper')).toReversed().slice(3);
  expect(snapshots.map(({ realizedPnl, totalFees, currentBalance }) => [realizedPnl, totalFees, currentBalance].map(Number))).toEqual([
    [8, 0.6, 303],
    [11, 1, 303],
  ]);
  expect(snapshots.map(({ winRate }) => Number(Number(winRate).toFixed(4)))).toEqual([0.5, 0.6667]);
});

test('the curve of paper has nothing of what the bot has closed at an exchange', async () => {
  await take([trade(1, '10')]);
  const own = aTradeRow(botId, { mode: 'testnet', status: 'closed', openedAt: day(5), closedAt: day(6), profit: -3, exitPrice: 97 });
  await writeTrades(db, [{ trade: own, orders: [], fills: [] }]);
  await sql`insert into pnl_snapshots values (${botId}, 'paper', ${day(9)}, 10, 3.3333, 0, 10, 0.2, 1, 300)`.execute(db);
  await take([trade(2, '-1'), trade(6, '2')]);
  expect(await curve()).toEqual([10, 9, 11, 11]);
  const snapshots = (await listSnapshots(db, botId, 'paper')).toReversed();
  expect(snapshots.map(({ winRate, currentBalance }) => [Number(Number(winRate).toFixed(4)), Number(currentBalance)])).toEqual([
    [1, 300],
    [0.5, 300],
    [0.6667, 300],
    [0.6667, 300],
  ]);
});

describe('a past that is imported once the bot is live', () => {
  const change = (given: { stakeAmount?: string; stakeCurrency?: string }) =>
    db.transaction().execute(async (trx) => {
      const bot = (await findBot(trx, botId))!;
      await changeBotSettings(trx, bot, { ...botSettingsOf(bot), ...given }, bot.userId, day(0));
    });
  const shares = async () =>
    (await listSnapshots(db, botId, 'paper')).toReversed().map((each) => [each.netPnlPct, each.currentBalance].map(Number));
  const peaks = async () =>
    (await db.selectFrom('botFigures').select(['mode', 'peakBalance']).where('botId', '=', botId).execute()).map(({ peakBalance }) =>
      Number(peakBalance),
    );

  test('is measured by what the bot had on paper, and leaves what it has now alone', async () => {
    await setBotMode(db, botId, 'live');
    await change({ stakeAmount: '10' });
    expect(Number((await findBot(db, botId))?.startingBalance)).toBe(30);
    await sql`insert into pnl_snapshots values (${botId}, 'paper', ${day(9)}, 3, 1, 0, 3, 0, 0, 300)`.execute(db);
    await take([trade(1, '12')]);
    expect([await shares(), await peaks()]).toEqual([
      [
        [4, 300],
        [5, 300],
      ],
      [300],
    ]);
  });

  test('is measured by what it has now where it never was on paper with this currency', async () => {
    await setBotMode(db, botId, 'live');
    await change({ stakeAmount: '10', stakeCurrency: 'BTC' });
    await take([trade(1, '12')]);
    expect([await shares(), await peaks()]).toEqual([[[40, 30]], [30]]);
  });

  test('is measured by what it has now where it never was on paper', async () => {
    await change({ stakeAmount: '10' });
    await setBotMode(db, botId, 'live');
    await sql`delete from bot_capitals where bot_id = ${botId} and mode = 'paper'`.execute(db);
    await take([trade(1, '12')]);
    expect([await shares(), await peaks()]).toEqual([[[40, 30]], [30]]);
  });
});

test('the curve begins again with another stake currency: what the bot closed in between is none of it', async () => {
  const set = async (stakeCurrency: string, changedAt: Date) =>
    db.transaction().execute(async (trx) => {
      const bot = await findBot(trx, botId);
      if (bot === null) throw new Error('The bot does not exist');
      await changeBotSettings(trx, bot, { ...botSettingsOf(bot), stakeCurrency }, bot.userId, changedAt);
    });
  await take([trade(1, '10')]);
  await set('BTC', day(3));
  const inBitcoin = aTradeRow(botId, { symbol: 'ETH/BTC', status: 'closed', openedAt: day(4), closedAt: day(5), profit: -0.25 });
  await writeTrades(db, [{ trade: inBitcoin, orders: [], fills: [] }]);
  await set('USDT', day(6));
  await sql`insert into pnl_snapshots values (${botId}, 'paper', ${day(9)}, 0, 0, 0, 0, 0, 0, 300)`.execute(db);
  await take([trade(1, '10'), trade(4, '2'), trade(7, '5')]); // the second was closed in between, and is new all the same
  expect(await findBot(db, botId)).toMatchObject({ importedTrades: 2, importedPnl: '7.000000000000000000' });
  const snapshots = (await listSnapshots(db, botId, 'paper')).toReversed();
  expect(snapshots.map(({ realizedPnl, winRate, currentBalance }) => [realizedPnl, winRate, currentBalance].map(Number))).toEqual([
    [7, 1, 300],
    [7, 1, 300],
  ]);
});

test('profits and traders’ figures have trades of days that were summed before', async () => {
  const own = aTradeRow(botId, { status: 'closed', openedAt: day(1), closedAt: day(2), profit: 100, exitPrice: 101 });
  await writeTrades(db, [{ trade: own, orders: [], fills: [] }]);
  await keepTraderSums(db);
  await take([trade(1, '0.1'), trade(2, '0.2'), trade(3, '-0.00000003')]);
  const sums = async () => ({
    profits: (await closedProfits(db, { ownerId: null, from: null, to: null }, 'bot')).totals,
    traders: await traderFigures(db, { traderId: null, mode: 'paper', start: null, end: null }),
  });
  const before = await sums();
  expect(before).toMatchObject({ profits: [{ trades: 4, profit: '100.29999997' }], traders: [{ trades: 4, profit: '100.29999997' }] });
  await keepTraderSums(db);
  expect(await sums()).toEqual(before);
});

test('the database takes no imported trade that is open or made with money', async () => {
  await take([trade(1, '5')]);
  for (const change of [sql`status = 'open', closed_at = null`, sql`mode = 'live'`, sql`mode = 'testnet'`])
    await expect(sql`update trades set ${change}`.execute(db)).rejects.toThrow('trades_imported');
});

test('a bot that has only a past is deleted with it, and the past can be imported again; one that has traded is not', async () => {
  await take([trade(1, '5')], ['freqtrade 2']);
  const own = aTradeRow(botId);
  await writeTrades(db, [{ trade: own, orders: [], fills: [] }]);
  const gone = () => db.transaction().execute((trx) => deleteBot(trx, botId));
  expect(await gone()).toBe(false);
  expect(await findBot(db, botId)).toMatchObject({ importedTrades: 1 });
  await db.deleteFrom('trades').where('id', '=', own.id).execute();
  expect(await gone()).toBe(true);
  const { rows } = await sql`select from trades union all select from imported_keys union all select from pnl_snapshots`.execute(db);
  expect(rows).toEqual([]);
  botId = await addTestBot(db, { strategy: 'AlwaysFlat' });
  expect(await take([trade(1, '5')])).toBe(1);
});
