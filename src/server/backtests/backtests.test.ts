import { noPython } from '#strategy-process/python/find-python.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import { backtestWorker } from '#runner/jobs/work-backtests.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { openJobs } from '#storage/backtests/jobs.ts';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { detailsWereRemoved, noRoomForCandles } from '#contract/backtests.ts';
import { removeDetailsOf } from '#storage/testing/a-backtest.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ampleDisk } from '../../../test/support/ample-disk.ts';
import { startMarket } from '../../../test/support/market.ts';
import { databaseUrl } from '../../../test/support/database-server.ts';
import { failure, origin, startTestServer } from '../../../test/support/test-server.ts';

const market = await startMarket(1);
const server = await startTestServer({
  markets: market.connect(),
  jobs: async () => jobs,
});
const { db } = server.dependencies;
const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
const url = databaseUrl(inject('databaseServerUrl'), rows[0]?.name ?? '');
const onError = (error: Error): void => console.error(error);
const jobs = await openJobs(db, url, { isWorker: true, onError });
const cacheFolder = mkdtempSync(join(tmpdir(), 'flotilla-cache-'));
const worked: string[] = [];
let free = Infinity; // bytes on the disk

type Person = Awaited<ReturnType<typeof server.signedIn>>;
let trader: Person;
let other: Person;
let admin: Person;
let strategyId: string;

const stoodStill = Date.now(); // so that no candle closes between two runs that are compared

beforeAll(async () => {
  await enterBuiltInStrategies(db);
  [trader, other, admin] = await Promise.all([server.signedIn('trader'), server.signedIn('investor'), server.signedIn('admin')]);
  strategyId = (await trader.listStrategies({})).strategies.find(({ name }) => name === 'EMA cross')?.id ?? '';
  const handler = backtestWorker({
    db,
    python: noPython,
    warmPythons: new WarmParents(wallsOfSystem()),
    markets: market.connect(),
    disk: { ...ampleDisk, freeBytes: async () => free },
    cacheFolder,
    now: () => stoodStill,
    log: () => {},
  });
  await jobs.workBacktests(
    (run, work) => {
      worked.push(run.id);
      return handler(run, work);
    },
    { concurrency: 2 },
  );
});
afterAll(async () => {
  await jobs.close();
  rmSync(cacheFolder, { recursive: true, force: true });
});

const settings = {
  exchange: 'Sandbox',
  symbol: 'BTC/USDT',
  trading_mode: 'spot',
  timeframe: '15m',
  stake_amount: 1000,
  max_open_trades: 1,
  days: 30,
} as const;

describe('a backtest', () => {
  test('API-43, OP-60, OP-63, DATA-29 answers metrics and equity when it is done', async () => {
    const reply = await trader.runBacktest({ body: { strategy_id: strategyId, strategy_name: 'EMA cross', ...settings } });
    expect(reply.metrics.total_trades).toBeGreaterThan(5);
    expect(reply.equity[0]?.value).toBe(1000);
    expect(reply.equity.at(-1)?.value).toBeCloseTo(1000 + reply.metrics.net_pnl, 6);
    const { results } = await trader.backtestResults({ query: {} });
    expect(results[0]).toMatchObject({
      id: reply.id,
      status: 'done',
      exchange: 'Sandbox',
      symbol: 'BTC/USDT',
      days: 30,
      progress: 1,
      metrics: reply.metrics,
      error: null,
    });
    expect(results[0]).not.toHaveProperty('details');
  });

  test('API-44, BT-15 asked for by id it is there in full: trades, drawdown, candles, both sets of metrics', async () => {
    const [run] = (await trader.backtestResults({ query: {} })).results;
    const { results } = await trader.backtestResults({ query: { id: run?.id } });
    const details = results[0]?.details;
    expect(details?.trades).toHaveLength(run?.metrics?.total_trades ?? -1);
    expect(details?.trades.reduce((sum, trade) => sum + trade.pnl, 0)).toBeCloseTo(run?.metrics?.net_pnl ?? 0, 6);
    expect(details?.metric_sets.map(({ name }) => name)).toEqual(['per trade, freqtrade', 'daily equity']);
    expect(details?.candles.length).toBeGreaterThan(2_000);
    expect(details?.candles.length).toBeLessThanOrEqual(3_000);
    expect(Math.max(...(details?.drawdown.map(({ value }) => value) ?? []))).toBe(0);
    const largest = details?.metric_sets[0]?.metrics.find(({ name }) => name === 'Max drawdown')?.value;
    expect(-Math.min(...(details?.drawdown.map(({ value }) => value) ?? []))).toBeCloseTo(largest ?? -1, 6);
    expect(details?.exit_reasons.reduce((sum, { trades }) => sum + trades, 0)).toBe(run?.metrics?.total_trades);
  });

  test('API-42 of one strategy gives the same, from candles that are stored already', async () => {
    const [first] = (await trader.backtestResults({ query: {} })).results;
    const reply = await trader.backtestStrategy({ params: { id: strategyId }, body: settings });
    expect(reply.metrics).toEqual(first?.metrics);
  });

  test('OP-01 everybody sees the own runs, admins all', async () => {
    const reply = await other.runBacktest({
      body: { strategy_id: strategyId, ...settings, days: 7, trading_mode: 'futures', symbol: 'ETH/USDT:USDT' },
    });
    expect((await other.backtestResults({ query: {} })).results.map(({ id }) => id)).toEqual([reply.id]);
    expect((await trader.backtestResults({ query: { id: reply.id } })).results).toEqual([]);
    expect((await admin.backtestResults({ query: {} })).results.length).toBeGreaterThanOrEqual(3);
  });

  test('BT-21, BT-23, OP-83 of a perpetual every trade pays its funding and the fee of its market, as a paper bot does; a second run downloads none of it again', async () => {
    const perpetual = 'BTC/USDT:USDT';
    const body = { strategy_id: strategyId, ...settings, trading_mode: 'futures', symbol: perpetual } as const;
    const reply = await admin.runBacktest({ body });
    const details = (await admin.backtestResults({ query: { id: reply.id } })).results[0]?.details;
    const trades = details?.trades ?? [];
    expect(trades.length).toBeGreaterThan(3);
    const exchange = await market.connect().market('sandbox', 'futures');
    const events = await exchange.funding(perpetual, (trades[0]?.timestamp ?? 0) - 1, Date.now());
    const { takerFee } = (await exchange.instrument(perpetual))!;
    expect(takerFee).not.toBe(0.001); // that of spot: here the two differ
    let all = 0;
    let net = 0;
    for (const { timestamp, exit_timestamp, direction, entry_price, exit_price, amount, pnl } of trades) {
      const side = direction === 'long' ? 1 : -1;
      const held = events.filter(({ time }) => time >= timestamp && time <= exit_timestamp);
      const funding = -side * held.reduce((sum, { rate, mark }) => sum + rate * mark * amount, 0);
      const fees = takerFee * amount * (entry_price + exit_price);
      expect(pnl).toBeCloseTo(side * amount * (exit_price - entry_price) - fees + funding, 4);
      all += Math.abs(funding);
      net += funding;
    }
    const funding = details?.metric_sets[0]?.metrics.find(({ name }) => name === 'Funding');
    expect(funding?.value).toBeCloseTo(net, 6);
    expect(all).toBeGreaterThan(0.1);

    const remove = market.sandbox.faults.add({ fault: { kind: 'reset' }, path: /markPriceKlines/u });
    const again = await admin.runBacktest({ body });
    expect(again.metrics).toEqual(reply.metrics);
    const refused = await failure(admin.runBacktest({ body: { ...body, symbol: 'ADA/USDT:USDT' } }));
    remove();
    expect(refused.message).toBe('502 Failed to download historical data');
  });

  test('a result that another version has kept is listed with a sentence, alone and in the list, and is not a 500', async () => {
    const reply = await trader.runBacktest({ body: { strategy_id: strategyId, ...settings, days: 7 } });
    const shown = async () => [
      (await trader.backtestResults({ query: {} })).results.find(({ id }) => id === reply.id),
      (await trader.backtestResults({ query: { id: reply.id } })).results[0],
    ];
    expect(await shown()).toMatchObject([{ status: 'done' }, { status: 'done', details: { mode: expect.any(String) } }]);
    const sentence = 'This result was kept by another version of Flotilla and cannot be shown. Run the backtest again.';
    const kept = await db.selectFrom('backtests').select(['metrics', 'result']).where('id', '=', reply.id).executeTakeFirstOrThrow();
    expect(kept.result).toMatchObject({ version: 1 });
    await sql`update backtests set result = result - 'trades' where id = ${reply.id}`.execute(db);
    expect(await shown()).toMatchObject([{ status: 'done' }, { status: 'failed', error: sentence, details: null }]);
    await sql`update backtests set metrics = '{"totalTrades": 1}' where id = ${reply.id}`.execute(db);
    expect(await shown()).toMatchObject([
      { status: 'failed', error: sentence, metrics: null, equity: null },
      { status: 'failed', error: sentence, details: null },
    ]);
  });

  test('API-44 of an old run whose details were removed the figures stay, alone and in the list; what needs the rest says why it is not to be had', async () => {
    const reply = await trader.runBacktest({ body: { strategy_id: strategyId, ...settings, days: 7 } });
    await removeDetailsOf(db, reply.id);
    const shown = {
      status: 'done',
      error: null,
      metrics: reply.metrics,
      equity: null,
      details_removed_at: '2026-11-01T12:00:00.000Z',
      symbol: 'BTC/USDT',
      days: 7,
    };
    expect((await trader.backtestResults({ query: {} })).results.find(({ id }) => id === reply.id)).toMatchObject(shown);
    expect((await trader.backtestResults({ query: { id: reply.id } })).results).toMatchObject([{ ...shown, details: null }]);
    expect(await failure(trader.whatIf({ query: { run: reply.id } }))).toMatchObject({ message: `409 ${detailsWereRemoved}` });
    expect(await failure(trader.whatIfAnswer({ body: { run: reply.id, changes: {} } }))).toMatchObject({ status: 409 });
    expect(await failure(trader.cancelBacktest({ params: { id: reply.id } }))).toMatchObject({ status: 409 });
    // The same settings can be run again, with all details.
    const again = await trader.runBacktest({ body: { strategy_id: strategyId, ...settings, days: 7 } });
    expect(again.id).not.toBe(reply.id);
    expect((await trader.backtestResults({ query: { id: again.id } })).results[0]).toMatchObject({
      details_removed_at: null,
      details: { trades: expect.any(Array) },
    });
  });

  test('a run that could not be committed leaves no job behind', async () => {
    const jobsNow = async () => (await sql<{ id: string }>`select id from pgboss.job order by id`.execute(db)).rows.map(({ id }) => id);
    const before = await jobsNow();
    await sql`create function refuse_commit() returns trigger language plpgsql as 'begin raise exception ''no room''; end'`.execute(db);
    await sql`create constraint trigger refuse_commit after insert on backtests deferrable initially deferred
      for each row execute function refuse_commit()`.execute(db);
    try {
      expect((await failure(other.runBacktest({ body: { strategy_id: strategyId, ...settings } }))).status).toBe(500);
      expect(await jobsNow()).toEqual(before);
    } finally {
      await sql`drop function refuse_commit() cascade`.execute(db);
    }
  });

  test('OP-60, OP-82 one at a time: the same one again waits for the first, another one is refused', async () => {
    const long = { strategy_id: strategyId, ...settings, symbol: 'SOL/USDT', timeframe: '5m', days: 180 } as const;
    const before = worked.length;
    const first = trader.runBacktest({ body: long });
    const isEntered = async () => (await trader.backtestResults({ query: {} })).results.some(({ symbol }) => symbol === long.symbol);
    await expect.poll(isEntered).toBe(true);
    const [one, two, refused] = await Promise.all([
      first,
      trader.runBacktest({ body: long }),
      failure(trader.runBacktest({ body: { ...long, days: 7 } })),
    ]);
    expect(two.id).toBe(one.id);
    expect(worked.length).toBe(before + 1);
    expect(refused.message).toBe('409 A backtest is already running');
  });

  test('OP-60, OP-82 a call that breaks off keeps no answer under its key: made again it waits for the same run', async () => {
    const body = { strategy_id: strategyId, ...settings, symbol: 'ETH/USDT', timeframe: '5m', days: 180 } as const;
    const before = worked.length;
    const headers = { 'idempotency-key': 'broken off' };
    const kept = () => db.selectFrom('idempotencyKeys').select('status').where('call', 'like', '%/api/backtest/run').execute();
    await sql`delete from idempotency_keys`.execute(db);
    const run = async () => (await trader.backtestResults({ query: {} })).results.find(({ symbol }) => symbol === body.symbol);
    const address = await server.app.listen({ host: '127.0.0.1', port: 0 });
    const cookie = [...trader.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const call = request(`${address}/api/backtest/run`, {
      method: 'POST',
      headers: { ...headers, host: 'localhost:3000', origin, cookie, 'content-type': 'application/json' },
    });
    const hungUp = once(call, 'error');
    call.end(JSON.stringify(body));
    await expect.poll(run).toMatchObject({ status: expect.stringMatching(/^(downloading|running)$/u) });
    expect(await kept()).toEqual([{ status: null }]);
    call.destroy(new Error('hung up'));
    await hungUp;
    const again = await trader.runBacktest({ body }, { headers });
    expect(again.id).toBe((await run())?.id);
    expect([worked.length, await kept()]).toEqual([before + 1, [{ status: 200 }]]);
  });

  test('a run that is under way is cancelled by its owner or an admin; it ends at once and is listed as cancelled', async () => {
    const body = { strategy_id: strategyId, ...settings, symbol: 'DOGE/USDT', timeframe: '1m', days: 180 } as const;
    const call = failure(trader.runBacktest({ body }));
    const underWay = async () => (await trader.backtestResults({ query: {} })).results.find(({ symbol }) => symbol === body.symbol);
    await expect.poll(async () => (await underWay())?.step).toMatch(/^Downloading candles \d{4}-\d{2} \(\d+ of 180 days\)$/u);
    const { id = '' } = (await underWay()) ?? {};
    expect((await failure(other.cancelBacktest({ params: { id } }))).message).toBe('404 Backtest not found');
    expect(await admin.cancelBacktest({ params: { id } })).toEqual({ id });
    const lines = await db.selectFrom('auditLog').selectAll().where('target', '=', id).execute();
    expect(lines).toMatchObject([{ action: 'cancel-backtest', actorRole: 'admin', result: 'ok', detail: { strategy: 'EMA cross' } }]);
    expect((await call).message).toBe('409 The backtest was cancelled');
    expect(await underWay()).toMatchObject({
      status: 'failed',
      is_cancelled: true,
      error: 'The backtest was cancelled',
      step: '',
      seconds_left: null,
      metrics: null,
    });
    expect((await failure(trader.cancelBacktest({ params: { id } }))).message).toBe('409 The backtest has already ended');
    expect((await failure(admin.cancelBacktest({ params: { id } }))).message).toBe('409 The backtest has already ended');
    expect(await db.selectFrom('auditLog').select('id').where('target', '=', id).execute()).toHaveLength(1);
    // The worker is free for the next one, and what was downloaded is kept.
    expect((await trader.runBacktest({ body: { ...body, timeframe: '15m', days: 7 } })).metrics.total_trades).toBeGreaterThanOrEqual(0);
  });

  test('every signal is entered or refused by a named gate; a stake below the minimum is said to be one', async () => {
    const [run] = (await trader.backtestResults({ query: {} })).results.filter(({ days }) => days === 30);
    const details = (await trader.backtestResults({ query: { id: run?.id } })).results[0]?.details;
    const refused = details?.entries?.refused.reduce((sum, { count }) => sum + count, 0) ?? -1;
    expect(details?.entries?.signals).toBe((details?.entries?.entered ?? -1) + refused);
    expect(details?.entries).toMatchObject({ entered: details?.trades.length, unfilled: 0, no_trades: null, stopped: null });
    expect(details?.fee_ratio).toBe(0.001);
    // Buying and holding ends where the market change says.
    expect((details?.hold.at(-1)?.value ?? 0) / (details?.hold[0]?.value ?? 1) - 1).toBeCloseTo(details?.market_change ?? 9, 9);
    expect(details?.hold[0]?.time).toBe(details?.from);

    const small = await trader.runBacktest({ body: { strategy_id: strategyId, ...settings, stake_amount: 2 } });
    expect(small.metrics.total_trades).toBe(0);
    const found = (await trader.backtestResults({ query: { id: small.id } })).results[0]?.details?.entries;
    expect(found?.no_trades).toMatch(/^No trades: \d+ signals.+the stake of 2\.00 USDT is below the market's minimum of \d+\.\d\d USDT/u);
    expect(found?.refused.map(({ gate }) => gate)).toContain('stake-too-small');
  });

  test('API-43 each wrong input answers with its text', async () => {
    const refused = async (changes: Record<string, unknown>) =>
      (await failure(trader.runBacktest({ body: { strategy_id: strategyId, ...settings, ...changes } }))).message;
    expect(await refused({ strategy_id: '' })).toBe('400 Strategy is required');
    expect(await refused({ exchange: '' })).toBe('400 Exchange is required');
    expect(await refused({ symbol: '' })).toBe('400 Symbol is required');
    expect(await refused({ trading_mode: 'margin' })).toBe('400 Trading mode must be spot or futures');
    expect(await refused({ timeframe: '3m' })).toBe('400 Invalid timeframe');
    expect(await refused({ days: 31 })).toBe('400 Invalid data period');
    expect(await refused({ stake_amount: 0 })).toBe('400 Stake amount must be positive');
    expect(await refused({ stake_amount: 'much' })).toBe('400 Invalid request');
    expect(await refused({ max_open_trades: 51 })).toBe('400 Max open trades must be between 1 and 50');
    expect(await refused({ strategy_id: '00000000-0000-4000-8000-00000000dead' })).toBe('404 Strategy not found');
    expect(await refused({ exchange: 'Nowhere' })).toBe('404 Exchange not found');
    expect(await refused({ symbol: 'NOSUCH/USDT' })).toBe('404 Trading pair not found');
    expect((await failure(server.browser().backtestResults({ query: {} }))).message).toBe('401 Not authenticated');
  });

  test('API-43 an exchange that cannot be reached fails the download in the written words and leaves nothing under way', async () => {
    const remove = market.sandbox.faults.add({ fault: { kind: 'reset' }, path: /klines/u });
    const refused = await failure(other.runBacktest({ body: { strategy_id: strategyId, ...settings, symbol: 'XRP/USDT' } }));
    remove();
    expect(refused.message).toBe('502 Failed to download historical data');
    const [run] = (await other.backtestResults({ query: {} })).results;
    expect(run).toMatchObject({ status: 'failed', error: 'Failed to download historical data' });
    expect(
      (await other.runBacktest({ body: { strategy_id: strategyId, ...settings, symbol: 'XRP/USDT' } })).metrics.total_trades,
    ).toBeGreaterThan(0);
  });

  test('a disk that is nearly full refuses the download in a sentence; a run of what is stored needs none', async () => {
    const run = (symbol: string) => other.runBacktest({ body: { strategy_id: strategyId, ...settings, symbol } });
    const stored = await run('BTC/USDT');
    free = 999_999_999;
    const refused = await failure(run('LTC/USDT'));
    const again = await run('BTC/USDT');
    free = Infinity;
    expect(refused.message).toBe(`502 ${noRoomForCandles}`);
    expect(again.metrics).toEqual(stored.metrics);
    expect((await other.backtestResults({ query: {} })).results.find(({ status }) => status === 'failed')?.error).toBe(noRoomForCandles);
    expect((await run('LTC/USDT')).metrics.total_trades).toBeGreaterThan(0);
  });

  describe('with the settings of a bot', () => {
    const body = (changes: object = {}) => ({ strategy_id: strategyId, ...settings, ...changes });
    const botOf = (person: Person, changes: object = {}) =>
      person.createBot({
        body: {
          strategy_id: strategyId,
          exchange_id: 'sandbox',
          margin_mode: 'spot',
          stake_currency: 'USDT',
          stake_amount: 1000,
          max_open_trades: 1,
          leverage: 1,
          leverage_mode: 'isolated',
          trading_pairs: ['BTC/USDT'],
          user_email: person.email,
          mode: 'paper',
          ...changes,
        },
      });

    test('OP-32 its own stop, ROI and parameters are what the worker runs with, the strategy stays as it is, and the run says whose they are', async () => {
      const plain = await trader.runBacktest({ body: body() });
      const inherits = await botOf(trader, { nickname: 'Sets nothing' });
      const same = await trader.runBacktest({ body: body({ bot_id: inherits.id }) });
      expect(same.metrics).toEqual(plain.metrics);

      const figures = [plain.metrics.net_pnl];
      for (const own_settings of [
        { stoploss: -0.002 },
        { minimal_roi: { 0: 0.004 } },
        {
          trailing: {
            trailing_stop: true,
            trailing_stop_positive: 0.003,
            trailing_stop_positive_offset: 0,
            trailing_only_offset_is_reached: false,
          },
        },
        { parameters: { fastPeriod: 5, slowPeriod: 60 } },
      ]) {
        const bot = await botOf(trader, { own_settings });
        figures.push((await trader.runBacktest({ body: body({ bot_id: bot.id }) })).metrics.net_pnl);
      }
      expect(new Set(figures).size).toBe(5);

      const bot = await botOf(trader, { nickname: 'Tight', own_settings: { stoploss: -0.002, parameters: { fastPeriod: 5 } } });
      const { id } = await trader.runBacktest({ body: body({ bot_id: bot.id }) });
      await trader.updateBot({ params: { id: bot.id }, body: { nickname: 'Wide', own_settings: { stoploss: -0.3 } } });
      const [run] = (await trader.backtestResults({ query: { id } })).results;
      expect(run?.bot).toMatchObject({ id: bot.id, nickname: 'Tight', stoploss: -0.002, parameters: { fastPeriod: 5 } });
      expect((await trader.backtestResults({ query: { id: plain.id } })).results[0]?.bot).toBeNull();
    });

    test('of a perpetual it runs with the leverage of the bot, at a timeframe that only bots have', async () => {
      const perpetual = { trading_mode: 'futures', symbol: 'BTC/USDT:USDT', timeframe: '30m' } as const;
      const bot = await botOf(trader, { margin_mode: 'futures', trading_pairs: ['BTC/USDT:USDT'], leverage: 3 });
      const { id } = await trader.runBacktest({ body: body({ ...perpetual, bot_id: bot.id }) });
      const [run] = (await trader.backtestResults({ query: { id } })).results;
      expect(run).toMatchObject({ timeframe: '30m', bot: { leverage: 3 } });
      expect(run?.details?.trades.length).toBeGreaterThan(0);
      expect(new Set(run?.details?.trades.map(({ leverage }) => leverage))).toEqual(new Set([3]));
    });

    test('of a perpetual it is liquidated as the margin of the bot says: with cross margin the whole account carries a position', async () => {
      const strategy_id = (await trader.listStrategies({})).strategies.find(({ name }) => name === 'Buy and hold')?.id ?? '';
      const perpetual = { strategy_id, trading_mode: 'futures', symbol: 'BTC/USDT:USDT', stake_amount: 10, max_open_trades: 50 } as const;
      const liquidations = async (leverage_mode: 'isolated' | 'cross'): Promise<number> => {
        const bot = await botOf(trader, {
          strategy_id,
          leverage_mode,
          margin_mode: 'futures',
          trading_pairs: [perpetual.symbol],
          leverage: 50,
          own_settings: { minimal_roi: { 0: 0.5 } }, // it leaves and enters again, so that it falls below an entry in any market
        });
        const { id } = await trader.runBacktest({ body: body({ ...perpetual, bot_id: bot.id }) });
        const trades = (await trader.backtestResults({ query: { id } })).results[0]?.details?.trades ?? [];
        expect(trades.length).toBeGreaterThan(0);
        return trades.filter(({ exit_reason: reason }) => reason === 'liquidation').length;
      };
      expect(await liquidations('isolated')).toBeGreaterThan(0);
      expect(await liquidations('cross')).toBe(0);
    });

    test("another person's bot, one that is missing and one that trades something else are refused; an admin may take any", async () => {
      const bot = await botOf(trader);
      const refused = async (person: Person, changes: object) => {
        const { status, detail } = await failure(person.runBacktest({ body: body(changes) }));
        return `${status} ${detail}`;
      };
      expect(await refused(other, { bot_id: bot.id })).toBe('403 You do not have access to this bot');
      expect(await refused(trader, { bot_id: '00000000-0000-4000-8000-000000000000' })).toBe('404 Bot not found');
      const perpetual = { trading_mode: 'futures', symbol: 'BTC/USDT:USDT' };
      expect(await refused(trader, { bot_id: bot.id, ...perpetual })).toBe('409 The bot trades another strategy, exchange or market');
      expect((await admin.runBacktest({ body: body({ bot_id: bot.id }) })).metrics.total_trades).toBeGreaterThan(0);
    });
  });
});
