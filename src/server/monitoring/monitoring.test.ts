import { openProfitAt } from '#engine/account/open-profit.ts';
import type { Trade } from '#engine/account/trade.ts';
import { hourMs, secondMs } from '#engine/market/durations.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { defaultExchanges } from '#exchange/default-exchanges.ts';
import { Markets } from '#feeds/markets.ts';
import { prepareDemonstration, writeDemonstration } from '#runner/demonstration/seed.ts';
import { keepStandingAlarms } from '#storage/alarms/standing-alarms.ts';
import { noteBackupSchedule } from '#storage/backup/backup-state.ts';
import { endLease, renewLease } from '#storage/bots/runners.ts';
import { writeFact } from '#storage/installation/facts.ts';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { connectMarkets } from '../../../test/support/connect-markets.ts';
import { startMarket } from '../../../test/support/market.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { TestBrowser } from '../../../test/support/test-server.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';
import { averageAnchoredVwap } from '../chart/average-anchored-vwap.ts';

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect() });
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let trader: Person;
let other: Person;
let operator: Person;
let investor: Person;
let botId: string;
const symbol = 'ETH/USDT:USDT';

beforeAll(async () => {
  [admin, trader, other, operator, investor] = await Promise.all([
    server.signedIn('admin', 'admin@example.com'),
    server.signedIn('trader', 'trader@example.com'),
    server.signedIn('trader', 'other@example.com'),
    server.signedIn('operator', 'operator@example.com'),
    server.signedIn('investor', 'investor@example.com'),
  ]);
  await enterBuiltInStrategies(db);
  const prepared = await prepareDemonstration(db, market.connect(), Date.now(), () => {}, [
    {
      nickname: 'Night Trend',
      owner: 'trader',
      strategy: 'SuperTrendFollower',
      marketType: 'futures',
      bases: ['ETH', 'BTC'],
      timeframe: '15m',
      stakeAmount: 400,
      maxOpenTrades: 2,
      leverage: 3,
      status: 'paused',
    },
  ]);
  await writeDemonstration(db, prepared, new Map([['trader', trader.userId]]));
  // Whether one is open just now depends on the hour; the tests open theirs themselves.
  await sql`delete from trades where status = 'open'`.execute(db);
  botId = (await admin.listBots({}))[0]?.id ?? '';
});

/** Opens a trade by hand: a closed one of the past is opened again. */
async function openTrade(): Promise<Trade> {
  const row = await db
    .selectFrom('trades')
    .selectAll()
    .where('botId', '=', botId)
    .where('symbol', '=', symbol)
    .orderBy('openedAt', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  const held = { ...(row.engineState as unknown as Trade), isOpen: true, closeTime: null, closeRate: null, profit: null };
  await sql`update trades set status = 'open', closed_at = null, profit = null, exit_reason = null, engine_state = ${JSON.stringify(held)}::jsonb where id = ${row.id}`.execute(
    db,
  );
  return held;
}

describe('selectors', () => {
  test('API-18, OP-05 admins, operators and investors watch every bot, traders their own', async () => {
    for (const person of [admin, operator, investor, trader]) {
      expect((await person.availableBots({})).data.map(({ nickname }) => nickname)).toEqual(['Night Trend']);
    }
    expect(await other.availableBots({})).toEqual({ data: [] });
    expect((await admin.availableBots({})).data[0]).toEqual({
      id: botId,
      nickname: 'Night Trend',
      strategy_name: 'SuperTrend follower',
      mode: 'paper',
      status: 'paused',
      exchange_id: 'sandbox',
      may_change: true,
    });
    expect((await operator.availableBots({})).data[0]).toMatchObject({ may_change: false });
  });

  test('API-19 the pairs of a bot', async () => {
    expect(await trader.availablePairs({ query: { bot_id: botId } })).toEqual({ pairs: ['ETH/USDT:USDT', 'BTC/USDT:USDT'] });
  });
});

describe('every call about one bot', () => {
  const unknown = '00000000-0000-4000-8000-00000000dead';
  const calls: [string, (person: TestBrowser, query: { bot_id: string; symbol: string }) => Promise<unknown>, boolean][] = [
    ['API-16', (person, query) => person.chartCandles({ query }), true],
    ['API-17', (person, query) => person.chartOverlays({ query }), true],
    ['API-19', (person, query) => person.availablePairs({ query }), false],
    ['API-20', (person, query) => person.orderMetrics({ query }), true],
    ['API-21', (person, query) => person.pnlMetrics({ query }), true],
  ];

  test.each(calls)('%s refuses what it must in the written words', async (_, call, needsSymbol) => {
    expect((await failure(call(server.browser(), { bot_id: botId, symbol }))).message).toBe('401 Not authenticated');
    expect((await failure(call(other, { bot_id: botId, symbol }))).message).toBe('403 You do not have access to this bot');
    expect((await failure(call(admin, { bot_id: unknown, symbol }))).message).toBe('404 Bot not found');
    expect((await failure(call(admin, { bot_id: '', symbol }))).message).toBe('400 bot_id is required');
    expect((await failure(call(admin, {} as never))).message).toBe('400 bot_id is required');
    expect((await failure(call(admin, { bot_id: 'not an id', symbol }))).message).toBe('400 Invalid request');
    if (!needsSymbol) return;
    expect((await failure(call(admin, { bot_id: botId, symbol: '' }))).message).toBe('400 symbol is required');
    for (const odd of ['DOGE/USDT:USDT', '__proto__', "'; drop table trades; --", 'x'.repeat(3_000)]) {
      expect((await failure(call(admin, { bot_id: botId, symbol: odd }))).message).toBe('404 Trading pair not found');
    }
  });

  test('a key given twice is refused', async () => {
    const url = `/api/metrics/available-pairs?bot_id=${botId}&bot_id=${botId}`;
    const cookie = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await server.app.inject({ url, headers: { host: 'localhost', cookie } });
    expect([reply.statusCode, reply.json()]).toEqual([400, { detail: 'Invalid request' }]);
  });
});

describe('chart', () => {
  test("API-16, OP-50, DATA-22 the last 300 candles of the bot's timeframe, the open one included", async () => {
    const read = async () => await trader.chartCandles({ query: { bot_id: botId, symbol } });
    // A candle that closes while its window is opened comes a moment after the one that follows it.
    const steps = async () =>
      new Set((await read()).candles.map(({ timestamp }, i, all) => timestamp - (all[i - 1]?.timestamp ?? timestamp - 900_000)));
    await expect.poll(steps).toEqual(new Set([900_000]));
    const { candles, timeframe } = await read();
    expect(timeframe).toBe('15m');
    expect(candles).toHaveLength(300);
    candles.forEach((candle) => {
      expect(candle.high).toBeGreaterThanOrEqual(Math.max(candle.open, candle.close));
      expect(candle.low).toBeLessThanOrEqual(Math.min(candle.open, candle.close));
    });
    const last = candles.at(-1);
    expect(Date.now() - (last?.timestamp ?? 0)).toBeLessThan(2 * 900_000);
  });

  test('API-17, OP-49, DATA-23 entries, stops that closed a trade, and the average of two anchored VWAPs', async () => {
    // How many the strategy made in the last three days depends on the hour: its newest three lie in them, whenever that was.
    await sql`
      update trades t set opened_at = t.opened_at + moved.by, closed_at = t.closed_at + moved.by
      from (select id, date_trunc('minute', now()) - row_number() over (order by opened_at desc) * interval '12 hours' - opened_at as by
            from trades where bot_id = ${botId} and symbol = ${symbol} order by opened_at desc limit 3) moved
      where t.id = moved.id`.execute(db);
    const [{ candles }, overlays] = await Promise.all([
      trader.chartCandles({ query: { bot_id: botId, symbol } }),
      trader.chartOverlays({ query: { bot_id: botId, symbol } }),
    ]);
    const from = new Date(candles[0]?.timestamp ?? 0);
    const trades = await db
      .selectFrom('trades')
      .selectAll()
      .where('botId', '=', botId)
      .where('symbol', '=', symbol)
      .where('openedAt', '>=', from)
      .orderBy('openedAt')
      .execute();
    expect(overlays.trades).toMatchObject(trades.map(({ openedAt, direction }) => ({ timestamp: openedAt.getTime(), direction })));
    expect(overlays.trades.length).toBeGreaterThan(2);
    const highest = candles.reduce((best, candle, i) => (candle.high > (candles[best]?.high ?? 0) ? i : best), 0);
    const lowest = candles.reduce((best, candle, i) => (candle.low < (candles[best]?.low ?? Infinity) ? i : best), 0);
    expect(overlays.avwap[0]?.timestamp).toBe(candles[Math.min(highest, lowest)]?.timestamp);
    expect(overlays.avwap.at(-1)?.timestamp).toBe(candles.at(-1)?.timestamp);
  });

  test('OP-49 the line is the mean of both VWAPs from the second anchor on', () => {
    const candle = (openTime: number, price: number, volume: number) => ({
      openTime,
      open: price,
      high: price,
      low: price,
      close: price,
      volume,
    });
    const { points: line, anchors } = averageAnchoredVwap([
      candle(0, 10, 1),
      candle(1, 30, 1),
      candle(2, 20, 1),
      candle(3, 5, 2),
      candle(4, 8, 2),
    ]);
    // Anchored at the high (candle 1): 30, 25, 60/4, 76/6; at the low (candle 3): 5, 6.5.
    expect(line.map(({ timestamp }) => timestamp)).toEqual([1, 2, 3, 4]);
    [30, 25, (15 + 5) / 2, (76 / 6 + 6.5) / 2].forEach((value, i) => expect(line[i]?.value).toBeCloseTo(value, 10));
    expect(anchors).toEqual([1, 3]);
    expect(averageAnchoredVwap([])).toEqual({ anchors: [], points: [] });
    expect(averageAnchoredVwap([candle(7, 10, 1)]).anchors).toEqual([7]);
  });
});

describe('figures', () => {
  test('API-20, OP-46, DATA-13 win rate, closed trades and the newest 100 trades', async () => {
    const metrics = await investor.orderMetrics({ query: { bot_id: botId, symbol } });
    const trades = await db
      .selectFrom('trades')
      .selectAll()
      .where('botId', '=', botId)
      .where('symbol', '=', symbol)
      .orderBy('openedAt', 'desc')
      .execute();
    const closed = trades.filter(({ status }) => status === 'closed');
    expect(metrics.trade_count).toBe(closed.length);
    expect(metrics.win_rate).toBeCloseTo(closed.filter(({ profit }) => Number(profit) > 0).length / closed.length, 12);
    expect(metrics.trades).toHaveLength(Math.min(100, trades.length));
    expect(metrics.trades[0]).toMatchObject({
      timestamp: trades[0]?.openedAt.toISOString(),
      symbol,
      direction: trades[0]?.direction,
      size: Number(trades[0]?.amount),
      entry: Number(trades[0]?.entryPrice),
      status: 'closed',
      confidence: expect.closeTo(Number(trades[0]?.confidence), 10),
      stop_loss: Number(trades[0]?.stopPrice),
    });
  });

  test('API-21, OP-47, OP-51 without an open trade: nothing held, a history of 100 points that ends at what was realized', async () => {
    for (const range of ['daily', 'weekly', 'monthly', 'yearly'] as const) {
      const pnl = await trader.pnlMetrics({ query: { bot_id: botId, symbol, range } });
      expect(pnl).toMatchObject({ unrealized_pnl: 0, position_size: null, entry_price: null, liquidation_price: null, leverage: 3 });
      expect(pnl.history).toHaveLength(100);
      const gaps = pnl.history.slice(1).map(({ time }, i) => time - (pnl.history[i]?.time ?? 0));
      expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
      const { rows } = await sql<{
        sum: string;
      }>`select sum(profit) as sum from trades where bot_id = ${botId} and symbol = ${symbol}`.execute(db);
      expect(pnl.history.at(-1)?.pnl).toBeCloseTo(Number(rows[0]?.sum), 6);
    }
    expect((await failure(trader.pnlMetrics({ query: { bot_id: botId, symbol, range: 'hourly' as never } }))).message).toBe(
      '400 Range must be daily, weekly, monthly or yearly',
    );
  });

  test('API-21, OP-48, DATA-12 with an open trade: what it holds and what it would bring, after fees', async () => {
    const held = await openTrade();
    const pnl = await trader.pnlMetrics({ query: { bot_id: botId, symbol } });
    expect(pnl.position_size).toBe(held.amount);
    expect(pnl.entry_price).toBe(held.openRate);
    expect(pnl.leverage).toBe(3);
    await sql`update bots set leverage = 7 where id = ${botId}`.execute(db);
    expect((await trader.pnlMetrics({ query: { bot_id: botId, symbol } })).leverage).toBe(3); // its own, whatever the bot is set to since
    await sql`update bots set leverage = 3 where id = ${botId}`.execute(db);
    expect(pnl.liquidation_price).toBe(held.liquidationPrice);
    expect(pnl.unrealized_pnl).toBe(openProfitAt(held, pnl.current_price ?? 0, Date.now()));
    expect(pnl.history.at(0)?.time).toBeCloseTo(Date.now() - 86_400_000, -4);
    const live = await trader.liveStatus({ query: {} });
    expect(live.bots).toEqual([expect.objectContaining({ bot_id: botId, running: false, last_tick_at: null })]);
    expect((await other.liveStatus({ query: {} })).bots).toEqual([]);
  });

  test('OP-51 a symbol that has never been traded has no history', async () => {
    const fresh = await addTestBot(db, {
      strategy: 'AlwaysFlat',
      nickname: 'fresh',
      owner: 'trader@example.com',
      symbols: ['BNB/USDT'],
      status: 'paused',
    });
    const pnl = await trader.pnlMetrics({ query: { bot_id: fresh, symbol: 'BNB/USDT' } });
    expect(pnl.history).toEqual([]);
    expect(pnl.current_price).toBeGreaterThan(0);
  });
});

describe('platform', () => {
  test('API-14, OP-77 the short form for everybody, the full one for admins and operators', async () => {
    const short = { status: 'degraded', version: '0.0.0-test', time: expect.any(String) };
    for (const person of [server.browser(), trader, investor]) await expect.poll(() => person.systemStatus({})).toEqual(short);
    for (const person of [admin, operator]) {
      await expect
        .poll(() => person.systemStatus({}))
        .toEqual({
          ...short,
          database: 'ok',
          engine: 'error', // no runner works in this test
          mail: 'ok',
          disk: 'ok',
          exchanges: [{ id: 'sandbox', status: 'ok', clock_offset_ms: expect.any(Number) }],
          oldest_price_at: null,
          accounts: { live: 0, unchecked: 0, oldest_check_at: null, refused_keys: 0 },
          last_backup_at: null,
          last_backup_test_at: null,
          backup_test: null,
          active_bots: 0,
          live_trading_enabled: true,
        });
    }
  });

  test('API-14 an exchange that does not answer is an error in the answer, which does not wait for it', async () => {
    const silent = await startTestServer({ markets: new Markets(defaultExchanges, () => new Promise(() => undefined)) });
    await addTestBot(silent.dependencies.db, { strategy: 'AlwaysFlat', nickname: 'Left alone' });
    const operators = await silent.signedIn('operator');
    expect((await operators.systemStatus({})).exchanges).toMatchObject([{ id: 'sandbox', status: 'error' }]);
  });

  test('API-14 an exchange that answers no more is an error, although its list of instruments is known; a refusal is an answer', async () => {
    const sandbox = await startSandbox({ factor: 0 });
    const markets = connectMarkets(sandbox.url, () => sandbox.clock.now());
    onTestFinished(async () => {
      await markets.close();
      await sandbox.close();
    });
    const other = await startTestServer({ markets });
    await addTestBot(other.dependencies.db, { strategy: 'AlwaysFlat', nickname: 'Left alone' });
    const operators = await other.signedIn('operator');
    const stateOf = async () => (await operators.systemStatus({})).exchanges?.map(({ status }) => status);
    await expect.poll(stateOf).toEqual(['ok']);
    sandbox.faults.add({ fault: { kind: 'reset' } });
    expect(await stateOf()).toEqual(['ok']); // asked a moment ago: however many look, it is asked once
    other.pass(10 * secondMs);
    expect(await stateOf()).toEqual(['error']);
    sandbox.faults.clear();
    expect(await stateOf()).toEqual(['error']);
    sandbox.faults.add({ path: '/ticker', fault: { kind: 'error', status: 400, code: -1121, message: 'Invalid symbol.' } });
    other.pass(10 * secondMs);
    await expect.poll(stateOf).toEqual(['ok']);
  });

  test('API-15, OP-77 a bot runs while a runner with a lease holds it and its last price is younger than a minute', async () => {
    const runner = { id: randomUUID(), host: 'here', exchanges: ['sandbox'] };
    const running = async () => (await trader.liveStatus({ query: {} })).bots.find(({ bot_id: id }) => id === botId)?.running;
    const tick = (secondsAgo: number) =>
      sql`insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl) values (${botId}, now() - ${secondsAgo} * interval '1 second', 0, 0)
        on conflict (bot_id) do update set last_tick_at = excluded.last_tick_at`.execute(db);
    const hold = (runnerId: string | null) => sql`update bots set runner_id = ${runnerId} where id = ${botId}`.execute(db);
    try {
      await tick(5);
      expect(await running()).toBe(false); // nobody holds it
      await renewLease(db, runner, 600_000, true);
      await hold(randomUUID());
      expect(await running()).toBe(false); // somebody who is gone
      await hold(runner.id);
      expect(await running()).toBe(true);
      await tick(70);
      expect(await running()).toBe(false);
      await tick(5);
      await sql`update runners set expires_at = now() where id = ${runner.id}`.execute(db); // killed
      expect(await running()).toBe(false);
    } finally {
      await endLease(db, runner.id);
      await hold(null);
      await sql`delete from bot_vitals where bot_id = ${botId}`.execute(db);
    }
  });

  test('a database whose writes hang is an error within moments, and everybody still learns that the process answers', async () => {
    await expect(
      db.transaction().execute(async (trx) => {
        await sql`insert into facts (key, value) values ('last_health_check', 'null') on conflict (key) do update set value = excluded.value`.execute(
          trx,
        ); // and keeps its row
        // The check of two seconds ago may still be the answer.
        await expect.poll(async () => (await admin.systemStatus({})).database).toBe('error');
        expect(await server.browser().systemLive({})).toEqual({ status: 'ok' });
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    await expect.poll(async () => (await admin.systemStatus({})).database).toBe('ok');
  });

  test('API-14 while the database hangs, who is signed in is answered as soon as a stranger, and receives no less', async () => {
    await db.transaction().execute(async (trx) => {
      await sql`lock table session_tokens in access exclusive mode`.execute(trx); // nobody can be recognised now
      const [asked, stranger] = await Promise.all([admin.systemStatus({}), server.browser().systemStatus({})]);
      expect(await admin.systemLive({})).toEqual({ status: 'ok' });
      expect({ ...asked, time: '' }).toEqual({ ...stranger, time: '' });
    });
    await db.transaction().execute(async (trx) => {
      await sql`lock table account_checks in access exclusive mode`.execute(trx); // and now nothing of the accounts can be read
      await expect
        .poll(() => admin.systemStatus({}))
        .toMatchObject({ status: 'degraded', database: 'error', accounts: null, active_bots: 0 });
    });
  });

  test('API-14 a database that takes no connection is not a failure of the call', async () => {
    const cut = await startTestServer();
    const person = await cut.signedIn('admin', 'cut@example.com');
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(cut.dependencies.db);
    const name = rows[0]?.name ?? '';
    await expect.poll(async () => (await person.systemStatus({})).database).toBe('ok');
    await sql`alter database ${sql.id(name)} allow_connections false`.execute(db);
    try {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`.execute(db);
      for (let i = 0; i < 3; i++) expect((await person.systemStatus({})).status).toBe('degraded');
      await expect.poll(() => cut.browser().systemStatus({})).toMatchObject({ status: 'degraded' });
    } finally {
      await sql`alter database ${sql.id(name)} allow_connections true`.execute(db);
    }
    await expect.poll(async () => (await person.systemStatus({})).database).toBe('ok');
  });

  test('API-14 the engine fails while an alarm says that bots have no runner, whoever else holds a lease', async () => {
    const runner = { id: randomUUID(), host: 'here', exchanges: ['sandbox'] };
    await renewLease(db, runner, 600_000, true);
    try {
      await expect.poll(() => operator.systemStatus({})).toMatchObject({ status: 'ok', engine: 'ok' });
      await keepStandingAlarms(db, [{ nickname: 'Night Trend', userId: trader.userId }]);
      await expect.poll(() => operator.systemStatus({})).toMatchObject({ status: 'degraded', engine: 'error' });
      await keepStandingAlarms(db);
      await expect.poll(() => operator.systemStatus({})).toMatchObject({ status: 'ok', engine: 'ok' });
    } finally {
      await endLease(db, runner.id);
    }
  });

  test('API-14 what was found by a clock that was an hour ahead is not said for an hour after it is set back', async () => {
    const runner = { id: randomUUID(), host: 'here', exchanges: ['sandbox'] };
    const real = Date.now;
    onTestFinished(async () => {
      vi.restoreAllMocks();
      await endLease(db, runner.id);
    });
    const status = async () => (await server.browser().systemStatus({})).status;
    await renewLease(db, runner, 600_000, true);
    const ahead = vi.spyOn(Date, 'now').mockImplementation(() => real() + hourMs);
    await expect.poll(status).toBe('ok');
    ahead.mockRestore();
    await endLease(db, runner.id);
    await expect.poll(status).toBe('degraded');
  });

  test('API-14 a backup that has failed its test degrades the platform until a later one has passed', async () => {
    await writeFact(db, 'last_backup_test', {
      testedAt: '2026-03-02T00:00:00.000Z',
      file: 'b.flotilla',
      fault: 'orders has 1 rows instead of 2.',
    });
    await writeFact(db, 'passed_backup', { file: 'a.flotilla', madeAt: '2026-03-01T00:00:00.000Z', bytes: 7 });
    const runner = { id: randomUUID(), host: 'here', exchanges: ['sandbox'] };
    await renewLease(db, runner, 600_000, true);
    await expect.poll(() => server.browser().systemStatus({})).toMatchObject({ status: 'degraded' });
    await expect
      .poll(() => operator.systemStatus({}))
      .toMatchObject({
        last_backup_at: '2026-03-01T00:00:00.000Z',
        last_backup_test_at: '2026-03-02T00:00:00.000Z',
        backup_test: 'error',
        engine: 'ok',
      });
    await writeFact(db, 'last_backup_test', { testedAt: '2026-03-03T00:00:00.000Z', file: 'c.flotilla', fault: null });
    await expect.poll(async () => (await server.browser().systemStatus({})).status).toBe('ok');
    await expect.poll(async () => (await admin.systemStatus({})).backup_test).toBe('ok');
    await endLease(db, runner.id);
  });

  test('API-14 no backup that has passed for 13 hours degrades the platform, where they are made on a schedule', async () => {
    const runner = { id: randomUUID(), host: 'here', exchanges: ['sandbox'] };
    await renewLease(db, runner, 600_000, true);
    try {
      await noteBackupSchedule(db, true, new Date(Date.now() - 14 * hourMs));
      await expect.poll(() => operator.systemStatus({})).toMatchObject({ status: 'degraded', engine: 'ok' });
      await writeFact(db, 'passed_backup', { file: 'a.flotilla', madeAt: new Date().toISOString(), bytes: 7 });
      await expect.poll(() => operator.systemStatus({})).toMatchObject({ status: 'ok' });
    } finally {
      await noteBackupSchedule(db, false, new Date());
      await endLease(db, runner.id);
    }
  });

  test('API-28, API-29, API-30, DATA-35 exchanges, stake currencies and pairs by market type', async () => {
    const { exchanges } = await trader.listExchanges({});
    expect(exchanges[0]).toEqual({ id: 'sandbox', name: 'Sandbox' });
    const at = { exchange: 'sandbox' };
    expect(await trader.stakeCurrencies({ params: at, query: { market_type: 'spot' } })).toEqual({ stake_currencies: ['USDC', 'USDT'] });
    const spot = await trader.tradingPairs({ params: at, query: { market_type: 'spot', stake_currency: 'USDT' } });
    expect(spot.trading_pairs.length).toBeGreaterThanOrEqual(20);
    expect(spot.trading_pairs).toContain('BTC/USDT');
    const futures = await trader.tradingPairs({ params: at, query: { market_type: 'futures', stake_currency: 'USDC' } });
    expect(futures.trading_pairs.length).toBeGreaterThanOrEqual(5);
    expect(futures.trading_pairs.every((pair) => pair.endsWith('/USDC:USDC'))).toBe(true);
    expect((await trader.tradingPairs({ params: at, query: { market_type: 'margin' } })).trading_pairs.length).toBeGreaterThan(0);
    expect((await failure(trader.stakeCurrencies({ params: at, query: {} as never }))).message).toBe('400 Market type is required');
    expect((await failure(trader.tradingPairs({ params: at, query: { market_type: 'option' as never } }))).message).toBe(
      '400 Market type is required',
    );
    for (const exchange of ['nowhere', '__proto__', 'constructor', '../sandbox', 'x'.repeat(400)]) {
      expect((await failure(trader.stakeCurrencies({ params: { exchange }, query: { market_type: 'spot' } }))).message).toBe(
        '404 Exchange not found',
      );
    }
  });

  test('API-16, API-21, API-29 an exchange that cannot be reached answers 502 in the written words, and loses nothing', async () => {
    const cutOff = await startTestServer({ markets: connectMarkets('http://127.0.0.1:9', Date.now) });
    const person = await cutOff.signedIn('trader', 'cut-off@example.com');
    const id = await addTestBot(cutOff.dependencies.db, { strategy: 'AlwaysFlat', owner: 'cut-off@example.com', status: 'paused' });
    const query = { bot_id: id, symbol: 'BTC/USDT' };
    const sentence = '502 Exchange is not reachable. Please try again.';
    expect((await failure(person.stakeCurrencies({ params: { exchange: 'sandbox' }, query: { market_type: 'spot' } }))).message).toBe(
      sentence,
    );
    expect((await failure(person.chartCandles({ query }))).message).toBe(sentence);
    expect((await failure(person.pnlMetrics({ query }))).message).toBe(sentence);
    expect((await person.listBots({})).map((bot) => bot.id)).toEqual([id]);
  });

  test('API-27, OP-56, OP-57, DATA-14 the built-in strategies with all fields, secrets never', async () => {
    const { strategies } = await investor.listStrategies({});
    expect(strategies.map(({ strategy_class_name }) => strategy_class_name)).toEqual([
      'EmaCross',
      'SuperTrendFollower',
      'DonchianBreakout',
      'MacdTrend',
      'AdxDirectional',
      'RsiReversal',
      'BollingerReversion',
      'StochasticPullback',
      'VwapReversion',
      'BuyAndHold',
      'AlwaysFlat',
    ]);
    for (const strategy of strategies) {
      expect(strategy.stoploss).toBeLessThan(0);
      expect(strategy.max_consecutive_losses).toBe(5);
      expect(Object.keys(strategy.minimal_roi).length).toBeLessThanOrEqual(3);
      expect([strategy.encrypted_webhook, strategy.encrypted_sheets_key]).toEqual([null, null]);
    }
  });

  test('API-40, DATA-21, OP-70 how the trades of a strategy went', async () => {
    const { strategies } = await trader.listStrategies({});
    const used = strategies.find(({ strategy_class_name }) => strategy_class_name === 'SuperTrendFollower')?.id ?? '';
    const performance = await investor.strategyPerformance({ params: { id: used } });
    const { rows } = await sql<{ n: string; wins: string; sum: string }>`
      select count(*) as n, count(*) filter (where profit > 0) as wins, sum(profit) as sum from trades where status = 'closed' and bot_id = ${botId}`.execute(
      db,
    );
    expect(performance).toMatchObject({
      total_trades: Number(rows[0]?.n),
      winning_trades: Number(rows[0]?.wins),
      win_rate: Number(rows[0]?.wins) / Number(rows[0]?.n),
    });
    expect(performance.total_pnl).toBeCloseTo(Number(rows[0]?.sum), 6);
    expect(performance.daily_pnl.reduce((sum, { pnl }) => sum + pnl, 0)).toBeCloseTo(performance.total_pnl, 6);
    expect(performance.max_drawdown).toBeGreaterThan(0);
    const unused = strategies.find(({ strategy_class_name }) => strategy_class_name === 'MacdTrend')?.id ?? '';
    expect(await investor.strategyPerformance({ params: { id: unused } })).toMatchObject({
      total_trades: 0,
      win_rate: 0,
      sharpe_ratio: null,
      daily_pnl: [],
    });
    expect((await failure(investor.strategyPerformance({ params: { id: botId } }))).message).toBe('404 Strategy not found');
  });

  test('API-41 the bots of a strategy, those the caller may see', async () => {
    const used =
      (await trader.listStrategies({})).strategies.find(({ strategy_class_name }) => strategy_class_name === 'SuperTrendFollower')?.id ??
      '';
    expect((await trader.strategyBots({ params: { id: used } })).bots).toEqual([
      {
        id: botId,
        nickname: 'Night Trend',
        status: 'paused',
        mode: 'paper',
        exchange_id: 'sandbox',
        trading_pairs: ['ETH/USDT:USDT', 'BTC/USDT:USDT'],
      },
    ]);
    expect((await other.strategyBots({ params: { id: used } })).bots).toEqual([]);
  });

  test('API-22, OP-78 the settings people may read, and no other key', async () => {
    expect(await trader.getSetting({ params: { key: 'server_config' } })).toEqual({
      key: 'server_config',
      value: {
        max_open_trades: { min: 1, max: 50, default: 3 },
        leverage: { min: 1, max: 125, default: 1 },
        stake_amount_default: 100,
        preferred_stake_currency: 'USDT',
        live_trading_enabled: true,
      },
    });
    expect(await trader.getSetting({ params: { key: 'paper' } })).toEqual({ key: 'paper', value: { fee_rate: 0.001 } });
    expect(await trader.getSetting({ params: { key: 'pnl_ranges' } })).toEqual({
      key: 'pnl_ranges',
      value: ['daily', 'weekly', 'monthly', 'yearly'],
    });
    for (const key of ['nothing', '__proto__', 'constructor', 'toString']) {
      expect((await failure(trader.getSetting({ params: { key } }))).message).toBe('404 Setting not found');
    }
  });
});
