import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { startMarket } from '../../test/support/market.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { setBotStatus } from '#storage/bots.ts';
import { claimBots, Fenced, fence, renewLease } from '#storage/runners.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import type { Runner, RunnerTimes } from './runner.ts';
import { startRunner } from './runner.ts';

const { db } = await freshDatabase();
// A minute of market is half a second here.
const market = await startMarket(120);
const logs: string[] = [];
const runners: Runner[] = [];

async function runner(times: Partial<RunnerTimes> = {}): Promise<Runner> {
  const markets = market.connect();
  const started = await startRunner(
    {
      db,
      markets,
      windows: new CandleWindows(markets, { now: market.now }),
      host: 'test',
      now: market.now,
      log: (message, details) => logs.push(`${message} ${JSON.stringify(details)}`),
    },
    { scan: 50, heartbeat: 200, lease: 2_000, vitals: 300, ...times },
  );
  runners.push(started);
  return started;
}

afterAll(async () => {
  await Promise.all(runners.map((each) => each.stop()));
});

interface TradeLine {
  symbol: string;
  status: string;
  exitReason: string | null;
  profit: string | null;
  openedAt: Date;
  closedAt: Date | null;
}
const tradesOf = (botId: string): Promise<TradeLine[]> =>
  db
    .selectFrom('trades')
    .select(['symbol', 'status', 'exitReason', 'profit', 'openedAt', 'closedAt'])
    .where('botId', '=', botId)
    .orderBy('openedAt')
    .execute();
const patience = { timeout: 40_000, interval: 100 };

describe('a paper bot', () => {
  // It wants to hold always and leaves after two minutes: many short trades.
  const busy = { strategy: 'BuyAndHold', minimalRoi: { 0: 10, 2: -1 }, symbols: ['BTC/USDT', 'ETH/USDT'], orderType: 'market' as const };

  test('OP-83 opens and closes trades on live data, with orders, fills and exact figures in the database', async () => {
    const id = await addTestBot(db, busy);
    await runner();
    await expect
      .poll(async () => (await tradesOf(id)).filter((trade) => trade.status === 'closed').length, patience)
      .toBeGreaterThanOrEqual(4);
    await setBotStatus(db, id, 'paused');
    await expect.poll(async () => (await tradesOf(id)).filter((trade) => trade.status === 'open').length, patience).toBe(0);
    const { rows } = await sql<Record<string, string | boolean>>`
      select count(*) = f.trades as counted, sum(t.profit) = f.realized_pnl as summed, sum(t.fees) = f.fees as fees_summed,
        count(*) filter (where t.profit > 0) = f.wins as wins,
        bool_and(abs((select sum(case o.side when 'sell' then l.amount * l.price else -l.amount * l.price end) - sum(l.fee)
          from orders o join fills l on l.order_id = o.id where o.trade_id = t.id) - t.profit) < 0.00000002) as profit_is_what_the_fills_say,
        bool_and((select sum(case o.side when 'sell' then -l.amount else l.amount end) from orders o join fills l on l.order_id = o.id where o.trade_id = t.id) = 0) as flat
      from trades t join bot_figures f on f.bot_id = t.bot_id and f.mode = t.mode
      where t.bot_id = ${id} and t.status = 'closed' group by f.trades, f.realized_pnl, f.fees, f.wins`.execute(db);
    expect(rows).toEqual([{ counted: true, summed: true, feesSummed: true, wins: true, profitIsWhatTheFillsSay: true, flat: true }]);
    await setBotStatus(db, id, 'stopped');
  });

  test('leaves exactly one decision for every symbol and closed candle, naming the gate', async () => {
    const id = await addTestBot(db, { ...busy, strategy: 'RsiReversal', nickname: 'decider' });
    const count = async (): Promise<number> =>
      Number((await sql<{ n: string }>`select count(*) as n from decisions where bot_id = ${id}`.execute(db)).rows[0]?.n);
    await expect.poll(count, patience).toBeGreaterThanOrEqual(24);
    const { rows } = await sql<{ symbol: string; holes: string; actions: string[]; gateless: boolean }>`
      select symbol, (extract(epoch from max(candle_time) - min(candle_time)) / 60 + 1) - count(*) as holes,
        array_agg(distinct action) as actions, bool_or(action = 'none' and gate is null) as gateless
      from decisions where bot_id = ${id} group by symbol order by symbol`.execute(db);
    expect(rows.map(({ symbol, holes, gateless }) => [symbol, Number(holes), gateless])).toEqual([
      ['BTC/USDT', 0, false],
      ['ETH/USDT', 0, false],
    ]);
    await setBotStatus(db, id, 'stopped');
  });

  test('OP-86 paused makes no new entries but looks after its trades; active goes on; stopped closes everything', async () => {
    const id = await addTestBot(db, { ...busy, nickname: 'obedient', minimalRoi: { 0: 10, 6: -1 } });
    const open = async (): Promise<number> => (await tradesOf(id)).filter((trade) => trade.status === 'open').length;
    await expect.poll(open, patience).toBe(2);
    await setBotStatus(db, id, 'paused');
    await expect.poll(open, patience).toBe(0);
    const before = (await tradesOf(id)).length;
    const { rows } = await sql<{ n: string }>`select count(*) as n from decisions where bot_id = ${id}`.execute(db);
    await expect
      .poll(
        async () => Number((await sql<{ n: string }>`select count(*) as n from decisions where bot_id = ${id}`.execute(db)).rows[0]?.n),
        patience,
      )
      .toBeGreaterThanOrEqual(Number(rows[0]?.n) + 6);
    expect((await tradesOf(id)).length).toBe(before);
    const gates = await sql<{ gate: string }>`select gate from decisions where bot_id = ${id} order by candle_time desc limit 1`.execute(
      db,
    );
    expect(gates.rows[0]?.gate).toBe('paused');

    await setBotStatus(db, id, 'active');
    await expect.poll(open, patience).toBe(2);
    await setBotStatus(db, id, 'stopped');
    await expect.poll(open, patience).toBe(0);
    expect((await tradesOf(id)).at(-1)).toMatchObject({ status: 'closed', exitReason: 'force_exit' });
    const after = (await tradesOf(id)).length;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect((await tradesOf(id)).length).toBe(after);
  });

  test('OP-59 pauses itself after too many losses in a row, tells its owner, and counts anew when activated', async () => {
    // Leaving at once loses the fees of both sides.
    const id = await addTestBot(db, {
      ...busy,
      nickname: 'unlucky',
      owner: 'unlucky@example.com',
      minimalRoi: { 0: -1 },
      maxConsecutiveLosses: 3,
      symbols: ['XRP/USDT'],
    });
    const status = async (): Promise<string | undefined> =>
      (await db.selectFrom('bots').select(['status', 'consecutiveLosses']).where('id', '=', id).executeTakeFirst())?.status;
    await expect.poll(status, patience).toBe('paused');
    const trades = (await tradesOf(id)).filter((trade) => trade.status === 'closed');
    expect(trades.slice(-3).every((trade) => Number(trade.profit) < 0)).toBe(true);
    const mail = await db.selectFrom('mailOutbox').selectAll().where('recipient', '=', 'unlucky@example.com').execute();
    expect(mail).toHaveLength(1);
    expect(mail[0]).toMatchObject({ subject: 'Bot paused' });
    await setBotStatus(db, id, 'active');
    const bot = await db.selectFrom('bots').select('consecutiveLosses').where('id', '=', id).executeTakeFirstOrThrow();
    expect(bot.consecutiveLosses).toBe(0);
    await expect.poll(async () => (await tradesOf(id)).length, patience).toBeGreaterThan(trades.length);
    await setBotStatus(db, id, 'stopped');
  });

  test('OP-72 leaves a balance snapshot at every closed trade and every full hour', async () => {
    const id = await addTestBot(db, { ...busy, nickname: 'snapshots', symbols: ['ADA/USDT'] });
    const snapshots = () => db.selectFrom('pnlSnapshots').selectAll().where('botId', '=', id).orderBy('takenAt').execute();
    const isHour = (time: Date): boolean => time.getTime() % 3_600_000 === 0;
    await expect
      .poll(async () => (await snapshots()).some(({ takenAt }) => isHour(takenAt)), { timeout: 60_000, interval: 200 })
      .toBe(true);
    await setBotStatus(db, id, 'stopped');
    await expect.poll(async () => (await tradesOf(id)).filter((trade) => trade.status === 'open').length, patience).toBe(0);
    const closed = (await tradesOf(id)).filter((trade) => trade.status === 'closed');
    const all = await snapshots();
    expect(all.filter(({ takenAt }) => !isHour(takenAt))).toHaveLength(closed.length);
    const last = all.at(-1);
    const realized = closed.reduce((sum, trade) => sum + Number(trade.profit), 0);
    expect(Number(last?.realizedPnl)).toBeCloseTo(realized, 6);
    expect(Number(last?.currentBalance)).toBeCloseTo(300 + realized, 6);
  });

  test('trades futures both ways with leverage', async () => {
    const id = await addTestBot(db, {
      strategy: 'SuperTrendFollower',
      nickname: 'futures',
      marketType: 'futures',
      symbols: ['BTC/USDT:USDT', 'ETH/USDT:USDT', 'SOL/USDT:USDT'],
      leverage: 3,
      minimalRoi: { 0: 0.01, 5: -1 },
    });
    await expect.poll(async () => (await tradesOf(id)).length, patience).toBeGreaterThan(0);
    const [trade] = await db.selectFrom('trades').selectAll().where('botId', '=', id).execute();
    expect(Number(trade?.leverage)).toBe(3);
    await setBotStatus(db, id, 'stopped');
  });

  test('OP-37, OP-83 a live bot is not simulated: it does nothing and says why', async () => {
    const id = await addTestBot(db, { ...busy, nickname: 'live', symbols: ['BNB/USDT'], status: 'paused' });
    await sql`update bots set mode = 'live', status = 'active', updated_at = now() where id = ${id}`.execute(db);
    const said = async () => (await db.selectFrom('botVitals').select('lastError').where('botId', '=', id).executeTakeFirst())?.lastError;
    await expect.poll(said, patience).toBe('Real orders are not made by this version; the bot does nothing.');
    await new Promise((resolve) => setTimeout(resolve, 2_000)); // four minutes of market
    expect(await tradesOf(id)).toEqual([]);
    await setBotStatus(db, id, 'stopped');
  });

  test('a bot that cannot start is named and does not hold up the others', async () => {
    const id = await addTestBot(db, { ...busy, nickname: 'broken', symbols: ['NOSUCH/USDT'] });
    const fine = await addTestBot(db, { ...busy, nickname: 'fine', symbols: ['SOL/USDT'] });
    await expect.poll(async () => (await tradesOf(fine)).length, patience).toBeGreaterThan(0);
    await setBotStatus(db, id, 'stopped');
    await setBotStatus(db, fine, 'stopped');
  });
});

describe('one runner per bot', () => {
  test('two runners share the bots and never hold the same one', async () => {
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, i) => addTestBot(db, { strategy: 'AlwaysFlat', nickname: `shared ${i}`, status: 'paused' })),
    );
    const [one, two] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
    await sql`update bots set runner_id = null where id = any(${ids})`.execute(db);
    await renewLease(db, { id: one, host: 'one', exchanges: ['sandbox'] }, 60_000, true);
    await renewLease(db, { id: two, host: 'two', exchanges: ['sandbox'] }, 60_000, true);
    const claims = (await Promise.all([one, two, one, two].map((id) => claimBots(db, id, 4)))).flat();
    expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length);
  });

  test('a runner that has lost a bot can write nothing for it', async () => {
    const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'fenced', status: 'stopped' });
    const [old, young] = ['33333333-3333-4333-8333-333333333333', '44444444-4444-4444-8444-444444444444'];
    const { updatedAt } = await db.selectFrom('bots').select('updatedAt').where('id', '=', id).executeTakeFirstOrThrow();
    await renewLease(db, { id: old, host: 'old', exchanges: ['sandbox'] }, 100, true);
    await sql`update bots set runner_id = ${old}, epoch = 1 where id = ${id}`.execute(db);
    await db.transaction().execute((trx) => fence(trx, { id, epoch: '1', runnerId: old, updatedAt }));
    await new Promise((resolve) => setTimeout(resolve, 150));
    await expect(db.transaction().execute((trx) => fence(trx, { id, epoch: '1', runnerId: old, updatedAt }))).rejects.toThrow(Fenced);
    expect(await renewLease(db, { id: old, host: 'old', exchanges: ['sandbox'] }, 100, false)).toBe(false);
    await renewLease(db, { id: young, host: 'young', exchanges: ['sandbox'] }, 60_000, true);
    await sql`update bots set runner_id = ${young}, epoch = 2 where id = ${id}`.execute(db);
    await expect(db.transaction().execute((trx) => fence(trx, { id, epoch: '1', runnerId: young, updatedAt }))).rejects.toThrow(Fenced);
    await db.transaction().execute((trx) => fence(trx, { id, epoch: '2', runnerId: young, updatedAt }));
  });
});
