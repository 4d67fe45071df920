import { noPython } from '#strategy-process/python/find-python.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import { Markets } from '#feeds/markets.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { Hindsight } from '#runner/hindsight/hindsight.ts';
import { backtestWorker } from '#runner/jobs/work-backtests.ts';
import { openJobs } from '#storage/backtests/jobs.ts';
import { sql } from 'kysely';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ampleDisk } from '../../../test/support/ample-disk.ts';
import { databaseUrl } from '../../../test/support/database-server.ts';
import { startMarket } from '../../../test/support/market.ts';
import { patientHindsight } from '../../../test/support/test-hindsight.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const market = await startMarket(1);
// The clock of the calculations stands still, so that two of them have the same 30 days.
const stoodStill = Date.now();
const now = (): number => stoodStill;
const server = await startTestServer({
  markets: market.connect(),
  jobs: async () => jobs,
  async askHindsight(question, signal) {
    const answer = hindsight.ask(question, signal);
    onAsked();
    return await answer;
  },
});
const { db } = server.dependencies;
const open = (over: object = {}): Hindsight =>
  new Hindsight({ db, markets: market.connect(), now, log: () => {}, ...patientHindsight, ...over });
let hindsight = open();
let onAsked: () => void = () => {}; // a question has been asked
const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
const onError = (error: Error): void => console.error(error);
const jobs = await openJobs(db, databaseUrl(inject('databaseServerUrl'), rows[0]?.name ?? ''), { isWorker: true, onError });
const cacheFolder = mkdtempSync(join(tmpdir(), 'flotilla-cache-'));

type Person = Awaited<ReturnType<typeof server.signedIn>>;
let trader: Person;
let other: Person;
let investor: Person;
let strategyId: string;

beforeAll(async () => {
  await enterBuiltInStrategies(db);
  [trader, other, investor] = await Promise.all([server.signedIn('trader'), server.signedIn('trader'), server.signedIn('investor')]);
  strategyId = (await trader.listStrategies({})).strategies.find(({ name }) => name === 'EMA cross')?.id ?? '';
  await jobs.workBacktests(
    backtestWorker({
      db,
      python: noPython,
      warmPythons: new WarmParents(wallsOfSystem()),
      markets: market.connect(),
      disk: ampleDisk,
      cacheFolder,
      now,
      log: () => {},
    }),
    {
      concurrency: 2,
    },
  );
});
afterAll(async () => {
  await hindsight.close();
  await jobs.close();
  rmSync(cacheFolder, { recursive: true, force: true });
});

const settings = () => ({
  strategy_id: strategyId,
  exchange_id: 'sandbox',
  margin_mode: 'spot' as 'spot' | 'futures',
  stake_currency: 'USDT',
  stake_amount: 100,
  max_open_trades: 1,
  leverage: 1,
  trading_pairs: ['BTC/USDT'],
  leverage_mode: 'isolated' as const,
});

async function figuresOf(changes: Partial<ReturnType<typeof settings>> = {}) {
  const { state, figures, why } = await trader.newBotHindsight({ body: { ...settings(), ...changes } });
  expect([state, why]).toEqual(['done', null]);
  return figures!;
}

async function makeBot(person: Person, changes: Partial<ReturnType<typeof settings>> = {}) {
  return person.createBot({ body: { ...settings(), ...changes, user_email: person.email, mode: 'paper' } });
}

/** The deepest fall below the highest balance so far, of trades in closing order. */
function deepestFall(start: number, trades: readonly { pnl: number }[]): number {
  let [balance, high, deepest] = [start, start, 0];
  for (const { pnl } of trades) {
    balance += pnl;
    high = Math.max(high, balance);
    deepest = Math.max(deepest, (high - balance) / high);
  }
  return deepest;
}

/** When so many trades in a row have lost, in closing order; null when they never have. */
function firstPause(trades: readonly { pnl: number; exit_timestamp: number }[], losses: number): number | null {
  const end = trades.findIndex((_, i) => i >= losses - 1 && trades.slice(i - losses + 1, i + 1).every(({ pnl }) => pnl < 0));
  return trades[end]?.exit_timestamp ?? null;
}

describe('what settings would have done', () => {
  test.each([
    ['spot', 'BTC/USDT', 100],
    ['futures', 'ETH/USDT:USDT', 250],
  ] as const)(
    'OP-63, OP-84 on %s is what a backtest of the same 30 days gives: the same trades, profit and fall',
    async (mode, pair, stake) => {
      const { id, metrics } = await trader.runBacktest({
        body: {
          strategy_id: strategyId,
          exchange: 'sandbox',
          symbol: pair,
          trading_mode: mode,
          timeframe: '5m',
          days: 30,
          stake_amount: stake,
          max_open_trades: 2,
        },
      });
      const details = (await trader.backtestResults({ query: { id } })).results[0]?.details;
      const figures = await figuresOf({ margin_mode: mode, trading_pairs: [pair], stake_amount: stake, max_open_trades: 2 });
      expect(metrics.total_trades).toBeGreaterThan(5);
      expect(figures).toMatchObject({
        timeframe: '5m',
        starting_balance: 2 * stake,
        trades: metrics.total_trades,
        profit: metrics.net_pnl,
        win_rate: metrics.win_rate,
        fee_ratio: details?.fee_ratio,
        from: details?.from,
        no_trades: null,
      });
      expect(figures.to - figures.from).toBe(30 * 86_400_000);
      expect(figures.profit_ratio).toBeCloseTo(metrics.net_pnl / (2 * stake), 12);
      expect(figures.paused_at).toBe(firstPause(details?.trades ?? [], 5));
      expect(figures.drawdown_ratio).toBeGreaterThan(0);
      expect(figures.drawdown_ratio).toBeCloseTo(deepestFall(2 * stake, details?.trades ?? []), 12);
      expect(figures.equity).toHaveLength(31);
      expect(figures.equity[0]).toEqual({ time: figures.from, value: 2 * stake });
      expect(figures.equity.at(-1)?.value).toBeCloseTo(2 * stake + metrics.net_pnl, 9);
    },
  );

  test('several pairs trade from one capital: with slots enough their figures add up', async () => {
    const slots = { max_open_trades: 3 };
    const btc = await figuresOf(slots);
    const eth = await figuresOf({ ...slots, trading_pairs: ['ETH/USDT'] });
    const both = await figuresOf({ ...slots, trading_pairs: ['BTC/USDT', 'ETH/USDT', 'BTC/USDT'] });
    expect(both.trades).toBe(btc.trades + eth.trades);
    expect(both.profit).toBeCloseTo(btc.profit + eth.profit, 9);
    const one = await figuresOf({ max_open_trades: 1, trading_pairs: ['BTC/USDT', 'ETH/USDT'] });
    expect(one.trades).toBeLessThan(both.trades);
  });

  test('of a bot the changes count over what is stored, and its own values over those of its strategy; nothing is saved', async () => {
    const bot = await makeBot(trader, { stake_amount: 50 });
    const ask = async (body: object) => (await trader.botHindsight({ params: { id: bot.id }, body })).figures;
    const asStored = await ask({});
    expect(asStored).toEqual(await figuresOf({ stake_amount: 50 }));
    expect(await ask({ stake_amount: 100, trading_pairs: ['ETH/USDT'] })).toEqual(await figuresOf({ trading_pairs: ['ETH/USDT'] }));
    await sql`update bots set own_settings = '{"stoploss": -0.002}' where id = ${bot.id}`.execute(db);
    const tight = await ask({});
    await sql`update bots set own_settings = own_settings || '{"maxConsecutiveLosses": 10}' where id = ${bot.id}`.execute(db);
    // OP-59 the limit of the bot itself counts; a later pause than with the strategy's 5, or none.
    expect((await ask({}))?.paused_at ?? Infinity).toBeGreaterThan(tight?.paused_at ?? Infinity);
    expect(tight?.trades).toBeGreaterThan(0);
    expect(tight?.profit).not.toBe(asStored?.profit);
    expect((await trader.getBot({ params: { id: bot.id } })).version).toBe(1);
  });

  test('OP-32, OP-63 own settings that are typed count, parameters and timeframe too, and given back they do not', async () => {
    const plain = await figuresOf();
    const own = async (own_settings: object) => (await trader.newBotHindsight({ body: { ...settings(), own_settings } })).figures;
    const [stop, parameters, timeframe, same] = [
      await own({ stoploss: -0.002 }),
      await own({ parameters: { fastPeriod: 5, slowPeriod: 60 } }),
      await own({ timeframe: '1h' }),
      await own({ parameters: { fastPeriod: 12 }, timeframe: '5m' }),
    ];
    expect(new Set([plain, stop, parameters, timeframe].map((figures) => figures?.profit)).size).toBe(4);
    expect(timeframe?.timeframe).toBe('1h');
    expect(same).toEqual(plain);
    const bot = await trader.createBot({
      body: { ...settings(), own_settings: { parameters: { fastPeriod: 5, slowPeriod: 60 } }, user_email: trader.email, mode: 'paper' },
    });
    const ask = async (own_settings?: object) =>
      (await trader.botHindsight({ params: { id: bot.id }, body: own_settings === undefined ? {} : { own_settings } })).figures;
    expect(await ask()).toEqual(parameters);
    expect(await ask({ parameters: null })).toEqual(plain);
  });

  test('the capital of a bot that has closed trades is what saving would make of it', async () => {
    const bot = await makeBot(trader, { stake_amount: 100, max_open_trades: 2 });
    const capital = async (body: object) => (await trader.botHindsight({ params: { id: bot.id }, body })).figures?.starting_balance;
    expect(await capital({ max_open_trades: 1 })).toBe(100);
    await sql`insert into bot_figures (bot_id, mode, trades, wins, losses, realized_pnl, fees, peak_balance, max_drawdown, max_drawdown_ratio)
      values (${bot.id}, 'paper', 3, 2, 1, 5, 0, 205, 0, 0)`.execute(db);
    for (const changes of [{ max_open_trades: 1 }, { stake_amount: 150 }]) {
      const asked = await capital(changes);
      const saved = await trader.updateBot({ params: { id: bot.id }, body: changes });
      expect(asked).toBe(saved.starting_balance);
    }
    expect((await trader.getBot({ params: { id: bot.id } })).starting_balance).toBe(200);
  });

  test('a strategy that gave no signal is said to have given none', async () => {
    const id = (await trader.listStrategies({})).strategies.find(({ strategy_class_name: name }) => name === 'AlwaysFlat')?.id ?? '';
    expect(await figuresOf({ strategy_id: id })).toMatchObject({
      trades: 0,
      profit: 0,
      win_rate: 0,
      no_trades: 'No trades: the strategy gave no signal to enter.',
    });
  });
});

describe('asking', () => {
  test('is not a backtest: nothing is kept, and it answers while a backtest of the same person is under way', async () => {
    const before = (await trader.backtestResults({ query: {} })).results.length;
    const [run, figures] = await Promise.all([
      trader.runBacktest({
        body: {
          strategy_id: strategyId,
          exchange: 'sandbox',
          symbol: 'SOL/USDT',
          trading_mode: 'spot',
          timeframe: '1m',
          days: 30,
          stake_amount: 10,
          max_open_trades: 1,
        },
      }),
      figuresOf(),
    ]);
    expect(figures.trades).toBeGreaterThan(0);
    expect(run.id).toBeTruthy();
    expect((await trader.backtestResults({ query: {} })).results).toHaveLength(before + 1);
    // A key of repeated calls is for calls that change something: here it keeps no answer.
    const keyed = async (stake: number) =>
      trader.newBotHindsight({ body: { ...settings(), stake_amount: stake } }, { headers: { 'idempotency-key': 'one-key' } });
    expect((await keyed(10)).figures?.starting_balance).toBe(10);
    expect((await keyed(20)).figures?.starting_balance).toBe(20);
  });

  test('the newest question of a person wins; that of another person is not touched', async () => {
    const body = (stake: number) => ({ body: { ...settings(), stake_amount: stake } });
    const ask = async <T>(answer: () => Promise<T>): Promise<{ answer: Promise<T> }> => {
      const asked = Promise.withResolvers<void>();
      onAsked = asked.resolve;
      const given = answer();
      await asked.promise;
      return { answer: given };
    };
    // The first waits for its candles: on a quick machine it would be answered before the second is asked.
    const [first, second] = await db.transaction().execute(async (trx) => {
      await sql`lock table candle_chunks`.execute(trx);
      return [await ask(() => failure(trader.newBotHindsight(body(10)))), await ask(() => trader.newBotHindsight(body(20)))] as const;
    });
    const [older, newest, another] = await Promise.all([first.answer, second.answer, other.newBotHindsight(body(30))]);
    expect([older.status, older.detail]).toEqual([409, 'A newer request has replaced this one']);
    expect([newest.figures?.starting_balance, another.figures?.starting_balance]).toEqual([20, 30]);
  });

  test('API-33, API-34 is refused as saving is', async () => {
    const bot = await makeBot(other);
    const refused = async (call: Promise<unknown>) => {
      const { status, detail } = await failure(call);
      return `${status} ${detail}`;
    };
    const asNew = (changes: object) => refused(trader.newBotHindsight({ body: { ...settings(), ...changes } }));
    expect(await asNew({ stake_amount: 0 })).toBe('400 Stake amount must be positive');
    expect(await asNew({ trading_pairs: [] })).toBe('400 At least one trading pair is required');
    expect(await asNew({ leverage: 126 })).toBe('400 Leverage must be between 1.0 and 125.0');
    expect(await asNew({ exchange_id: 'nowhere' })).toBe('404 Exchange not found');
    expect(await asNew({ trading_pairs: ['NONE/USDT'] })).toBe('400 Trading pair not offered by this exchange: NONE/USDT');
    expect(await asNew({ mode: 'paper' })).toBe('400 Invalid request');
    expect(await refused(investor.newBotHindsight({ body: settings() }))).toBe('403 Only admins and traders can create bots');
    const asChange = (person: Person, body: object) => refused(person.botHindsight({ params: { id: bot.id }, body }));
    expect(await asChange(trader, {})).toBe('403 You do not have access to this bot');
    expect(await asChange(other, { trading_pairs: ['NONE/USDT'] })).toBe('400 Trading pair not offered by this exchange: NONE/USDT');
    expect(await asChange(other, { strategy_id: strategyId })).toBe('400 Unknown field: strategy_id');
  });

  test('counts among the calls that read: more than 120 a minute are answered', async () => {
    const body = { ...settings(), stake_amount: 0 };
    const answers = await Promise.all(Array.from({ length: 130 }, () => failure(trader.newBotHindsight({ body }))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  });
});

describe('without figures', () => {
  test('while candles are on their way it says how many pairs have theirs, and the next questions find more', async () => {
    await hindsight.close();
    hindsight = open({ patienceMs: 0 });
    const body = { ...settings(), trading_pairs: ['XRP/USDT', 'ADA/USDT'] };
    expect(await trader.newBotHindsight({ body })).toEqual({
      state: 'downloading',
      why: 'The candles of 0 of 2 pairs are there.',
      figures: null,
    });
    // What is there is answered at once with any patience that lets the database be asked.
    hindsight = open({ patienceMs: 2_000 });
    await expect.poll(async () => (await trader.newBotHindsight({ body })).state).toBe('done');
  });

  test('an exchange that does not answer is named as the reason, and the next question asks it again', async () => {
    await hindsight.close();
    const none = new Markets([], () => Promise.reject(new Error('no connection')));
    hindsight = open({ markets: none });
    const body = { ...settings(), trading_pairs: ['LINK/USDT'] };
    expect(await trader.newBotHindsight({ body })).toEqual({
      state: 'unavailable',
      why: 'The exchange does not give the candles of the last 30 days.',
      figures: null,
    });
    hindsight = open();
    expect((await trader.newBotHindsight({ body })).state).toBe('done');
  });

  test('settings that contradict each other are refused in the words of the engine', async () => {
    const id =
      (await trader.listStrategies({})).strategies.find(({ strategy_class_name: name }) => name === 'SuperTrendFollower')?.id ?? '';
    await sql`update strategies set trailing_stop = true, trailing_stop_positive = 0.02, trailing_stop_positive_offset = 0.01 where id = ${id}`.execute(
      db,
    );
    const { state, why } = await trader.newBotHindsight({ body: { ...settings(), strategy_id: id } });
    expect([state, why]).toEqual(['unavailable', 'The trailing offset (0.01) must be above the positive trailing stop (0.02).']);
  });

  test('more pairs than can be calculated while one types are not begun', async () => {
    await sql`update strategies set default_timeframe = '1m' where id = ${strategyId}`.execute(db);
    const { trading_pairs: pairs } = await trader.tradingPairs({
      params: { exchange: 'sandbox' },
      query: { market_type: 'spot', stake_currency: 'USDT' },
    });
    const answer = await trader.newBotHindsight({ body: { ...settings(), trading_pairs: pairs } });
    expect(pairs.length).toBeGreaterThan(22);
    expect(answer.why).toBe(`At 1m it is calculated for up to 22 pairs, and these are ${pairs.length}.`);
  });
});
