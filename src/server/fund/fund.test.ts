import { dayMs } from '#engine/market/durations.ts';
import { maxDrawdownOf, performanceOf } from '#engine/report/performance.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { addTestRules } from '../../../test/support/test-rules.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let traders: Person[] = [];
const today = Math.floor(Date.now() / dayMs) * dayMs;

interface Made {
  trader: number;
  mode: string;
  strategy: string;
  closedAt: number;
  profit: number;
  bot: string;
}
const made: Made[] = [];
const bots: { id: string; trader: number; strategy: string; balance: number }[] = [];

/** A closed trade; the figures of its bot follow, as the runner keeps them. */
async function close(
  bot: (typeof bots)[number],
  mode: string,
  closedAt: number,
  profit: number,
  { latency, note, symbol }: { latency?: number | null; note?: string; symbol?: string } = {},
) {
  await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit, latency_ms, note)
    values (gen_random_uuid(), ${bot.id}, ${symbol ?? 'BTC/USDT'}, 'long', ${mode}, 'closed', ${new Date(closedAt - 1000)}, ${new Date(closedAt)}, 1, 1, 1,
      ${String(profit)}, ${latency ?? null}, ${note ?? ''})`.execute(db);
  await sql`insert into bot_figures (bot_id, mode, trades, wins, losses, realized_pnl, peak_balance)
    values (${bot.id}, ${mode}, 1, ${profit > 0 ? 1 : 0}, ${profit < 0 ? 1 : 0}, ${String(profit)}, 0)
    on conflict (bot_id, mode) do update set trades = bot_figures.trades + 1, wins = bot_figures.wins + excluded.wins,
      losses = bot_figures.losses + excluded.losses, realized_pnl = bot_figures.realized_pnl + excluded.realized_pnl`.execute(db);
  made.push({ trader: bot.trader, mode, strategy: bot.strategy, closedAt, profit, bot: bot.id });
}

async function addBotOf(trader: number, strategy: string, name: string, sets = sql`mode = 'live', exchange_id = 'binance'`) {
  const id = await addTestBot(db, { strategy, owner: traders[trader]?.email ?? '', stakeAmount: 100 * (trader + 1), leverage: trader + 1 });
  await sql`update bots set ${sets} where id = ${id}`.execute(db);
  const bot = { id, trader, strategy: name, balance: 300 * (trader + 1) };
  bots.push(bot);
  return bot;
}

beforeAll(async () => {
  admin = await server.signedIn('admin');
  for (let i = 0; i < 7; i++) traders.push(await server.signedIn('trader'));
});

describe('before there is any trade', () => {
  const none = {
    trade_count: 0,
    cumulative_pnl: 0,
    win_rate: 0,
    avg_pnl_per_trade: 0,
    wins: 0,
    losses: 0,
    leaves_out: false,
    strategy_breakdown: {},
  };

  test('API-45, DATA-27, DATA-28 all is zero or empty', async () => {
    expect(await admin.fundOverview({})).toEqual({
      total_aum: 0,
      strategy_allocation: {},
      leverage: {},
      margin_mode: {},
      bot_status: {},
      roi_percent: 0,
      win_rate: 0,
      sharpe_ratio: null,
      top_traders: [],
      bottom_traders: [],
      pnl_history: [],
      leaves_out: false,
      paper_trades: none,
      testnet_trades: none,
    });
    expect(await admin.investorSummary({ query: {} })).toEqual([]);
  });
});

describe('with trades of seven traders', () => {
  beforeAll(async () => {
    let seed = 7;
    const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    for (let trader = 0; trader < 7; trader++) {
      const bot = await addBotOf(
        trader,
        trader % 2 === 0 ? 'RsiReversal' : 'MacdTrend',
        trader % 2 === 0 ? 'RSI reversal' : 'MACD with trend filter',
      );
      for (let i = 0; i < 20; i++) {
        // Traders 0 to 2 lose and the others win on the whole; a few days have no trade.
        const profit = Math.round((random() - (trader < 3 ? 0.7 : 0.3)) * 10_000) / 100;
        await close(bot, i % 4 === 3 ? 'paper' : 'live', today - dayMs * Math.floor(random() * 12) - Math.floor(random() * dayMs), profit, {
          latency: i % 2 === 0 ? 10 * i : null,
          note: i === 5 ? 'look at this' : '',
        });
      }
    }
  });

  test('API-46, DATA-26, OP-70, OP-71, OP-74 one row per trader and mode, the highest profit first, each figure as a bot has it', async () => {
    const rows = await admin.investorSummary({ query: {} });
    expect(rows).toHaveLength(14);
    expect(rows.map(({ total_pnl }) => total_pnl)).toEqual(rows.map(({ total_pnl }) => total_pnl).sort((a, b) => b - a));
    for (const row of rows) {
      const trader = traders.findIndex(({ userId }) => userId === row.trader_id);
      const own = made.filter((trade) => trade.trader === trader && trade.mode === row.mode).sort((a, b) => a.closedAt - b.closedAt);
      const closed = own.map(({ closedAt, profit }) => ({ closeTime: closedAt, profit }));
      const startingBalance = 300 * (trader + 1);
      const expected = performanceOf(closed, { startingBalance, unrealizedPnl: 0 });
      expect(row.num_trades).toBe(expected.totalTrades);
      expect(row.total_pnl).toBeCloseTo(expected.realizedPnl, 8);
      expect(row.roi_percent).toBeCloseTo((expected.realizedPnl / startingBalance) * 100, 8);
      expect(row.win_rate).toBeCloseTo(expected.winRate, 12);
      expect(row.max_drawdown).toBeCloseTo(maxDrawdownOf(closed, 0).amount, 8);
      expect(row.sharpe_ratio).toBeCloseTo(expected.sharpeRatio ?? 0, 8);
    }
    expect(rows.filter(({ mode }) => mode === 'live').map(({ ml_label_count }) => ml_label_count)).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(rows.find(({ mode }) => mode === 'live')?.avg_latency).toBeCloseTo(90, 8);
    expect(rows.find(({ mode }) => mode === 'paper')?.avg_latency).toBeNull();
  });

  test('API-46, INV-13, VALID-43, VALID-44, OP-74 mode, trader and days, both included, choose the trades', async () => {
    const day = (daysAgo: number) => new Date(today - daysAgo * dayMs).toISOString().slice(0, 10);
    const counted = async (query: Parameters<typeof admin.investorSummary>[0]['query']) =>
      (await admin.investorSummary({ query })).reduce((sum, { num_trades }) => sum + num_trades, 0);
    const dayOf = ({ closedAt }: Made) => new Date(closedAt).toISOString().slice(0, 10);
    expect(await counted({ mode: 'paper' })).toBe(made.filter(({ mode }) => mode === 'paper').length);
    expect(await counted({ start: day(4), end: day(2) })).toBe(
      made.filter((trade) => dayOf(trade) >= day(4) && dayOf(trade) <= day(2)).length,
    );
    expect(await counted({ start: day(3), end: day(3) })).toBe(made.filter((trade) => dayOf(trade) === day(3)).length);
    expect(await counted({ trader_id: traders[2]?.userId })).toBe(20);
    expect(await counted({ mode: '', start: '', end: '', trader_id: '' })).toBe(140);
    expect((await failure(admin.investorSummary({ query: { start: day(1), end: day(2) } }))).message).toBe(
      '400 Start date must be before end date',
    );
    expect((await failure(admin.investorSummary({ query: { trader_id: 'me' } }))).message).toBe('400 Invalid trader ID format');
    expect((await failure(admin.investorSummary({ query: { start: '2026-02-30' } }))).message).toBe('400 Invalid date');
  });

  test('API-46, OP-06 a trader sees the own rows, investors and operators all, and only admins may name a trader', async () => {
    const own = await traders[4]?.investorSummary({ query: {} });
    expect(new Set(own?.map(({ trader_id }) => trader_id))).toEqual(new Set([traders[4]?.userId]));
    expect(new Set(own?.map(({ trader_name }) => trader_name))).toEqual(new Set([traders[4]?.email]));
    const names = async (person: Person) => new Set((await person.investorSummary({ query: {} })).map(({ trader_name }) => trader_name));
    expect(await names(admin)).toEqual(new Set(traders.map(({ email }) => email)));
    expect(await names(await server.signedIn('operator'))).toEqual(new Set(traders.map(({ email }) => email)));
    expect(await names(await server.signedIn('investor'))).toEqual(new Set(['t***@example.com']));
    for (const role of ['investor', 'operator'] as const) {
      const person = await server.signedIn(role);
      expect(await person.investorSummary({ query: {} })).toHaveLength(14);
      expect((await failure(person.investorSummary({ query: { trader_id: traders[0]?.userId } }))).message).toBe(
        '403 Admin access required',
      );
    }
    for (const trader of traders.slice(4, 5)) {
      expect((await failure(trader.investorSummary({ query: { trader_id: trader.userId } }))).message).toBe('403 Admin access required');
    }
  });

  test('API-45, OP-73 live trades give the figures, the traders and the history; paper trades their own', async () => {
    const fund = await admin.fundOverview({});
    const live = made.filter(({ mode }) => mode === 'live');
    const total = live.reduce((sum, { profit }) => sum + profit, 0);
    const balances = bots.reduce((sum, { balance }) => sum + balance, 0);
    expect(fund.total_aum).toBeCloseTo(balances + total, 8);
    expect(fund.roi_percent).toBeCloseTo((total / balances) * 100, 8);
    expect(fund.win_rate).toBeCloseTo(live.filter(({ profit }) => profit > 0).length / live.length, 12);
    const closed = live.map(({ closedAt, profit }) => ({ closeTime: closedAt, profit }));
    expect(fund.sharpe_ratio).toBeCloseTo(performanceOf(closed, { startingBalance: balances, unrealizedPnl: 0 }).sharpeRatio ?? 0, 8);
    const profits = traders.map((trader, i) => ({
      id: trader.userId,
      email: trader.email,
      profit: live.filter((each) => each.trader === i).reduce((sum, each) => sum + each.profit, 0),
    }));
    const ranked = profits.sort((a, b) => b.profit - a.profit);
    const named = (list: typeof profits) => list.map(({ id, email }) => ({ id, email }));
    expect(fund.top_traders).toEqual(named(ranked.filter(({ profit }) => profit > 0).slice(0, 5)));
    expect(fund.bottom_traders).toEqual(
      named(
        ranked
          .filter(({ profit }) => profit < 0)
          .reverse()
          .slice(0, 5),
      ),
    );
    expect(fund.pnl_history.reduce((sum, { pnl }) => sum + pnl, 0)).toBeCloseTo(total, 8);
    expect(fund.pnl_history.at(-1)?.date).toBe(new Date(server.dependencies.now()).toISOString().slice(0, 10));
    const paper = made.filter(({ mode }) => mode === 'paper');
    expect(fund.testnet_trades).toMatchObject({ trade_count: 0, cumulative_pnl: 0 });
    expect(fund.paper_trades).toMatchObject({ trade_count: paper.length, wins: paper.filter(({ profit }) => profit > 0).length });
    expect(fund.paper_trades.cumulative_pnl).toBeCloseTo(
      paper.reduce((sum, { profit }) => sum + profit, 0),
      8,
    );
    expect(fund.paper_trades.avg_pnl_per_trade).toBeCloseTo(paper.reduce((sum, { profit }) => sum + profit, 0) / paper.length, 8);
    for (const [strategy, result] of Object.entries(fund.paper_trades.strategy_breakdown)) {
      const own = paper.filter((trade) => trade.strategy === strategy);
      expect(result).toMatchObject({
        trade_count: own.length,
        wins: own.filter(({ profit }) => profit > 0).length,
        losses: own.filter(({ profit }) => profit < 0).length,
      });
      expect(result.total_pnl).toBeCloseTo(
        own.reduce((sum, { profit }) => sum + profit, 0),
        8,
      );
    }
  });

  test('OP-73 allocation, leverage, margin mode and status are by strategy; mixed markets are called so', async () => {
    const before = await admin.fundOverview({});
    expect(before.leverage).toEqual({ 'RSI reversal': 7, 'MACD with trend filter': 6 });
    expect(before.margin_mode).toEqual({ 'RSI reversal': 'spot', 'MACD with trend filter': 'spot' });
    expect(before.bot_status).toEqual({ 'RSI reversal': 'active', 'MACD with trend filter': 'active' });
    await sql`update bots set market_type = 'futures' where id = ${bots[1]?.id}`.execute(db);
    await sql`update bots set status = 'paused' where strategy_id in (select id from strategies where name = 'RSI reversal')`.execute(db);
    const after = await admin.fundOverview({});
    expect(after.margin_mode).toEqual({ 'RSI reversal': 'spot', 'MACD with trend filter': 'mixed' });
    expect(after.bot_status).toEqual({ 'RSI reversal': 'paused', 'MACD with trend filter': 'active' });
    expect(Object.values(after.strategy_allocation).reduce((sum, value) => sum + value, 0)).toBeCloseTo(after.total_aum, 8);
  });

  test('OP-73 leverage, margin mode and status are those of all its bots, whatever they stake; a strategy without dollars is one of 0', async () => {
    const before = await admin.fundOverview({});
    const euro = sql`mode = 'live', exchange_id = 'binance', status = 'active', stake_currency = 'EUR', leverage = 10, market_type = 'futures'`;
    const { id } = await addBotOf(0, 'RsiReversal', 'RSI reversal', euro);
    const beside = await admin.fundOverview({});
    expect([beside.leverage, beside.margin_mode, beside.bot_status].map((each) => each['RSI reversal'])).toEqual([10, 'mixed', 'active']);
    expect([beside.strategy_allocation, beside.total_aum]).toEqual([before.strategy_allocation, before.total_aum]);
    const { strategyId, codeId } = await addTestRules(db, { ...emaCross, title: 'Euros only' }, traders[0]?.email);
    await sql`update bots set strategy_id = ${strategyId}, code_id = ${codeId} where id = ${id}`.execute(db);
    const { strategy_allocation: after, bot_status: status, leaves_out: leavesOut } = await admin.fundOverview({});
    expect([after['Euros only'], status['Euros only'], leavesOut]).toEqual([0, 'active', true]);
    await sql`delete from bots where id = ${id}`.execute(db);
    await sql`delete from strategies where id = ${strategyId}`.execute(db);
    bots.pop();
  });

  test('two strategies of one name stay two: rules say whose they are', async () => {
    const { strategyId, codeId } = await addTestRules(db, { ...emaCross, title: 'RSI reversal' }, traders[0]?.email);
    const { id } = await addBotOf(0, 'RsiReversal', 'RSI reversal', sql`mode = 'live', exchange_id = 'binance'`);
    const before = await admin.fundOverview({});
    await sql`update bots set strategy_id = ${strategyId}, code_id = ${codeId} where id = ${id}`.execute(db);
    const { strategy_allocation: after, total_aum } = await admin.fundOverview({});
    const name = `RSI reversal (${traders[0]?.email})`;
    expect(after[name]).toBe(300);
    expect((after['RSI reversal'] ?? 0) + 300).toBeCloseTo(before.strategy_allocation['RSI reversal'] ?? 0, 8);
    expect(total_aum).toBeCloseTo(before.total_aum, 8);
    await sql`delete from bots where id = ${id}`.execute(db);
    await sql`delete from strategies where id = ${strategyId}`.execute(db);
    bots.pop();
  });

  test('OP-70, OP-73 the paper trades of a bot that was given another currency still count, in that of before', async () => {
    const { paper_trades: before } = await admin.fundOverview({});
    const bot = await addBotOf(0, 'RsiReversal', 'RSI reversal', sql`mode = 'paper'`);
    await close(bot, 'paper', today, 12.3);
    await sql`delete from bot_figures where bot_id = ${bot.id}`.execute(db); // as the change of the currency does
    await sql`update bots set stake_currency = 'BTC' where id = ${bot.id}`.execute(db);
    await close(bot, 'paper', today, 0.5, { symbol: 'ETH/BTC' });
    const { paper_trades: after } = await admin.fundOverview({});
    expect([after.trade_count, after.wins]).toEqual([before.trade_count + 2, before.wins + 2]);
    expect(after.cumulative_pnl).toBeCloseTo(before.cumulative_pnl + 12.3, 8);
    await sql`delete from trades where bot_id = ${bot.id}`.execute(db);
    await sql`delete from bots where id = ${bot.id}`.execute(db);
    bots.pop();
    made.splice(-2);
  });

  describe('says that it leaves out amounts in other currencies, of those trades and of no others', () => {
    const removed = async (bot: (typeof bots)[number]) => {
      await sql`delete from trades where bot_id = ${bot.id}`.execute(db);
      await sql`delete from bots where id = ${bot.id}`.execute(db);
      bots.pop();
    };
    const marks = async () => {
      const { leaves_out: live, paper_trades: paper, testnet_trades: testnet } = await admin.fundOverview({});
      return { live, paper: paper.leaves_out, testnet: testnet.leaves_out };
    };
    const nothing = { live: false, paper: false, testnet: false };

    test.each(['live', 'paper', 'testnet'] as const)(
      'OP-70, OP-73, OP-74 in mode %s, of an archived bot that stakes dollars again',
      async (mode) => {
        expect(await marks()).toEqual(nothing);
        const bot = await addBotOf(0, 'RsiReversal', 'RSI reversal', sql`mode = 'paper', status = 'stopped', archived_at = now()`);
        await close(bot, mode, today - 40 * dayMs, -0.2, { symbol: 'ETH/BTC' });
        expect(await marks()).toEqual({ ...nothing, [mode]: true });
        const marked = async (query: { start?: string; end?: string }) =>
          (await admin.investorSummary({ query })).filter((row) => row.leaves_out === true).map((row) => [row.trader_id, row.mode]);
        const day = new Date(today - 40 * dayMs).toISOString().slice(0, 10);
        const dayAfter = new Date(today - 39 * dayMs).toISOString().slice(0, 10);
        expect(await marked({})).toEqual([[traders[0]?.userId, mode]]);
        expect(await marked({ end: day })).toEqual([[traders[0]?.userId, mode]]);
        expect(await marked({ start: dayAfter })).toEqual([]);
        await removed(bot);
        made.pop();
      },
    );

    test('OP-73 of a live bot that has not traded yet: what it holds is not money under management', async () => {
      const stopped = await addBotOf(0, 'RsiReversal', 'RSI reversal', sql`mode = 'live', status = 'stopped', stake_currency = 'BTC'`);
      expect(await marks()).toEqual(nothing);
      await removed(stopped);
      const bot = await addBotOf(0, 'RsiReversal', 'RSI reversal', sql`mode = 'live', exchange_id = 'binance', stake_currency = 'BTC'`);
      expect(await marks()).toEqual({ ...nothing, live: true });
      await removed(bot);
    });

    test('DATA-28 the average of a trade is that of the trades that were added', async () => {
      const bot = await addBotOf(0, 'RsiReversal', 'RSI reversal', sql`mode = 'paper'`);
      await sql`update trades set mode = 'testnet' where mode = 'paper'`.execute(db);
      await close(bot, 'paper', today, 12);
      await close(bot, 'paper', today, -4);
      for (const profit of [-0.2, 0.1, 0.3]) await close(bot, 'paper', today, profit, { symbol: 'ETH/BTC' });
      const { paper_trades: paper } = await admin.fundOverview({});
      expect(paper).toMatchObject({ trade_count: 5, cumulative_pnl: 8, avg_pnl_per_trade: 4, win_rate: 0.6, wins: 3, losses: 2 });
      await sql`delete from trades where bot_id = ${bot.id} and symbol = 'BTC/USDT'`.execute(db);
      expect((await admin.fundOverview({})).paper_trades).toMatchObject({ trade_count: 3, avg_pnl_per_trade: 0, leaves_out: true });
      await removed(bot);
      await sql`update trades set mode = 'paper' where mode = 'testnet'`.execute(db);
      made.splice(-5);
    });
  });

  test('OP-37, OP-73 paper, stopped and test network bots hold no money under management, nor do other currencies', async () => {
    const { total_aum: before } = await admin.fundOverview({});
    await addBotOf(0, 'RsiReversal', 'RSI reversal', sql`mode = 'paper', exchange_id = 'binance'`);
    await addBotOf(0, 'RsiReversal', 'RSI reversal', sql`mode = 'live', exchange_id = 'binance', status = 'stopped'`);
    await addBotOf(0, 'RsiReversal', 'RSI reversal', sql`mode = 'live', exchange_id = 'sandbox'`);
    await addBotOf(0, 'RsiReversal', 'RSI reversal', sql`mode = 'live', exchange_id = 'bybit_testnet'`);
    const inBitcoin = await addBotOf(0, 'RsiReversal', 'RSI reversal', sql`mode = 'live', exchange_id = 'binance', stake_currency = 'BTC'`);
    expect((await admin.fundOverview({})).total_aum).toBeCloseTo(before, 8);
    const rowsBefore = await admin.investorSummary({ query: { trader_id: traders[0]?.userId, mode: 'live' } });
    await close(inBitcoin, 'live', today, 5, { symbol: 'ETH/BTC' });
    const [row] = await admin.investorSummary({ query: { trader_id: traders[0]?.userId, mode: 'live' } });
    expect(row?.num_trades).toBe((rowsBefore[0]?.num_trades ?? 0) + 1);
    expect(row?.total_pnl).toBeCloseTo(rowsBefore[0]?.total_pnl ?? 0, 8);
    expect(row?.roi_percent).toBeCloseTo(rowsBefore[0]?.roi_percent ?? 0, 8);
  });
});
