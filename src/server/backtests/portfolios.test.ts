import { noPython } from '#strategy-process/python/find-python.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { CallInput } from '#contract/client.ts';
import { detailsWereRemoved } from '#contract/backtests.ts';
import { removeDetailsOf } from '#storage/testing/a-backtest.ts';
import { portfolioTexts } from '#contract/portfolios.ts';
import { dayMs } from '#engine/market/durations.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { backtestWorker } from '#runner/jobs/work-backtests.ts';
import { openJobs } from '#storage/backtests/jobs.ts';
import { ampleDisk } from '../../../test/support/ample-disk.ts';
import { databaseUrl } from '../../../test/support/database-server.ts';
import { startMarket } from '../../../test/support/market.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect(), jobs: async () => jobs });
const { db } = server.dependencies;
const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
const jobs = await openJobs(db, databaseUrl(inject('databaseServerUrl'), rows[0]?.name ?? ''), { isWorker: true, onError: console.error });
const cacheFolder = mkdtempSync(join(tmpdir(), 'flotilla-cache-'));

type Person = Awaited<ReturnType<typeof server.signedIn>>;
type Plan = CallInput<'startPortfolio'>['body']['plan'];
let trader: Person;
let other: Person;
let admin: Person;
let strategyId: string;

beforeAll(async () => {
  await enterBuiltInStrategies(db);
  [trader, other, admin] = await Promise.all([server.signedIn('trader'), server.signedIn('trader'), server.signedIn('admin')]);
  strategyId = (await trader.listStrategies({})).strategies.find(({ name }) => name === 'EMA cross')?.id ?? '';
  const handler = backtestWorker({
    db,
    python: noPython,
    warmPythons: new WarmParents(wallsOfSystem()),
    markets: market.connect(),
    disk: ampleDisk,
    cacheFolder,
    now: Date.now,
    log: () => {},
  });
  await jobs.workBacktests(handler, { concurrency: 1 });
});
afterAll(async () => {
  await jobs.close();
  rmSync(cacheFolder, { recursive: true, force: true });
});

const today = Date.now(); // one day for all, also where midnight passes meanwhile
const dayBefore = (days: number): string => new Date(today - days * dayMs).toISOString().slice(0, 10);

const plan = (): Plan => ({
  exchange: 'Sandbox',
  trading_mode: 'spot',
  pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
  from: dayBefore(25),
  to: dayBefore(5),
  timeframe: '1h',
  detail_timeframe: null,
  max_open_trades: 2,
  starting_balance: 1_000,
  stake_amount: null,
  leverage: 1,
  fee_ratio: 0.001,
  slippage_ratio: 0.0005,
  protections: [],
});

async function ran(person: Person, given: Partial<Plan> = {}) {
  const { id } = await person.startPortfolio({ body: { strategy_id: strategyId, plan: { ...plan(), ...given } } });
  await expect.poll(async () => (await person.portfolio({ params: { id } })).run.status).toMatch(/done|failed/u);
  return person.portfolio({ params: { id } });
}

const refusal = async (person: Person, given: Partial<Plan>): Promise<string> => {
  return (await failure(person.startPortfolio({ body: { strategy_id: strategyId, plan: { ...plan(), ...given } } }))).message; // status and text
};

describe('a backtest over several pairs', () => {
  test('runs any pairs over any range of days, with its own stake, costs and slots, and is listed apart from others', async () => {
    const { run, details } = await ran(trader);
    expect([run.status, run.error]).toEqual(['done', null]);
    expect(run).toMatchObject({
      strategy_name: 'EMA cross',
      exchange_name: 'Sandbox',
      plan: plan(),
      tries: 1,
      is_own: true,
      bot: null,
      code_version: null,
    });
    expect(details?.pairs.map(({ key }) => key).toSorted()).toEqual(plan().pairs.toSorted());
    expect(details?.total.trades).toBeGreaterThan(5);
    expect(details?.total.trades).toBe(run.metrics?.total_trades);
    expect(details?.days).toHaveLength(21);
    expect(details?.from).toBe(Date.parse(plan().from));
    expect(details?.to).toBe(Date.parse(plan().to) + dayMs);
    expect(details?.candles).toBe(3 * 21 * 24);
    expect(details?.slippage).toBeCloseTo((details?.fees ?? 0) / 2, 9);
    expect(Math.max(...(details?.trades ?? []).map(({ stake }) => stake))).toBeLessThan(600);
    expect((await trader.listPortfolios({})).runs.map(({ id }) => id)).toEqual([run.id]);
    expect((await trader.backtestResults({ query: {} })).results).toEqual([]);
    expect((await trader.strategyDetails({ params: { id: strategyId } })).last_backtest).toBeNull();
  });

  test('the same plan comes to the same trades; a detail timeframe, a protection or another fee to others', async () => {
    const [one, again, dear, guarded, finer] = [
      await ran(trader),
      await ran(trader),
      await ran(trader, { fee_ratio: 0.01 }),
      await ran(trader, { protections: [{ kind: 'cooldown', stopMinutes: 24 * 60 }] }),
      await ran(trader, { detail_timeframe: '15m' }),
    ].map(({ details }) => details);
    expect(again?.fingerprint).toBe(one?.fingerprint);
    expect(dear?.fees).toBeGreaterThan((one?.fees ?? 0) * 5);
    expect(guarded?.entries?.refused.find(({ gate }) => gate === 'locked')?.count).toBeGreaterThan(0);
    expect(guarded?.refused.filter(({ gate }) => gate === 'locked').length).toBeGreaterThan(0);
    for (const each of [dear, guarded, finer]) expect(each?.fingerprint).not.toBe(one?.fingerprint);
    const tries = (await trader.listPortfolios({})).runs.map((run) => run.tries);
    expect(tries).toEqual([...tries.keys()].map((i) => tries.length - i)); // the newest has most
  });

  test('perpetuals with leverage pay funding', async () => {
    const { details } = await ran(trader, {
      trading_mode: 'futures',
      pairs: ['BTC/USDT:USDT', 'ETH/USDT:USDT'],
      leverage: 3,
      fee_ratio: null,
      slippage_ratio: 0,
      stake_amount: 100,
    });
    expect(details?.trades.every(({ leverage }) => leverage === 3)).toBe(true);
    expect(details?.funding).not.toBeNull();
    expect(details?.slippage).toBe(0);
    expect(details?.fees).toBeGreaterThan(0);
  });

  test('with the settings of a bot it runs with those, and names it', async () => {
    const bot = await addTestBot(db, {
      strategy: 'EmaCross',
      nickname: 'Tight',
      owner: trader.email,
      timeframe: '1h',
      stoploss: -0.004,
      symbols: ['BTC/USDT'],
    });
    const start = (person: Person) => person.startPortfolio({ body: { strategy_id: strategyId, bot_id: bot, plan: plan() } });
    expect(await failure(start(other))).toMatchObject({ status: 403 });
    const { id } = await start(trader);
    await expect.poll(async () => (await trader.portfolio({ params: { id } })).run.status).toBe('done');
    const { run, details } = await trader.portfolio({ params: { id } });
    expect(run.bot).toMatchObject({ id: bot, nickname: 'Tight', stoploss: -0.004 });
    expect(details?.exit_reasons.some(({ key }) => key === 'stop_loss')).toBe(true);
  });

  test('with the settings of a bot with cross margin the whole account carries a position', async () => {
    const strategy = (await trader.listStrategies({})).strategies.find(({ name }) => name === 'Buy and hold')?.id ?? '';
    const pairs = ['BTC/USDT:USDT', 'ETH/USDT:USDT'];
    const reasons = async (leverage_mode: 'isolated' | 'cross'): Promise<string[]> => {
      const bot = await trader.createBot({
        body: {
          strategy_id: strategy,
          exchange_id: 'sandbox',
          margin_mode: 'futures',
          stake_currency: 'USDT',
          stake_amount: 10,
          max_open_trades: 2,
          leverage: 50,
          leverage_mode,
          trading_pairs: pairs,
          user_email: trader.email,
          mode: 'paper',
          own_settings: { minimal_roi: { 0: 0.5 } }, // it leaves and enters again, so that it falls below an entry in any market
        },
      });
      const ofPerpetuals = { ...plan(), trading_mode: 'futures' as const, pairs, leverage: 50, stake_amount: 10 };
      const { id } = await trader.startPortfolio({ body: { strategy_id: strategy, bot_id: bot.id, plan: ofPerpetuals } });
      await expect.poll(async () => (await trader.portfolio({ params: { id } })).run.status).toBe('done');
      return (await trader.portfolio({ params: { id } })).details?.exit_reasons.map(({ key }) => key) ?? [];
    };
    expect(await reasons('isolated')).toContain('liquidation');
    const crossed = await reasons('cross');
    expect(crossed.length).toBeGreaterThan(0);
    expect(crossed).not.toContain('liquidation');
  });

  test('others see nothing of it, admins all; one runs at a time, and it can be cancelled', async () => {
    const long = { from: dayBefore(300), timeframe: '5m' as const, pairs: ['XRP/USDT', 'BTC/USDT', 'ETH/USDT', 'SOL/USDT'] };
    const { id } = await trader.startPortfolio({ body: { strategy_id: strategyId, plan: { ...plan(), ...long } } });
    expect(await refusal(trader, {})).toBe('409 A backtest is already running');
    expect(await failure(other.portfolio({ params: { id } }))).toMatchObject({ status: 404 });
    expect((await other.listPortfolios({})).runs).toEqual([]);
    expect((await admin.portfolio({ params: { id } })).run).toMatchObject({ is_own: false });
    expect(await failure(other.cancelBacktest({ params: { id } }))).toMatchObject({ status: 404 });
    await trader.cancelBacktest({ params: { id } });
    expect(await db.selectFrom('auditLog').select('id').where('target', '=', id).execute()).toEqual([]); // it was their own
    expect((await trader.portfolio({ params: { id } })).run).toMatchObject({
      status: 'failed',
      is_cancelled: true,
      error: 'The backtest was cancelled',
    });
  });

  test.each<[string, Partial<Plan>]>([
    [`400 ${portfolioTexts.pairs}`, { pairs: [] }],
    [`400 ${portfolioTexts.pairs}`, { pairs: ['BTC/USDT', 'BTC/USDT'] }],
    [`400 ${portfolioTexts.pairs}`, { pairs: Array.from({ length: 61 }, (_, i) => `C${i}/USDT`) }],
    ['404 Trading pair not found', { pairs: ['BTC/USDT', 'NONE/USDT'] }],
    [`400 ${portfolioTexts.quotes}`, { pairs: ['BTC/USDT', 'BTC/USDC'] }],
    [`400 ${portfolioTexts.quotes}`, { trading_mode: 'futures', pairs: ['BTC/USDT:USDT', 'ETH/USDT:USDT', 'BTC/USDC:USDC'] }],
    [`400 ${portfolioTexts.range}`, { from: dayBefore(5), to: dayBefore(6) }],
    [`400 ${portfolioTexts.range}`, { to: dayBefore(-2) }],
    [`400 ${portfolioTexts.tooLong}`, { from: '2015-01-01' }],
    ['400 Invalid date', { from: '2026-02-30' }],
    [
      `400 ${portfolioTexts.tooMuch}`,
      { from: dayBefore(1_000), timeframe: '1m', pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'XRP/USDT', 'BNB/USDT', 'DOGE/USDT'] },
    ],
    [`400 ${portfolioTexts.detail}`, { detail_timeframe: '1h' }],
    [`400 ${portfolioTexts.detail}`, { detail_timeframe: '4h' }],
    [`400 ${portfolioTexts.detail}`, { timeframe: '5m', detail_timeframe: '3m' }],
    [`400 ${portfolioTexts.slots}`, { max_open_trades: 0 }],
    [`400 ${portfolioTexts.stake}`, { stake_amount: 0 }],
    [`400 ${portfolioTexts.stakeAboveBalance}`, { stake_amount: 1_000.01 }],
    [`400 ${portfolioTexts.balance}`, { starting_balance: -1 }],
    [`400 ${portfolioTexts.fee}`, { fee_ratio: 0.051 }],
    [`400 ${portfolioTexts.slippage}`, { slippage_ratio: -0.001 }],
    [`400 ${portfolioTexts.leverage}`, { leverage: 0.5 }],
    ['404 Exchange not found', { exchange: 'nowhere' }],
  ])('%s', async (sentence, given) => {
    expect(await refusal(other, given)).toBe(sentence);
  });

  test('two starts at once make one run', async () => {
    const start = () => other.startPortfolio({ body: { strategy_id: strategyId, plan: plan() } });
    const outcomes = await Promise.allSettled([start(), start(), start()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await other.listPortfolios({})).runs).toHaveLength(1);
  });

  test('of an old run whose details were removed the figures and the tries stay, alone and in the list', async () => {
    const { run } = await ran(admin);
    await removeDetailsOf(db, run.id);
    const shown = {
      status: 'done',
      error: null,
      metrics: run.metrics,
      equity: null,
      details_removed_at: '2026-11-01T12:00:00.000Z',
      plan: run.plan,
      tries: run.tries,
    };
    expect((await admin.listPortfolios({})).runs.find(({ id }) => id === run.id)).toMatchObject(shown);
    expect(await admin.portfolio({ params: { id: run.id } })).toMatchObject({ run: shown, details: null });
    expect(await failure(admin.whatIf({ query: { run: run.id } }))).toMatchObject({ message: `409 ${detailsWereRemoved}` });
    expect((await ran(admin)).run.tries).toBe(run.tries + 1);
  });

  test('a run that another version has kept is a sentence, and no list breaks over it', async () => {
    const { run } = await ran(admin);
    await sql`update backtests set result = '{"version": 99}' where id = ${run.id}`.execute(db);
    expect(await admin.portfolio({ params: { id: run.id } })).toMatchObject({
      details: null,
      run: { status: 'failed', error: expect.stringContaining('another version') },
    });
    await sql`update backtests set plan = '{"pairs": 7}' where id = ${run.id}`.execute(db);
    expect((await admin.listPortfolios({})).runs.some(({ id }) => id === run.id)).toBe(false);
    expect(await failure(admin.portfolio({ params: { id: run.id } }))).toMatchObject({ status: 404 });
  });
});
