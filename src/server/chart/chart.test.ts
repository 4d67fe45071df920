import { profitAt } from '#engine/account/profit.ts';
import type { Trade } from '#engine/account/trade.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { prepareDemonstration, writeDemonstration } from '#runner/demonstration/seed.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { startMarket } from '../../../test/support/market.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect() });
const { db } = server.dependencies;
const symbol = 'XRP/USDT:USDT';
const minutes15 = 900_000;
let trader: Awaited<ReturnType<typeof server.signedIn>>;
let bot = '';

beforeAll(async () => {
  trader = await server.signedIn('trader', 'trader@example.com');
  await enterBuiltInStrategies(db);
  const prepared = await prepareDemonstration(db, market.connect(), Date.now(), () => {}, [
    {
      nickname: 'Cross',
      owner: 'trader',
      strategy: 'EmaCross',
      marketType: 'futures',
      bases: ['XRP'],
      timeframe: '15m',
      stakeAmount: 400,
      maxOpenTrades: 1,
      leverage: 3,
      status: 'paused',
    },
  ]);
  await writeDemonstration(db, prepared, new Map([['trader', trader.userId]]));
  // Whether one is open just now depends on the hour; the tests open theirs themselves.
  await sql`delete from trades where status = 'open'`.execute(db);
  bot = (await trader.listBots({}))[0]?.id ?? '';
  // The open candle is left out where it is not there in 1.5 s.
  const since = Date.now();
  await vi.waitFor(async () => expect((await candles()).price_time).toBeGreaterThanOrEqual(since), { timeout: patienceMs });
});

const query = (more: object = {}) => ({ query: { bot_id: bot, symbol, ...more } });
const candles = (more: object = {}) => trader.chartCandles(query(more));
const overlays = (more: object = {}) => trader.chartOverlays(query(more));
const bytes = (reply: unknown) => JSON.stringify(reply).length;

/** Opens the newest trade again, as if it had not been closed. */
async function openAgain(): Promise<{ id: string; held: Trade }> {
  const row = await db
    .selectFrom('trades')
    .selectAll()
    .where('botId', '=', bot)
    .orderBy('openedAt', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  const held = { ...(row.engineState as unknown as Trade), isOpen: true, closeTime: null, closeRate: null, profit: null };
  await sql`update trades set status = 'open', closed_at = null, exit_price = null, profit = null, exit_reason = null,
      engine_state = ${JSON.stringify(held)}::jsonb where id = ${row.id}`.execute(db);
  return { id: row.id, held };
}

describe('the cursor of the candles', () => {
  test('API-16, DATA-22 without one all 300 candles come, with the step of the price and the moment it is of', async () => {
    const before = Date.now();
    const all = await candles();
    expect(all.candles).toHaveLength(300);
    expect(all.is_partial).toBeUndefined();
    expect(all.price_tick).toBe(0.0001);
    expect(all.price_time).toBeGreaterThanOrEqual(before);
    expect(all.price_age_ms).toBeUndefined();
    expect(Object.keys(all.candles[0] ?? {})).toEqual(['timestamp', 'open', 'high', 'low', 'close', 'volume']);
  });

  test('API-16 with one only the candle it names and those after it come, in a few hundred bytes', async () => {
    const all = await candles();
    const news = await candles({ after: all.cursor });
    expect(news.is_partial).toBe(true);
    expect(news.candles.map(({ timestamp }) => timestamp)).toEqual([all.candles.at(-1)?.timestamp]);
    expect(news.avwap?.map(({ timestamp }) => timestamp)).toEqual([all.candles.at(-1)?.timestamp]);
    expect(news.cursor).toBeUndefined(); // it is the one that was given
    expect(news.stop_price).toBeUndefined();
    expect([news.overlays_version, news.trades_version]).toEqual([all.overlays_version, all.trades_version]);
    expect(bytes(news)).toBeLessThan(350);
    expect(bytes(all)).toBeGreaterThan(20_000);
  });

  test('API-16 a candle that was the newest comes again when it has closed, with those after it', async () => {
    const all = await candles();
    const [mark] = all.cursor?.split('-').slice(-1) ?? [];
    const older = all.candles.at(-4)?.timestamp ?? 0;
    const news = await candles({ after: `${older.toString(36)}-${mark}` });
    expect(news.is_partial).toBe(true);
    expect(news.candles.slice(0, 3)).toEqual(all.candles.slice(-4, -1));
    expect(news.candles).toHaveLength(4);
  });

  test('API-16 a cursor of another series, of a candle that is gone or of nothing gives all candles', async () => {
    const other = await candles({ timeframe: '1h' });
    const [mark] = (await candles()).cursor?.split('-').slice(-1) ?? [];
    for (const after of [other.cursor, `${(1_000).toString(36)}-${mark}`, '', 'x', '-', `${'z'.repeat(40)}-${mark}`]) {
      const reply = await candles({ after });
      expect([reply.candles.length, reply.is_partial], String(after)).toEqual([300, undefined]);
    }
    expect((await failure(candles({ after: 'x'.repeat(61) }))).message).toBe('400 Invalid request');
  });

  test('API-16 a bot set to another timeframe gets all candles of that one', async () => {
    const all = await candles();
    await sql`update bots set own_settings = own_settings || '{"timeframe": "5m"}' where id = ${bot}`.execute(db);
    const reply = await candles({ after: all.cursor });
    await sql`update bots set own_settings = own_settings || '{"timeframe": "15m"}' where id = ${bot}`.execute(db);
    expect([reply.timeframe, reply.candles.length, reply.is_partial]).toEqual(['5m', 300, undefined]);
  });
});

describe('timeframe and older history', () => {
  test('API-16, API-17 another timeframe on request, and no other word', async () => {
    // The open candle is left out where it is not there in 1.5 s.
    await expect
      .poll(async () => (await candles({ timeframe: '4h' })).candles.at(-1)?.timestamp)
      .toBe(Math.floor(Date.now() / 14_400_000) * 14_400_000);
    const [reply, over] = await Promise.all([candles({ timeframe: '4h' }), overlays({ timeframe: '4h' })]);
    expect(reply.timeframe).toBe('4h');
    expect(reply.candles.at(-1)?.timestamp).toBe(Math.floor(Date.now() / 14_400_000) * 14_400_000);
    expect(over.avwap.at(-1)?.timestamp).toBe(reply.candles.at(-1)?.timestamp);
    expect(over.trades.length).toBeGreaterThan((await overlays()).trades.length);
    for (const timeframe of ['2h', '', '__proto__']) expect((await failure(candles({ timeframe }))).message).toBe('400 Invalid request');
  });

  test('API-16 older candles end where the given ones begin, without a gap', async () => {
    const all = await candles();
    const first = all.candles[0]?.timestamp ?? 0;
    const older = await candles({ before: first });
    expect(older.candles).toHaveLength(300);
    expect(older.candles.at(-1)?.timestamp).toBe(first - minutes15);
    expect(older.candles[0]?.timestamp).toBe(first - 300 * minutes15);
    expect(older.cursor).toBeUndefined();
    for (const before of [-1, 1.5, 'soon', 9e15]) expect((await failure(candles({ before }))).message).toBe('400 Invalid request');
  });

  test('API-17 trades further back are marked when they are asked for, not endlessly far', async () => {
    const [near, far] = await Promise.all([overlays(), overlays({ from: Date.now() - 600 * minutes15 })]);
    expect(far.trades.length).toBeGreaterThan(near.trades.length);
    const beginning = await overlays({ from: 0 });
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from trades where bot_id = ${bot}
      and (closed_at is null or closed_at >= now() - interval '31 days 6 hours') and opened_at >= now() - interval '31 days 6 hours'`.execute(
      db,
    );
    expect(beginning.trades).toHaveLength(rows[0]?.n ?? -1);
  });
});

describe('trades on the chart', () => {
  test('API-17 a closed trade has entry, exit, profit and reason', async () => {
    const { trades } = await overlays();
    const row = await db
      .selectFrom('trades')
      .selectAll()
      .where('botId', '=', bot)
      .where('openedAt', '=', new Date(trades.at(-1)?.timestamp ?? 0))
      .executeTakeFirstOrThrow();
    expect(trades.at(-1)).toEqual({
      timestamp: row.openedAt.getTime(),
      direction: row.direction,
      trade_id: row.id,
      status: 'closed',
      entry_price: Number(row.entryPrice),
      entry_tag: row.entryTag,
      exit_timestamp: row.closedAt?.getTime(),
      exit_price: Number(row.exitPrice),
      exit_reason: row.exitReason,
      pnl: Number(row.profit),
      pnl_ratio: Number(row.profitRatio),
      stop_price: Number(row.stopPrice),
      target_price: null,
    });
  });

  test('API-17 the open trade has its stop and the price at which ROI would close it', async () => {
    const before = await candles();
    const { id, held } = await openAgain();
    await sql`update bots set own_settings = own_settings || '{"minimalRoi": {"0": 0.5}}' where id = ${bot}`.execute(db);
    const over = await overlays();
    const mark = over.trades.find(({ trade_id }) => trade_id === id);
    expect(mark).toMatchObject({ status: 'open', exit_price: null, pnl: null, stop_price: held.stop });
    const target = mark?.target_price ?? 0;
    const profit = profitAt(held, target, Date.now()) / (held.openValue / held.leverage);
    expect(profit).toBeCloseTo(0.5, 2);
    // The change of the trade is one of both versions; a step of the ROI table is one of what is drawn.
    const after = await candles({ after: before.cursor });
    expect(after.is_partial).toBe(true);
    expect(after.stop_price).toBe(held.stop);
    expect(after.trades_version).not.toBe(before.trades_version);
    expect(after.overlays_version).not.toBe(before.overlays_version);
    expect(over.version).toBe(after.overlays_version);
    await sql`update bots set own_settings = own_settings || '{"minimalRoi": {"0": 0.6}}' where id = ${bot}`.execute(db);
    const stepped = await candles({ after: before.cursor });
    expect(stepped.overlays_version).not.toBe(after.overlays_version);
    expect(stepped.trades_version).toBe(after.trades_version);
  });

  test('API-17 the target of the open trade is what comes first, of ROI and of risk and reward', async () => {
    const { id, held } = await openAgain();
    const ratioWith = async (own: object) => {
      await sql`update bots set own_settings = own_settings || ${JSON.stringify(own)}::jsonb where id = ${bot}`.execute(db);
      const target = (await overlays()).trades.find(({ trade_id }) => trade_id === id)?.target_price ?? 0;
      return profitAt(held, target, Date.now()) / (held.openValue / held.leverage);
    };
    const { ownSettings: before } = await db.selectFrom('bots').select('ownSettings').where('id', '=', bot).executeTakeFirstOrThrow();
    expect(await ratioWith({ stoploss: -0.1, minimalRoi: { 0: 0.5 }, riskRewardRatio: 3 })).toBeCloseTo(0.3, 2);
    expect(await ratioWith({ riskRewardRatio: 9 })).toBeCloseTo(0.5, 2);
    await sql`update bots set own_settings = ${JSON.stringify(before)}::jsonb where id = ${bot}`.execute(db);
  });

  test('API-16 a stop that moves travels with the candles and makes nothing load again', async () => {
    const before = await candles();
    await sql`update trades set stop_price = stop_price * 1.01 where bot_id = ${bot} and status = 'open'`.execute(db);
    const after = await candles({ after: before.cursor });
    expect(after.stop_price).toBeCloseTo((before.stop_price ?? 0) * 1.01, 8);
    expect([after.overlays_version, after.trades_version]).toEqual([before.overlays_version, before.trades_version]);
  });

  test('API-16 an amount that changes, as after a partial fill, makes trades and what is drawn load again', async () => {
    const before = await candles();
    await sql`update trades set amount = amount / 2 where bot_id = ${bot} and status = 'open'`.execute(db);
    const after = await candles({ after: before.cursor });
    expect(after.overlays_version).not.toBe(before.overlays_version);
    expect(after.trades_version).not.toBe(before.trades_version);
    await sql`update trades set amount = amount * 2 where bot_id = ${bot} and status = 'open'`.execute(db);
  });

  test('API-20, API-21 log and figures name the trades they are of, and what the profit is worked out from', async () => {
    const [chart, log, figures] = await Promise.all([candles(), trader.orderMetrics(query()), trader.pnlMetrics(query())]);
    expect([log.trades_version, figures.trades_version]).toEqual([chart.trades_version, chart.trades_version]);
    expect([log.price_tick, figures.price_tick]).toEqual([0.0001, 0.0001]);
    const terms = figures.profit_terms;
    if (terms === null || terms === undefined) throw new Error('A trade is open');
    const engineTerms = {
      direction: terms.direction,
      marketType: terms.market_type,
      leverage: terms.leverage,
      amount: terms.amount,
      openRate: terms.open_rate,
      openValue: terms.open_value,
      openTime: terms.open_time,
      feeClose: terms.fee_close,
      fundingFees: terms.funding_fees,
      interest: null,
    };
    expect(profitAt(engineTerms, figures.current_price ?? 0, figures.price_time ?? 0)).toBe(figures.unrealized_pnl);
    expect(figures.history.at(-1)?.pnl).toBeCloseTo(
      figures.unrealized_pnl +
        Number((await sql<{ sum: string }>`select sum(profit) as sum from trades where bot_id = ${bot}`.execute(db)).rows[0]?.sum),
      6,
    );
    expect(log.trades[0]).toMatchObject({ status: 'open', exit: null, pnl: null, leverage: 3, stop_moves: [] });
    expect(log.trades[1]).toMatchObject({
      status: 'closed',
      exit: expect.any(Number),
      fees: expect.any(Number),
      exit_reason: expect.any(String),
    });
  });
});

describe('indicators', () => {
  test('API-17 the columns the strategy computes, from candles enough for their warm-up, in its own timeframe only', async () => {
    expect((await overlays()).indicators).toEqual(['fast', 'slow', 'filter'].map((name) => ({ name, points: [] })));
    const { indicators = [] } = await overlays({ indicators: 'on' });
    expect(indicators.map(({ name }) => name)).toEqual(['fast', 'slow', 'filter']);
    const shown = (await candles()).candles.filter(({ timestamp }) => timestamp + minutes15 <= Date.now());
    for (const { points } of indicators) {
      expect(points).toHaveLength(300);
      expect(points.at(-1)?.timestamp).toBe(shown.at(-1)?.timestamp);
    }
    // An average of 100 candles would begin with a hole if it were computed from the candles shown alone.
    expect((await overlays({ indicators: 'on', timeframe: '1h' })).indicators).toBeUndefined();
  });

  test('API-17 they are computed one after the other for each person: somebody who asks for many keeps nobody else from theirs', async () => {
    const names = await Promise.all(Array.from({ length: 40 }, () => overlays()));
    expect(names).toHaveLength(40);
    const many = Promise.allSettled(Array.from({ length: 40 }, () => overlays({ indicators: 'on' })));
    const admin = await server.signedIn('admin');
    expect((await admin.chartOverlays(query({ indicators: 'on' }))).indicators?.[0]?.points).toHaveLength(300);
    const answers = await many;
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [(answer.reason as { status: number }).status] : []));
    expect(new Set(refused)).toEqual(new Set([429]));
    expect(refused.length).toBeLessThan(40);
  });

  test('OP-32 they are computed with the parameters of the bot itself, and another one is another version of what is drawn', async () => {
    const newest = async () => {
      const { indicators = [], version } = await overlays({ indicators: 'on' });
      return { version, values: Object.fromEntries(indicators.map(({ name, points }) => [name, points.at(-1)?.value])) };
    };
    const plain = await newest();
    await sql`update bots set own_settings = own_settings || '{"parameters": {"fastPeriod": 25}}' where id = ${bot}`.execute(db);
    const own = await newest();
    await sql`update bots set own_settings = own_settings - 'parameters' where id = ${bot}`.execute(db);
    expect(own.values['slow']).toBe(plain.values['slow']);
    expect(own.values['fast']).not.toBe(plain.values['fast']);
    expect(own.version).not.toBe(plain.version);
  });
});
